//! [`Mace`]: `config_batch_B/config_C`, a group per structure, as MACE's preprocessing writes them.

use super::labels::Labels;
use super::member::{Kind, Member, Place};
use crate::common::structure::{floats, push_atoms, push_label};
use crate::{FormatError, Record, Values};
use graphpack_loader::Level;
use hdf5_pure::Group;
use std::vec::IntoIter;

/// How the batches of a file are called, before their number.
pub(super) const BATCH: &str = "config_batch_";

/// A group per structure, in the order of their numbers.
pub(super) struct Mace {
    place: Place,
    batches: IntoIter<(u64, String, Group)>,
    batch: String,
    configs: IntoIter<(u64, String, Group)>,
    labels: Labels,
    read: u64,
    total: u64,
}

impl Mace {
    pub(super) fn new(place: Place, root: &Group) -> Result<Self, FormatError> {
        let batches = numbered(&place, "", root, BATCH)?;
        let labels = Labels::default();
        Ok(Self { place, batches, batch: String::new(), configs: Vec::new().into_iter(), labels, read: 0, total: 0 })
    }

    pub(super) fn next(&mut self, record: &mut Record) -> Result<bool, FormatError> {
        loop {
            if let Some((_, name, group)) = self.configs.next() {
                let path = format!("{}/{name}", self.batch);
                self.read += 1;
                self.structure(path, &group, record)?;
                return Ok(true);
            }
            let Some((_, name, group)) = self.batches.next() else { return Ok(false) };
            self.batch = format!("/{name}");
            self.configs = numbered(&self.place, &self.batch, &group, "config_")?;
            // Batches are of one size, but for the last.
            self.total = self.read + self.configs.len() as u64 * (1 + self.batches.len() as u64);
        }
    }

    pub(super) fn progress(&self) -> (u64, Option<u64>) {
        (self.read, (self.total > 0).then_some(self.total))
    }

    pub(super) fn notes(&self) -> &[String] {
        &self.labels.notes
    }

    fn structure(&mut self, path: String, group: &Group, record: &mut Record) -> Result<(), FormatError> {
        record.clear();
        let place = &self.place;
        let mut members = place.members(&path, group)?;
        let mut take = |name: &str| {
            let at = members.iter().position(|member| member.name == name)?;
            Some(members.remove(at))
        };
        let missing = |name: &str| place.wrong(&path, format!("a data set {name}"), "none");
        let z = take("atomic_numbers").ok_or_else(|| missing("atomic_numbers"))?;
        let pos = take("positions").ok_or_else(|| missing("positions"))?;
        let (cell, pbc) = (take("cell"), take("pbc"));
        let atoms = match (&z.shape[..], z.kind) {
            ([atoms] | [atoms, 1], Kind::Integer | Kind::Unsigned) => *atoms,
            _ => return Err(z.not(place, "an integer per atom")),
        };
        if pos.shape != [atoms, 3] || pos.kind != Kind::Float {
            return Err(pos.not(place, format!("floating point numbers of shape [{atoms}, 3]")));
        }
        let Values::I64(numbers) = z.all(place)? else { return Err(z.not(place, "integers")) };
        push_atoms(record, numbers, floats(pos.all(place)?))
            .map_err(|(expected, found)| place.wrong(&path, expected, found))?;
        record.push("cell", Level::Graph, 9, Values::F64(periodic(place, cell, 9)?));
        let pbc = periodic(place, pbc, 3)?.into_iter().map(|along| along != 0.0).collect();
        record.push("pbc", Level::Graph, 3, Values::Bool(pbc));

        for member in members {
            self.label(&member, "", atoms, record)?;
        }
        for (name, inner) in self.place.groups(&path, group)? {
            let suffix = match name.as_str() {
                "properties" => "",
                "property_weights" => "_weight",
                _ => {
                    self.labels.note(&name, || "left out, a group that MACE does not have".into());
                    continue;
                }
            };
            for member in self.place.members(&format!("{path}/{name}"), &inner)? {
                self.label(&member, suffix, atoms, record)?;
            }
        }
        record.name = path;
        record.name.remove(0);
        Ok(())
    }

    /// Adds a label by its name and `suffix`.
    fn label(&mut self, member: &Member, suffix: &str, atoms: usize, record: &mut Record) -> Result<(), FormatError> {
        if !member.is_numeric() {
            // MACE writes Python's None as a text.
            if member.kind != Kind::Text || member.texts(&self.place)? != ["None"] {
                self.labels.note(&member.name, || "left out, not numeric".into());
            }
            return Ok(());
        }
        let name = format!("{}{suffix}", member.name);
        if record.field(&name).is_some() {
            return Err(self.place.wrong(&member.path, "each name once", format!("a second {name}")));
        }
        if let Some((level, width)) = self.labels.level(&self.place, member, &member.shape, atoms)? {
            push_label(record, &name, level, width, member.all(&self.place)?);
        }
        Ok(())
    }
}

/// The cell or the periodic directions: zeros if there are none.
fn periodic(place: &Place, member: Option<Member>, numbers: usize) -> Result<Vec<f64>, FormatError> {
    let Some(member) = member.filter(|member| member.kind != Kind::Text) else { return Ok(vec![0.0; numbers]) };
    if !member.is_numeric() || member.shape.iter().product::<usize>() != numbers {
        return Err(member.not(place, format!("{numbers} numbers")));
    }
    Ok(floats(member.all(place)?))
}

/// The groups `prefixNUMBER` of a group, in the order of their numbers.
fn numbered(
    place: &Place,
    path: &str,
    group: &Group,
    prefix: &str,
) -> Result<IntoIter<(u64, String, Group)>, FormatError> {
    let groups = place.groups(path, group)?;
    let mut numbered = groups
        .map(|(name, group)| match name.strip_prefix(prefix).and_then(|number| number.parse().ok()) {
            Some(number) => Ok((number, name, group)),
            None => Err(place.wrong(path, format!("groups {prefix}NUMBER"), format!("a group {name}"))),
        })
        .collect::<Result<Vec<_>, _>>()?;
    numbered.sort_by_key(|&(number, ..)| number);
    Ok(numbered.into_iter())
}
