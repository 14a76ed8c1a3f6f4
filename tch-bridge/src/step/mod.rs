//! A training step: the optimizer, and the whole step as one launch.
//!
//! | file | what it has |
//! |---|---|
//! | `adam` | [`Adam`]: Adam and AdamW with their state on the device |
//! | `captured` | [`CapturedStep`]: a step that is recorded once per shape and replayed for every batch |
//! | `cuda_graph` | the recorded work of a CUDA stream |

mod adam;
#[cfg(feature = "cuda-graphs")]
mod captured;
#[cfg(feature = "cuda-graphs")]
mod cuda_graph;

pub use adam::Adam;
#[cfg(feature = "cuda-graphs")]
pub use captured::CapturedStep;
