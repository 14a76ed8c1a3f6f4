//! Molecules in SDF files, V2000 and V3000, become graphs with OGB's features and coordinates.
//!
//! - [`records`]: the molecules of a file; `options`: what is read of them; `labels`: data items that become
//!   targets; `lines`: the lines of a file;
//! - `v2000`, `v3000`: tables of atoms and bonds, made a molecule by `draft`;
//! - what the drawing says of stereochemistry: `wedges` of a drawing in two dimensions, `volumes` in three,
//!   `sides` of double bonds.

mod draft;
mod labels;
mod lines;
mod options;
mod records;
mod sides;
mod v2000;
mod v3000;
mod volumes;
mod wedges;

pub use options::SdfOptions;
pub(crate) use records::open;
pub use records::{SdfRecords, records};
