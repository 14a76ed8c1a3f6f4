//! Where graphs come from: the trait [`Source`], and the sources of this crate.
//!
//! | source | what it holds |
//! |---|---|
//! | [`Store`] | a whole data set in columns, in memory or in a mapped file |
//! | [`StoreFiles`] | the same in one or several files, of which batches read what they need |
//! | [`Connected`] | another source of atoms with the edges between those that are near |
//! | [`molecules`], [`clusters`] | generated molecules and atoms, for trying things out |
//! | [`Subset`] | some graphs of another source, such as a split |
//! | [`Mixture`] | several data sets as one, drawn from at rates if asked |
//! | [`Triplets`], [`LineGraphs`] | another source with the triplets of its edges, or with its line graphs |
//!
//! `graphpack-formats` reads other files into stores; `graphpack-partition` has sources of pieces of one large graph.

pub mod clusters;
mod data;
mod data_set;
mod derived;
mod each_graph;
mod mixture;
pub mod molecules;
mod neighbours;
mod source;
mod store;
mod subset;
mod whole_file;
mod will_read;

pub use data::Data;
pub use data_set::DataSet;
pub use derived::{DerivedError, LineGraphs, Triplets};
pub use each_graph::GraphError;
pub use mixture::{MixedGraphError, Mixture, MixtureError};
pub use neighbours::{ConnectOptions, Connected, Edges, EdgesError};
pub use source::{Graphs, Source, SourceError};
pub use store::{
    Bytes, Column, FileError, MappedFile, SharedFile, Store, StoreError, StoreFiles, StoreFilesWriter, StoreWriter,
};
pub use subset::{Subset, SubsetError};
pub use whole_file::WholeFile;
pub use will_read::will_read;
