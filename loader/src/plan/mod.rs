//! Turns options and graph sizes into the batches of an epoch.
//!
//! | file | what is in it |
//! |---|---|
//! | `contradictions` | refuses options that contradict each other |
//! | `loader_plan` | [`LoaderPlan`]: all that is decided before the first epoch |
//! | `resolved`, `limits` | the limits and shapes that capacity, grouping and shapes give |
//! | `divided`, `division` | which graphs are taken, and how they are divided into packs |
//! | `buckets` | [`Buckets`]: which graphs are packed under which limits |
//! | `sizes` | [`Sizes`]: the size of every graph |
//! | `shape_rule`, `spread` | the shape that each batch is padded to, and how many padding rows it has |
//! | `order/` | the epoch order: which graph sits in which place of which batch |
//! | `epoch_plan` | [`EpochPlan`]: graphs and shape of each batch of one epoch |
//! | `state` | where in an epoch a training is |
//! | `resume_key`, `plan_fingerprint` | which loaders can resume from there, and why others cannot |

mod buckets;
mod contradictions;
mod divided;
mod division;
mod epoch_plan;
mod limits;
mod loader_plan;
mod order;
mod plan_fingerprint;
mod resolved;
mod resume_key;
mod shape_rule;
mod sizes;
mod spread;
mod state;

use buckets::Buckets;
pub(crate) use epoch_plan::EpochPlan;
pub(crate) use loader_plan::LoaderPlan;
pub use plan_fingerprint::PlanFingerprint;
pub(crate) use resume_key::ResumeError;
pub(crate) use resume_key::ResumeKey;
pub(crate) use shape_rule::ShapeRule;
pub(crate) use sizes::Sizes;
pub(crate) use spread::Spread;
pub use state::LoaderState;
