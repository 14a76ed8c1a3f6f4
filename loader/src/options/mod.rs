//! The options of a loader, as plain data: one file per option that is more than a number.
//!
//! [`Options`] holds all options and their defaults, [`LoaderBuilder`] sets them, `plan/` makes batches from them.

mod batching;
mod builder;
mod capacity;
mod options;
mod oversize;
mod padding;
mod saved_plan;
mod shard;
mod weights;

pub use batching::Batching;
pub use builder::{Batched, LoaderBuilder};
pub use capacity::Capacity;
pub use graphpack_core::Limits;
pub(crate) use options::{Options, Transform};
pub use oversize::Oversize;
pub use padding::Padding;
pub use saved_plan::{SavedPlan, SavedPlanError};
pub use shard::{Remainder, Shard, ShardError};
pub use weights::{Weights, WeightsError};
