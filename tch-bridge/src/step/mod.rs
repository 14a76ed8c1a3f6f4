//! A training step: the optimizer, a file to go on from, and the whole step as one launch.
//!
//! | file | what it has |
//! |---|---|
//! | `adam` | [`Adam`]: Adam and AdamW with their state on the device |
//! | `checkpoint` | [`Checkpoint`]: a file that a training goes on from |
//! | `captured` | [`CapturedStep`]: a step that is recorded once per shape and replayed for every batch |
//! | `cuda_graph` | recorded work of a CUDA stream, and the stream it is recorded on |

mod adam;
mod captured;
mod checkpoint;
mod cuda_graph;

pub use adam::Adam;
pub use captured::CapturedStep;
pub use checkpoint::Checkpoint;
