//! Molecules in SDF files, V2000 and V3000, become graphs with OGB's features and coordinates.
//!
//! - [`records`]: the molecules of a file; `labels`: its lines, and data items that become targets;
//! - `tables`: tables of atoms and bonds, V2000 and V3000;
//! - what the drawing says of stereochemistry: `wedges` has the turns of neighbours, `sides` those of double bonds.

mod labels;
mod records;
mod sides;
mod tables;
mod wedges;

pub use labels::SdfOptions;
pub(crate) use records::open;
pub use records::{SdfRecords, records};
