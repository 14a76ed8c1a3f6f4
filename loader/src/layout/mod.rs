//! Where the bytes of a batch lie, and how they get there.
//!
//! | file | what is in it |
//! |---|---|
//! | `schema`, `level`, `dtype` | the fields that every graph of a data set has |
//! | `builtin` | the arrays that every batch has beside them |
//! | `shape`, `span` | rows of a batch; the rows of one graph among them |
//! | `array_info`, `layout` | each array's place in the memory of a batch |
//! | `slot`, `index` | one graph's rows, for a source to write; node numbers of any width |
//! | `graph_rows` | one graph's rows, for a transform to change |
//! | `memory`, `pool` | where the memory of batches comes from, and how it is recycled |

mod array_info;
mod builtin;
mod dtype;
mod graph_rows;
mod index;
#[expect(clippy::module_inception, reason = "the file has the name of the type in it")]
mod layout;
mod level;
mod memory;
mod pool;
mod schema;
mod shape;
mod slot;
mod span;

pub use array_info::{ArrayError, ArrayInfo};
pub use builtin::Builtin;
pub use dtype::{Dtype, Element};
pub(crate) use graph_rows::GraphDraw;
pub use graph_rows::GraphRows;
pub use index::{IndexBytes, IndexWidth};
pub use layout::Layout;
pub use level::Level;
pub use memory::{Arena, Heap, Memory, MemoryError};
pub(crate) use pool::Pool;
pub use schema::{Field, Schema, SchemaError};
pub use shape::Shape;
pub use slot::{Slot, SlotError};
pub(crate) use span::GraphSpan;
