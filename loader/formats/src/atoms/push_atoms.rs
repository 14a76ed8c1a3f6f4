//! [`push_atoms`]: elements and positions.

use super::Place;
use crate::{FormatError, Record, Values};
use graphpack_loader::Level;

/// Adds `z`, which must be atomic numbers, and `pos`, which must be three finite numbers for each.
pub(crate) fn push_atoms(record: &mut Record, place: Place<'_>, z: Vec<i64>, pos: Vec<f64>) -> Result<(), FormatError> {
    if let Some(atom) = z.iter().position(|z| !(1..=118).contains(z)) {
        return Err(place.wrong("numbers", "atomic numbers from 1 to 118", format!("{} at atom {atom}", z[atom])));
    }
    if let Some(at) = pos.iter().position(|x| !x.is_finite()) {
        return Err(place.wrong("positions", "finite numbers", format!("{} at atom {}", pos[at], at / 3)));
    }
    record.nodes = z.len();
    record.push("z", Level::NODE, 1, Values::I64(z));
    record.push("pos", Level::NODE, 3, Values::F64(pos));
    Ok(())
}
