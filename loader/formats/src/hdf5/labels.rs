//! [`Labels`]: what data sets by name belong to, which must be the same in all groups of a file.

use super::member::{Member, Place};
use crate::FormatError;
use crate::common::structure;
use graphpack_loader::Level;
use std::collections::HashMap;

/// What data sets by name belong to, and what is said of them at the end.
#[derive(Default)]
pub(super) struct Labels {
    seen: HashMap<String, Option<(Level, usize)>>,
    noted: HashMap<String, ()>,
    pub(super) notes: Vec<String>,
}

impl Labels {
    /// Adds a note about a data set, the first time.
    pub(super) fn note(&mut self, name: &str, text: impl FnOnce() -> String) {
        if !self.noted.contains_key(name) {
            self.noted.insert(name.to_owned(), ());
            self.notes.push(format!("{name}: {}", text()));
        }
    }

    /// What a data set belongs to that has `shape` for one graph of `atoms` atoms, and its numbers per row; `None` if
    /// it is left out, since it has a number per pair of atoms.
    ///
    /// What a name belonged to in the groups before comes first: a quantity of three numbers per graph is one in a
    /// graph of three atoms, too.
    pub(super) fn level(
        &mut self,
        place: &Place,
        member: &Member,
        shape: &[usize],
        atoms: usize,
    ) -> Result<Option<(Level, usize)>, FormatError> {
        let of_nodes = || (shape.first() == Some(&atoms)).then(|| (Level::NODE, shape[1..].iter().product()));
        let of_graph = (Level::Graph, shape.iter().product());
        if let Some(seen) = self.seen.get(&member.name) {
            return match *seen {
                Some(found) if of_nodes() == Some(found) || found == of_graph => Ok(Some(found)),
                None => Ok(None),
                Some((level, width)) => {
                    let of = if level == Level::Graph { "graph" } else { "atom" };
                    let expected = format!("{width} per {of}, as in the groups before (here are {atoms} atoms)");
                    Err(member.not(place, expected))
                }
            };
        }
        let last = member.name.rsplit('.').next().unwrap_or_default();
        let of_pairs = shape.len() >= 2 && shape[..2] == [atoms, atoms] && (atoms != 3 || last.ends_with("indices"));
        let found = if of_pairs {
            self.note(&member.name, || "left out, numbers per pair of atoms".into());
            None
        } else {
            Some(structure::belongs(&member.name, shape, atoms))
        };
        self.seen.insert(member.name.clone(), found);
        Ok(found)
    }
}
