//! What readers are made of, whatever their format.
//!
//! - [`read_error`]: where in a file reading failed; [`compressed`]: files that may be compressed; [`bounded`]:
//!   without records that do not end; [`zip_files`]: archives;
//! - [`csv_rows`]: numbers row by row; [`cell_kind`]: whether they are integers; [`csv_records`]: csv with a header;
//! - [`record`]: one graph as a file has it; [`records`]: those of a file, one after the other; [`label`]:
//!   cells that become targets; [`skipped`]: what was passed over; [`format_error`]: what is not as it must be;
//! - [`array`]: numbers of one type and any shape; [`npy`]: as NumPy writes them; [`elements`]: symbols of atoms.

mod array;
mod bounded;
mod cell_kind;
pub mod compressed;
mod csv_records;
mod csv_rows;
pub mod elements;
pub(crate) mod format_error;

#[cfg(any(feature = "sdf", feature = "smiles", feature = "targets"))]
mod label;
pub mod npy;
mod read_error;
mod record;
mod records;
pub(crate) mod skipped;
#[cfg(any(feature = "npz", feature = "tu"))]
mod zip_files;

pub use array::{Array, ArrayType, ShapeError};
pub(crate) use bounded::Bounded;
pub use cell_kind::CellKind;
pub(crate) use compressed::{Compression, expect_file};
pub use csv_records::CsvRecords;
pub use csv_rows::{CsvError, CsvRows};
pub use format_error::FormatError;
#[cfg(any(feature = "sdf", feature = "smiles", feature = "targets"))]
pub(crate) use label::Label;
#[cfg(any(feature = "sdf", feature = "smiles"))]
pub(crate) use label::keep_targets;
pub use read_error::ReadError;
pub use record::{Record, RecordField, Values};
#[cfg(any(feature = "npz", feature = "ogb"))]
pub(crate) use records::OfRecord;
pub use records::Records;
#[cfg(any(feature = "sdf", feature = "smiles"))]
pub(crate) use skipped::Skipped;
#[cfg(any(feature = "npz", feature = "tu"))]
pub(crate) use zip_files::ZipFiles;
