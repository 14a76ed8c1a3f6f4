//! What readers are made of, whatever their format.
//!
//! - [`read_error`]: where in a file reading failed; [`gzip`]: files that may be compressed; [`zip_files`]: archives;
//! - [`csv_rows`]: numbers row by row; [`cell_kind`]: whether they are integers; [`csv_records`]: csv with a header;
//! - [`record`]: one graph as a file has it; [`records`]: those of a file, one after the other; [`label_kind`]:
//!   what labels are; [`skipped`]: what was passed over; [`format_error`]: what is not as it must be;
//! - [`array`]: numbers of one type and any shape; [`npy`]: as NumPy writes them; [`elements`]: symbols of atoms.

mod array;
mod cell_kind;
mod csv_records;
mod csv_rows;
pub mod elements;
mod format_error;
pub mod gzip;
#[cfg(any(feature = "sdf", feature = "smiles"))]
mod label_kind;
pub mod npy;
mod read_error;
mod record;
mod records;
#[cfg(any(feature = "sdf", feature = "smiles"))]
mod skipped;
#[cfg(any(feature = "npz", feature = "tu"))]
mod zip_files;

pub use array::{Array, ArrayType, ShapeError};
pub use cell_kind::CellKind;
pub use csv_records::CsvRecords;
pub use csv_rows::{CsvError, CsvRows};
pub use format_error::FormatError;
#[cfg(any(feature = "sdf", feature = "smiles"))]
pub(crate) use label_kind::LabelKind;
pub use read_error::ReadError;
pub use record::{Record, RecordField, Values};
pub use records::Records;
#[cfg(any(feature = "sdf", feature = "smiles"))]
pub(crate) use skipped::Skipped;
#[cfg(any(feature = "npz", feature = "tu"))]
pub(crate) use zip_files::ZipFiles;
