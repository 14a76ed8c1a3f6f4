//! Where graphs come from: the trait [`Source`], the sources of this crate, and what is made of them.
//!
//! | source | what it holds |
//! |---|---|
//! | [`Data`] | any source; some of its graphs, several mixed, graphs changed, or with rows that follow from others |
//! | [`Store`] | a whole data set in columns, in memory or in a mapped file |
//! | [`StoreFiles`] | the same in one or several files, of which batches read what they need |
//! | [`molecules`], [`clusters`] | generated molecules and atoms, for trying things out |
//!
//! `graphpack-formats` reads other files into stores; `graphpack-partition` has sources of pieces of one large graph.

mod data;
mod derive;
mod derived;
mod each_graph;
mod generated;
mod graphs;
mod map;
mod mixture;
mod near;
mod neighbours;
mod own;
mod sizes;
mod sorted;
mod source;
mod store;
mod subset;
mod weights;
mod whole_file;

pub use data::Data;
pub use derived::LineGraphs;
pub(crate) use each_graph::GraphError;
pub use generated::{clusters, molecules};
pub(crate) use graphs::{DataSet, DrawEpoch, Each, Graphs, repeats};
pub use near::{Connect, Edges};
pub use neighbours::NeighbourMatrix;
pub(crate) use sizes::Sizes;
pub use source::{Source, Worker};
pub use store::{Bytes, Column, MappedFile, SharedFile, Store, StoreFiles, StoreFilesWriter, StoreWriter, will_read};
pub use weights::Weights;
pub use whole_file::WholeFile;
