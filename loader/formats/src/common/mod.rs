//! What readers are made of, whatever their format.
//!
//! - [`compressed`]: files that may be compressed; [`zip_files`]: archives; [`csv`]: rows of numbers, and with a header;
//! - [`record`]: one graph as a file has it, and those of a file; [`label`]: cells that become
//!   targets; [`error`]: what is not as it must be, and where;
//! - [`array`]: numbers of one type and any shape; [`npy`]: as NumPy writes them; [`elements`]: symbols of atoms;
//!   [`units`]: units of files, and of several files.

mod array;
pub mod compressed;
mod csv;
pub mod elements;
mod error;
mod label;
pub mod npy;
mod record;
mod units;
#[cfg(feature = "readers")]
mod zip_files;

pub use array::{Array, ArrayType};
pub(crate) use compressed::{Compression, expect_file, file_names, is_of_macos};
pub(crate) use csv::CsvRecords;
pub use csv::{CellKind, CsvRows};
pub(crate) use error::{FormatError, ReadError};
pub(crate) use error::{Place, quoted};
pub(crate) use label::{Label, keep_targets};
pub(crate) use record::{OfRecord, says_none};
pub use record::{Record, RecordField, Records, Values};
pub(crate) use units::{Units, unit_factor};
#[cfg(feature = "readers")]
pub(crate) use zip_files::ZipFiles;
