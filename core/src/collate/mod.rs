//! Collation: a batch of one shape in memory that the caller gives, without an allocator. An engine on a device gets
//! the bytes that `graphpack-loader` would make of the same graphs.
//!
//! | file | what is in it |
//! |---|---|
//! | `schema`, `level`, `dtype` | the fields and indices of graphs, as a constant; what their rows are of; element types |
//! | `layout` | where each array of a batch lies |
//! | `padding` | the padding rule: what padding rows hold, and where padding entries point to |
//! | `builtin`, `numbers` | `batch`, `ptr`, `graph_ids`, masks, pools; row numbers that become those of a batch |
//! | `neighbours`, `sorted` | the edges into each node as a matrix; where they begin among sorted edges |
//! | `batch`, `error` | a batch, graph by graph, and the way out again |
//!
//! A mistake in the description does not compile, but for a field or an index with the name of a built-in array. A
//! graph that does not fit is refused before a byte is written. A host chooses the shape from the sizes of the data
//! (`graphpack limits`), padding included.
//!
//! ```
//! use graphpack_core::collate::{Builtin, Dtype, FixedBatch, FixedField, FixedIndex, FixedLayout, FixedMemory};
//! use graphpack_core::collate::{FixedSchema, Level, Padding};
//! use graphpack_core::{Shape, Size};
//!
//! const MOLECULES: FixedSchema = FixedSchema {
//!     sets: &["nodes", "edges"],
//!     fields: &[FixedField::new("x", Level::NODE, Dtype::F32, 1)],
//!     indices: &[FixedIndex::new("edge_index", Level::EDGE, &[0, 0])],
//!     builtins: &[Builtin::Batch(0), Builtin::Ptr(0), Builtin::GraphIds],
//! };
//! const SHAPE: Shape = Shape { size: Size::new([8, 12]), graphs: 3 };
//! const LAYOUT: FixedLayout = FixedLayout::new(MOLECULES, Padding::SelfLoops, SHAPE, Dtype::I32);
//!
//! let mut memory = FixedMemory::<{ LAYOUT.bytes() }>::new();
//! let mut batch = FixedBatch::new(&LAYOUT, &mut memory.0)?;
//! for id in [17, 4] {
//!     let mut graph = batch.open(Size::new([3, 2]), id)?;
//!     graph.field(0, &[0.5_f32, 1.5, 2.5])?; // all rows of x, or some of them as they come
//!     graph.index(0, &[&[0_u8, 2], &[2, 0]])?;
//!     graph.finish()?;
//! }
//! let padded = batch.pad();
//! assert_eq!(padded.get::<i32>("batch"), Some(&[0, 0, 0, 1, 1, 1, 2, 2][..]));
//! assert_eq!((padded.ids(), padded.rows(1, 0)), (Some(&[17, 4][..]), Some(3..6)));
//! batch.restart();
//! # Ok::<(), graphpack_core::collate::CollateError>(())
//! ```

mod batch;
mod builtin;
mod dtype;
mod error;
mod layout;
mod level;
mod neighbours;
mod numbers;
mod padding;
mod schema;
mod sorted;

pub use batch::{FixedBatch, FixedSlot, PaddedBatch};
pub use builtin::{Builtin, singular};
pub use dtype::{Dtype, Element, fill};
pub use error::CollateError;
pub use half::f16;
pub use layout::{FixedLayout, FixedMemory, MAX_ARRAYS, next_start};
pub use level::Level;
pub use neighbours::{Crowded, NeighbourField, Neighbours};
pub use numbers::{IndexBytes, IndexWidth, RowNumber};
pub use padding::{Padding, PaddingValue};
pub use schema::{FixedField, FixedIndex, FixedSchema};
pub use sorted::SortedBy;
