//! Where the bytes of a batch lie, and how they get there.
//!
//! | file | what is in it |
//! |---|---|
//! | `schema`, `schema_error` | the sets of rows that every graph of a data set has |
//! | `field`, `level`, `dtype` | a field of such a set |
//! | `index`, `index_bytes` | an index into such sets; row numbers of any width |
//! | `builtin`, `carried` | the arrays that batches have beside them; which arrays batches carry |
//! | `shape`, `span`, `set_names` | rows of a batch, of one graph in a batch; names of sets |
//! | `array_info`, `layout` | each array's place in the memory of a batch |
//! | `slot`, `slot_indices`, `marks`, `slot_error` | one graph's rows, for a source to write and a map to change |
//! | `within` | the same for a source that has fewer sets and fields than batches do |
//! | `keep`, `trim` | keeping fewer rows of a graph |
//! | `batch_graph` | one graph's rows, taken out of a batch again |
//! | `memory`, `pool` | where the memory of batches comes from, and how it is recycled |

mod array_info;
mod batch_graph;
mod builtin;
mod carried;
mod dtype;
mod field;
mod index;
mod index_bytes;
mod keep;
mod layout;
mod level;
mod marks;
mod memory;
mod pool;
mod schema;
mod schema_error;
mod set_names;
mod shape;
mod slot;
mod slot_error;
mod slot_indices;
mod span;
mod trim;
mod within;

pub(crate) use array_info::ArrayError;
pub use array_info::{ArrayInfo, ArrayKind};
pub use batch_graph::BatchGraph;
pub use builtin::Builtin;
pub(crate) use carried::Carried;
pub use dtype::{Dtype, Element};
pub use field::Field;
pub use graphpack_core::{MAX_SETS, Size};
pub use index::Index;
pub use index_bytes::RowNumber;
pub(crate) use index_bytes::{IndexBytes, IndexWidth};
pub use layout::Layout;
pub use level::Level;
use marks::Marks;
pub use memory::{Arena, Heap, Memory};
pub(crate) use pool::{MemoryError, Pool, Recycled};
pub(crate) use schema::MAX_FIELDS;
pub use schema::{MAX_COLUMNS, Schema};
pub(crate) use schema_error::SchemaError;
pub use set_names::SetNames;
pub use shape::Shape;
pub(crate) use slot::GraphDraw;
pub use slot::Slot;
pub(crate) use slot_error::SlotError;
pub(crate) use span::GraphSpan;
pub(crate) use within::Within;
