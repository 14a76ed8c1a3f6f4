//! ASE's LMDB databases (`.aselmdb`), as fairchem's data sets OMat24 and OMol25 have them.
//!
//! Rows are JSON, compressed with zlib, under the keys `1`, `2` and so on; [`records`] reads those up to `nextid`
//! that are not in `deleted_ids`, in their order. See [`ase_db`](crate::ase_db) for what a row becomes.
//!
//! A file is read by position and never mapped, nor is a lock file written beside it: a file that ends too early, was
//! damaged or is truncated while it is read ends in an error that names the file and the page or the row. A file
//! must not be written to while it is read: rows may then be missing, or pages no longer what they should be.
//!
//! - [`lmdb`]: pages and keys of a file; [`records`](self::records): its rows.

mod lmdb;
mod records;

pub use records::{AselmdbRecords, records};
