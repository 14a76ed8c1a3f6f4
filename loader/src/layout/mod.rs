//! Where the bytes of a batch lie, and how they get there. What devices without an allocator need, too, is core's
//! `collate`: dtypes, levels, built-in arrays, row numbers, the padding rule.
//!
//! | file | what is in it |
//! |---|---|
//! | `schema` | the sets of rows that every graph of a data set has |
//! | `fields` | a field of such a set, an index into it |
//! | `shape`, `within` | rows of a batch and of a graph in it; how a source with fewer sets and fields lies in one with more |
//! | `arrays`, `layout` | which arrays batches carry, and each one's place in the memory of a batch |
//! | `slot`, `progress` | one graph's rows, for a source to write and a map to change; what of them is written |
//! | `indices`, `error` | indices of a graph; why rows cannot be written |
//! | `labels` | texts that the numbers of a field are codes of |
//! | `keep`, `trim`, `missing` | keeping fewer rows of a graph, by a mask or at random; values that a graph lacks |
//! | `sort` | the order of rows by a column of an index |
//! | `calls` | passing a slot on to parts of a mix and to maps, which must not change what sets were made from |
//! | `graph` | one graph's rows, taken out of a batch again |
//! | `memory` | where the memory of batches comes from, and how it is recycled |

mod arrays;
mod calls;
mod error;
mod fields;
mod graph;
mod index_arrays;
mod indices;
mod keep;
mod labels;
mod layout;
mod memory;
mod missing;
mod progress;
mod schema;
mod shape;
mod slot;
mod sort;
mod trim;
mod within;

pub(crate) use arrays::{ArrayError, Carried};
pub use arrays::{ArrayInfo, ArrayKind};
pub(crate) use error::SlotError;
pub(crate) use fields::common_unit;
pub use fields::{Field, Index, SetNames};
pub use graph::BatchGraph;
pub use graphpack_core::collate::{Builtin, Dtype, Element, Level, PaddingValue, RowNumber};
pub(crate) use graphpack_core::collate::{Crowded, IndexBytes, IndexWidth, NeighbourField, Neighbours, SortedBy};
pub use graphpack_core::{MAX_SETS, Size};
pub(crate) use labels::{codes_among, common_labels};
pub use layout::Layout;
pub use memory::{Arena, Heap, Memory};
pub(crate) use memory::{MemoryError, Pool, Recycled};
pub(crate) use missing::{has_nan, mask_nan};
use progress::Marks;
pub(crate) use progress::Progress;
pub use schema::{MAX_COLUMNS, Schema};
pub(crate) use schema::{MAX_FIELDS, SchemaError};
pub(crate) use shape::GraphSpan;
pub use shape::Shape;
pub(crate) use slot::GraphDraw;
pub use slot::Slot;
pub(crate) use within::{Input, MapCall, Within};
