//! Which way of batching trains fastest: the time of a step as a function of its shape, the shapes that each way makes,
//! and the time of a training that follows from both.
//!
//! | file | what is in it |
//! |---|---|
//! | `advice` | [`Advice`]: the times of all ways, fastest first |
//! | `way` | [`Way`]: a batching and a batch size |
//! | `workload` | [`Workload`]: the shapes of a way, and how many batches have each |
//! | `step_cost` | [`StepCost`]: milliseconds of a step, fitted to [`TimedStep`]s |
//! | `probe` | [`probe_shapes`]: the shapes to time |
//! | `counted` | [`Counted`]: the graphs of a histogram, as a source to plan batches with |
//! | `fit` | least absolute deviations without negative coefficients |

#[expect(clippy::module_inception, reason = "named after its type")]
mod advice;
mod counted;
mod fit;
mod probe;
mod step_cost;
mod way;
mod workload;

pub use advice::{Advice, MemoryLimit, Predicted, Training};
pub use counted::Counted;
pub use probe::probe_shapes;
pub use step_cost::{StepCost, TimedStep};
pub use way::Way;
pub use workload::Workload;
