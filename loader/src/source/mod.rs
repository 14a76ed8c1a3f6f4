//! Where graphs come from: anything that is a [`Source`], and the sources that come with the crate.
//!
//! | source | what it has |
//! |---|---|
//! | [`Store`] | a whole data set in columns, in memory or in a mapped file |
//! | [`StoreFiles`] | the same in several files |
//! | [`Structures`] | atoms with positions; a store once they are connected |
//! | [`molecules`] | generated molecules, for trying things out |
//! | [`Subset`] | some graphs of another source, such as a split |
//!
//! `graphpack-formats` reads files into stores; `graphpack-partition` has pieces of one large graph.

mod ahead;
pub mod molecules;
#[expect(clippy::module_inception, reason = "the file has the name of the type in it")]
mod source;
mod store;
mod structures;
mod subset;

pub use ahead::will_read;
pub use source::{Source, SourceError};
pub use store::{Changed, Column, FileError, Store, StoreError, StoreFiles, StoreFilesWriter};
pub use structures::{ConnectError, Edges, EdgesError, Structures};
pub use subset::{Subset, SubsetError};
