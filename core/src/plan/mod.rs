//! What packers return: [`Plan`] in growing memory, [`FixedPlan`] where there is no allocator, and how good a plan is.
//!
//! Both keep their packs in the same two arrays (`packs`), which is also where packs that were read are checked.

pub mod bound;
#[cfg(feature = "alloc")]
mod efficiency;
mod fixed;
#[cfg(feature = "alloc")]
mod growable;
mod packs;

#[cfg(feature = "alloc")]
pub use efficiency::Efficiency;
pub use fixed::{FixedPlan, FixedPlanError};
#[cfg(feature = "alloc")]
pub use growable::Plan;
pub use packs::Pack;
