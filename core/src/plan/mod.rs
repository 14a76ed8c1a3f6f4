//! What packers return: [`Plan`] in growing memory, [`FixedPlan`] where there is no allocator, and how good a plan is.
//! `fixed_best_fit` is the packer without an allocator.
//!
//! Both keep their packs in the same two arrays (`packs`), which is also where packs that were read are checked.

pub mod bound;
#[cfg(feature = "alloc")]
mod efficiency;
mod fixed;
mod fixed_best_fit;
mod packs;
#[cfg(feature = "alloc")]
mod plan;

#[cfg(feature = "alloc")]
pub use efficiency::Efficiency;
pub use fixed::{FixedPlan, FixedPlanError};
pub use fixed_best_fit::FixedPackError;
pub use packs::Pack;
#[cfg(feature = "alloc")]
pub use plan::Plan;
