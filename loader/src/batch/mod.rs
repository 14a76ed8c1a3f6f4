//! [`Batch`], which a training step gets, and how workers make it.
//!
//! | file | what is in it |
//! |---|---|
//! | `batch`, `info` | [`Batch`], and what is known of it beside its arrays |
//! | `batch_memory`, `position` | the memory of a batch, and its place in the epoch |
//! | `assembler` | [`Assembler`]: makes batches; all workers share it |
//! | `collate`, `builtins` | writes the graphs of a batch, its padding, and the arrays beside them |
//! | `trimmed` | writes a graph that exceeds the limits |
//! | `layouts` | keeps the layout of each shape that occurs |

mod assembler;
mod batch;
mod batch_memory;
mod builtins;
mod collate;
mod info;
mod layouts;
mod position;
mod trimmed;

pub(crate) use assembler::Assembler;
pub use batch::Batch;
pub use batch_memory::BatchMemory;
pub use info::BatchInfo;
use layouts::Layouts;
pub(crate) use position::BatchPosition;
