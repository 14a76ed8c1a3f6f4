//! [`Fields`]: which fields of records become fields of a store, and how.

use crate::FormatError;
use graphpack_loader::Level;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;

/// Which fields of records become fields of a store, and how: all, with floating point numbers of 64 bits in energies of
/// graphs and of 32 bits elsewhere, unless it is said otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fields {
    /// Only these, by their names in the file, and those that every structure needs: `z`, `pos`, `cell` and `pbc`.
    pub select: Option<Vec<String>>,
    /// Names in the file, and in the store.
    pub rename: Vec<(String, String)>,
    /// Whether floating point numbers have 64 bits, or 32. By default the energies of graphs have 64, which are the fields
    /// whose names in the file or the store contain `energy`: those of large structures differ in digits that 32 bits do not have.
    pub double: Option<bool>,
}

impl Fields {
    /// Fields that are taken whatever is selected.
    const ALWAYS: [&str; 4] = ["z", "pos", "cell", "pbc"];

    /// The name in the store of a field of the file; `None` if it is not taken. A field `has_NAME` goes with `NAME`, under
    /// the name that this has.
    pub fn name<'a>(&'a self, field: &'a str) -> Option<Cow<'a, str>> {
        let of = field.strip_prefix("has_").unwrap_or(field);
        let listed = |select: &Vec<String>| select.iter().any(|name| name == field || name == of);
        if !Self::ALWAYS.contains(&of) && !self.select.as_ref().is_none_or(listed) {
            return None;
        }
        let renamed = |name: &str| self.rename.iter().find(|(from, _)| from == name).map(|(_, to)| to.as_str());
        Some(match (renamed(field), renamed(of)) {
            (Some(name), _) => name.into(),
            (None, Some(name)) => format!("has_{name}").into(),
            (None, None) => field.into(),
        })
    }

    /// The names that somebody gave: those that are selected or renamed.
    pub(crate) fn named(&self) -> impl Iterator<Item = &String> {
        self.select.iter().flatten().chain(self.rename.iter().map(|(from, _)| from))
    }

    /// Whether floating point numbers of a field, by its name in the file, have 64 bits.
    pub fn is_double(&self, name: &str, level: Level) -> bool {
        let says_energy = |name: &str| name.to_ascii_lowercase().contains("energy");
        let is_energy = || says_energy(name) || self.name(name).is_some_and(|name| says_energy(&name));
        self.double.unwrap_or_else(|| level == Level::Graph && is_energy())
    }

    /// Errors unless all names that are selected or renamed are among those that files were `seen` to have.
    pub fn check(&self, path: &Path, seen: &BTreeSet<String>) -> Result<(), FormatError> {
        let Some(missing) = self.named().find(|name| !seen.contains(*name)) else { return Ok(()) };
        let seen = seen.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
        Err(FormatError::wrong(path, "", format!("a field {missing:?}"), format!("the fields {seen}")))
    }
}
