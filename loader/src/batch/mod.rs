//! [`Batch`], which a training step gets, and how workers make it.
//!
//! | file | what is in it |
//! |---|---|
//! | `batch`, `info` | [`Batch`] and its memory; what is known of it beside its arrays, its place in the epoch |
//! | `results` | [`GraphResults`]: results of batches in the order of the data |
//! | `assembler` | [`Assembler`]: makes batches, and keeps the layout of each shape; all workers share it |
//! | `collate` | writes the graphs of a batch, trimmed where they exceed the limits, its padding, and the arrays beside them |
//! | `neighbours` | the neighbours of rows as matrices |

mod assembler;
mod batch;
mod collate;
mod info;
mod neighbours;
mod results;

pub(crate) use assembler::Assembler;
pub use batch::{Batch, BatchMemory};
pub use info::BatchInfo;
pub(crate) use info::BatchPosition;
pub use results::GraphResults;
