//! What a training step gets, and how it is made.
//!
//! | file | what is in it |
//! |---|---|
//! | `batch`, `batch_memory`, `position` | [`Batch`], the memory that it lies in, and where in its epoch it is |
//! | `assembler` | [`Assembler`]: makes batches; what all workers share |
//! | `collate` | the graphs of a batch and its padding, written one after the other |
//! | `layouts` | the layout of each shape that occurs |

mod assembler;
#[expect(clippy::module_inception, reason = "the file has the name of the type in it")]
mod batch;
mod batch_memory;
mod collate;
mod layouts;
mod position;

pub(crate) use assembler::Assembler;
pub use batch::Batch;
pub use batch_memory::BatchMemory;
use layouts::Layouts;
pub(crate) use position::BatchPosition;
