//! ASE's LMDB databases (`.aselmdb`), as fairchem's data sets OMat24 and OMol25 have them.
//!
//! Rows are JSON, compressed with zlib, under the keys `1`, `2` and so on; [`records`] reads those up to `nextid`
//! that are not in `deleted_ids`, in their order.
//!
//! | of a row | becomes |
//! |---|---|
//! | `numbers`, `positions` | `z`, `pos` |
//! | `cell`, `pbc` | fields of graphs, zeros and false where a row has none |
//! | `energy`, `free_energy`, `magmom`, `dipole` | fields of graphs |
//! | `stress`, six numbers in Voigt's order or nine | `stress`, 3 x 3 |
//! | `forces`, `momenta`, `magmoms`, `charges`, `tags`, `masses`, `initial_...` | fields of nodes |
//! | `FixAtoms` among the constraints | `fixed`, bool, a field of nodes: true for atoms that are held |
//! | numbers among the key-value pairs and in `data` | fields with their names: one number, or an array |
//!
//! An array of `data` whose first dimension is the number of atoms in all of 100 rows all over the (first) file is one
//! of nodes, any other is one of graphs. Where that cannot be told, since all structures have the same few atoms, the
//! array is passed over, as are text and nested objects, and arrays whose width differs from the first row's:
//! [`Records::skipped`] says so. A label that a row lacks, or whose numbers are all NaN, is not among its record's
//! fields. Of constraints, `FixAtoms` becomes `fixed`; others are passed over. Units are ASE's: eV, angstrom,
//! eV/angstrom, eV/angstrom^3.
//!
//! A file is read by position and never mapped, nor is a lock file written beside it: a file that ends too early, was
//! damaged or is truncated while it is read ends in an error that names the file and the page or the row. A file
//! must not be written to while it is read: rows may then be missing, or pages no longer what they should be.

mod lmdb;
mod records;

#[cfg(doc)]
use crate::Records;
pub use records::{AselmdbRecords, records};
