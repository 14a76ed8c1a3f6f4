//! The options of a loader, as plain data; `plan/` makes batches from them.
//!
//! | file | what is in it |
//! |---|---|
//! | `options` | [`Options`]: all options with their defaults |
//! | `grouping` | which graphs share a batch, in which order, in which shapes, and which are too large |
//! | `capacity` | [`Capacity`]: how much a batch holds |
//! | `saved_plan` | [`SavedPlan`]: a plan that was made before |
//! | `padding`, `shard`, `weights` | padding rows; the part of a rank; drawing graphs by weight |

mod capacity;
mod grouping;
mod options;
mod padding;
mod saved_plan;
mod shard;
mod weights;

pub(crate) use capacity::Holds;
pub use capacity::{Capacity, Estimate};
pub use graphpack_core::Limits;
pub use grouping::{Grouping, Order, Oversize, Shapes};
pub use options::Options;
pub use padding::Padding;
pub use saved_plan::SavedPlan;
pub use shard::{Remainder, Shard};
pub use weights::Weights;
