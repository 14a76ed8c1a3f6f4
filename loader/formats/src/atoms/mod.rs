//! What readers of atoms share: how numbers of a file become fields of a record.
//!
//! - [`fields`]: the fields of a data set and what was passed over; [`place`]: where in a file an error is;
//!   [`files`]: the files of a data set;
//! - [`names`]: names whose level and width are known; [`push_atoms`]: elements and positions; [`cell`]: cells and the
//!   directions in which they repeat; [`units`]: factors to eV and angstrom;
//! - [`value`]: numbers of any shape, text, lists, objects; [`list`]: which lists are numbers;
//!   [`json`]: read from JSON; [`ndarray`]: arrays in it; [`float`]: numbers in text;
//! - [`row`]: a row of ASE's databases; [`survey`]: which of its arrays have a row per atom;
//!   [`blob`]: arrays and objects as ASE's SQLite databases hold them.

#[cfg(feature = "ase_db")]
pub(crate) mod blob;
mod cell;
mod fields;
mod files;
mod float;
pub(crate) mod json;
mod list;
mod names;
mod ndarray;
mod place;
#[cfg(any(feature = "ase_db", feature = "aselmdb", feature = "hdf5", feature = "npz"))]
mod push_atoms;
#[cfg(any(feature = "ase_db", feature = "aselmdb"))]
pub(crate) mod row;
#[cfg(any(feature = "ase_db", feature = "aselmdb"))]
mod survey;
#[cfg(any(feature = "hdf5", feature = "npz"))]
pub(crate) mod units;
mod value;

pub(crate) use crate::common::format_error::quoted;
pub(crate) use cell::push_cell;
pub(crate) use fields::SeenFields;
pub(crate) use files::files_in;
pub(crate) use float::float;
#[cfg(any(feature = "ase_db", feature = "aselmdb", feature = "hdf5", feature = "npz"))]
pub(crate) use names::level_of;
#[cfg(any(feature = "ase_db", feature = "aselmdb", feature = "hdf5"))]
pub(crate) use names::unit_of;
pub(crate) use names::{Known, known};
pub(crate) use place::Place;
#[cfg(any(feature = "ase_db", feature = "aselmdb", feature = "hdf5", feature = "npz"))]
pub(crate) use push_atoms::push_atoms;
#[cfg(any(feature = "ase_db", feature = "aselmdb"))]
pub(crate) use survey::Survey;
pub(crate) use value::{Numbers, Value};
