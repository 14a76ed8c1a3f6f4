//! A training step: the optimizer, a file to go on from, and the whole step as one launch.
//!
//! | file | what it has |
//! |---|---|
//! | `adam` | [`Adam`]: Adam and AdamW with their state on the device |
//! | `checkpoint` | [`Checkpoint`]: a file that a training goes on from |
//! | `captured` | [`CapturedStep`]: a step that is recorded once per shape and replayed for every batch |
//! | `side_stream` | the stream that steps are recorded on, in turn with the current one |
//! | `cuda_graph` | recorded work of a CUDA stream |

mod adam;
#[cfg(feature = "cuda-graphs")]
mod captured;
mod checkpoint;
#[cfg(feature = "cuda-graphs")]
mod cuda_graph;
#[cfg(feature = "cuda-graphs")]
mod side_stream;

pub use adam::Adam;
#[cfg(feature = "cuda-graphs")]
pub use captured::CapturedStep;
pub use checkpoint::Checkpoint;
