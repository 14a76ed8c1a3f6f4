//! Turns options and graph sizes into the batches of an epoch.
//!
//! | file | what is in it |
//! |---|---|
//! | `loader_plan` | [`LoaderPlan`]: all that is decided before the first epoch |
//! | `resolved`, `limits` | the limits and shapes that capacity, grouping and shapes give |
//! | `contradictions` | refuses options that contradict each other |
//! | `divided` | which graphs are taken, and how they are divided into packs |
//! | `balance` | packs of nearly equal cost, for ranks |
//! | `shapes` | the shape that each batch is padded to |
//! | `spread` | how many padding rows shapes need, and which packs have room for them |
//! | `order/` | the epoch order: which graph sits in which place of which batch |
//! | `epoch_plan` | [`EpochPlan`]: graphs and shape of each batch of one epoch |
//! | `state` | where in an epoch a training is; which loaders can resume there, and why others cannot |

mod balance;
mod contradictions;
mod divided;
mod epoch_plan;
mod limits;
mod loader_plan;
mod order;
mod resolved;
mod shapes;
mod spread;
mod state;

pub(crate) use crate::source::Sizes;
pub(crate) use balance::Balance;
pub(crate) use epoch_plan::EpochPlan;
pub(crate) use loader_plan::{LoaderPlan, carried};
use shapes::ShapeLimits;
pub(crate) use shapes::ShapeRule;
pub(crate) use spread::Spread;
pub(crate) use state::PlanFingerprint;
pub use state::State;
pub(crate) use state::{ResumeError, ResumeKey, Run};
