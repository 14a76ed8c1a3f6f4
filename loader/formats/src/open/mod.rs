//! Opens a file or folder of any format.
//!
//! [`format`] names the formats and finds out which one a file has; [`opened`] calls the reader of each; [`data_file`] reads
//! a whole file, [`convert`] writes files into a store, in [`pieces`].

mod convert;
#[cfg(feature = "readers")]
mod data_file;
mod format;
mod opened;
mod pieces;

pub use convert::{Convert, Converted, Progress};
#[cfg(feature = "readers")]
pub use data_file::DataFile;
pub use format::FileFormat;
pub use opened::{Opened, ReadOptions, open};
pub use pieces::{Change, Pieces, read};
