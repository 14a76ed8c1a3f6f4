//! The door: a path, and what is in it.
//!
//! [`format`] names the formats, [`recognise`] finds out which one a file has, [`opened`] is what [`open`] returns;
//! [`data_file`] reads one with [`options`], [`convert`] writes files into a store, in [`pieces`].

mod convert;
#[cfg(all(feature = "ogb", feature = "targets"))]
mod data_file;
mod format;
mod opened;
mod options;
mod pieces;
mod recognise;

pub use convert::{Change, Convert, Converted, Progress};
#[cfg(all(feature = "ogb", feature = "targets"))]
pub use data_file::DataFile;
pub use format::FileFormat;
pub use opened::{Opened, open};
pub use options::ReadOptions;
pub use pieces::{Pieces, read};
