//! [`Survey`]: which arrays of a database's rows have a row per atom.

use super::names::SECTIONS;
use super::{Numbers, Value, known};
use graphpack_loader::Level;
use std::collections::HashMap;

/// With this many atoms or fewer, an array of as many rows may as well be a vector or a tensor.
const FEW: usize = 9;

/// What arrays whose names say nothing looked like in some rows of a database.
#[derive(Default)]
pub(crate) struct Survey {
    names: HashMap<String, Seen>,
}

struct Seen {
    /// Whether there was always a row per atom.
    fits: bool,
    atoms: usize,
    /// Whether structures had different numbers of atoms.
    differs: bool,
}

impl Survey {
    /// Looks at a row.
    pub(crate) fn see(&mut self, row: &Value) {
        let entries = row.entries();
        let numbers = entries.iter().find(|(name, _)| name == "numbers");
        let Some((_, Value::Numbers(numbers))) = numbers else { return };
        let atoms = numbers.len();
        let sections = entries.iter().filter(|(name, _)| SECTIONS.contains(&&**name));
        for (name, value) in sections.flat_map(|(_, section)| section.entries()).chain(entries) {
            let Value::Numbers(Numbers { shape, .. }) = value else { continue };
            let (Some(&rows), None) = (shape.first(), known(name)) else { continue };
            let new = Seen { fits: true, atoms, differs: false };
            let seen = self.names.entry(name.clone()).or_insert(new);
            seen.fits &= rows == atoms;
            seen.differs |= seen.atoms != atoms;
        }
    }

    /// The level of an array of this shape in a structure: `None` if its rows may or may not be atoms.
    pub(crate) fn level(&self, name: &str, shape: &[usize], atoms: usize) -> Option<Level> {
        match (shape.first(), self.names.get(name)) {
            (None, _) => Some(Level::Graph),
            (_, Some(seen)) if seen.fits => (seen.differs || seen.atoms > FEW).then_some(Level::NODE),
            (_, Some(_)) => Some(Level::Graph),
            (Some(&rows), None) => (rows != atoms).then_some(Level::Graph),
        }
    }
}
