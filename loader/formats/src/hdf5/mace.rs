//! [`Mace`]: `config_batch_B/config_C`, a group per push_atoms, as MACE's preprocessing writes them.

use super::member::{Hdf5File, Kind, Member};
use crate::atoms::{Place, SeenFields, push_atoms, push_cell};
use crate::{FormatError, Record, Values};
use graphpack_loader::Level;
use hdf5_pure::Group;
use std::vec::IntoIter;

/// How the batches of a file are called, before their number.
pub(super) const BATCH: &str = "config_batch_";

/// A group per push_atoms, in the order of their numbers.
pub(super) struct Mace {
    file: Hdf5File,
    batches: IntoIter<(u64, String, Group)>,
    batch: String,
    configs: IntoIter<(u64, String, Group)>,
    fields: SeenFields,
    read: u64,
    total: u64,
    /// Whether it is known which group is next.
    is_at_end: bool,
}

impl Mace {
    pub(super) fn new(file: Hdf5File, root: &Group) -> Result<Self, FormatError> {
        let batches = numbered(&file, "", root, BATCH)?;
        let fields = SeenFields::default();
        let (batch, configs, is_at_end) = (String::new(), Vec::new().into_iter(), false);
        Ok(Self { file, batches, batch, configs, fields, read: 0, total: 0, is_at_end })
    }

    pub(super) fn next(&mut self, record: &mut Record) -> Result<bool, FormatError> {
        loop {
            self.is_at_end = self.configs.len() > 0;
            if let Some((_, name, group)) = self.configs.next() {
                let path = format!("{}/{name}", self.batch);
                self.read += 1;
                self.structure(path, &group, record)?;
                return Ok(true);
            }
            let Some((_, name, group)) = self.batches.next() else { return Ok(false) };
            self.batch = format!("/{name}");
            self.configs = numbered(&self.file, &self.batch, &group, "config_")?;
            // Batches are of one size, but for the last.
            self.total = self.read + self.configs.len() as u64 * (1 + self.batches.len() as u64);
        }
    }

    pub(super) fn select(&mut self, names: &[String]) {
        self.fields.select(names);
    }

    pub(super) fn goes_on(&self) -> bool {
        self.is_at_end
    }

    pub(super) fn progress(&self) -> (u64, Option<u64>) {
        (self.read, (self.total > 0).then_some(self.total))
    }

    pub(super) fn notes(&self) -> &[String] {
        self.fields.skipped()
    }

    fn structure(&mut self, path: String, group: &Group, record: &mut Record) -> Result<(), FormatError> {
        record.clear();
        let file = &self.file;
        let mut members = file.members(&path, group)?;
        let mut take = |name: &str| {
            let at = members.iter().position(|member| member.name == name)?;
            Some(members.remove(at))
        };
        let missing = |name: &str| file.wrong(&path, format!("a data set {name}"), "none");
        let z = take("atomic_numbers").ok_or_else(|| missing("atomic_numbers"))?;
        let pos = take("positions").ok_or_else(|| missing("positions"))?;
        let (cell, pbc) = (take("cell"), take("pbc"));
        let atoms = match (&z.shape[..], z.kind) {
            ([atoms] | [atoms, 1], Kind::Integer | Kind::Unsigned) => *atoms,
            _ => return Err(z.not(file, "an integer per atom")),
        };
        if pos.shape != [atoms, 3] || pos.kind != Kind::Float {
            return Err(pos.not(file, format!("floating point numbers of shape [{atoms}, 3]")));
        }
        let Values::I64(numbers) = z.all(file)? else { return Err(z.not(file, "integers")) };
        let place = Place { path: &file.path, unit: &path, number: None };
        push_atoms(record, place, numbers, pos.all(file)?.floats())?;
        push_cell(
            record,
            place,
            &mut self.fields,
            periodic(file, cell)?,
            periodic(file, pbc)?.map(|along| along != 0.0),
        )?;

        for member in members {
            self.label(&path, &member, "", atoms, record)?;
        }
        for (name, inner) in self.file.groups(&path, group)? {
            let suffix = match name.as_str() {
                "properties" => "",
                "property_weights" => "_weight",
                _ => {
                    self.fields.note(&name, || "left out, a group that MACE does not have".into());
                    continue;
                }
            };
            for member in self.file.members(&format!("{path}/{name}"), &inner)? {
                self.label(&path, &member, suffix, atoms, record)?;
            }
        }
        record.name = path;
        record.name.remove(0);
        Ok(())
    }

    /// Adds a label by its name and `suffix`.
    fn label(
        &mut self,
        path: &str,
        member: &Member,
        suffix: &str,
        atoms: usize,
        record: &mut Record,
    ) -> Result<(), FormatError> {
        if !member.is_numeric() {
            let place = Place { path: &self.file.path, unit: path, number: None };
            if member.kind != Kind::Text {
                self.fields.refuse(place, &member.name, member.kind.name())?;
                self.fields.note(&member.name, || "left out, not numeric".into());
                return Ok(());
            }
            // MACE writes Python's None as a text.
            return match &member.texts(&self.file)?[..] {
                [text] => self.fields.skip_text(place, &member.name, text),
                texts => self.fields.skip_text(place, &member.name, &texts.join(" ")),
            };
        }
        let name = format!("{}{suffix}", member.name);
        if record.field(&name).is_some() {
            return Err(self.file.wrong(&member.path, "each name once", format!("a second {name}")));
        }
        let place = Place { path: &self.file.path, unit: path, number: None };
        // A weight is one number of the push_atoms, whatever it weighs.
        let level = match suffix {
            "" => self.fields.level(place, &name, &member.shape, atoms)?,
            _ => Some(Level::Graph),
        };
        if let Some(level) = level {
            self.fields.push(record, place, &name, level, member.all(&self.file)?)?;
        }
        Ok(())
    }
}

/// The cell or the periodic directions: zeros if there are none.
fn periodic<const N: usize>(file: &Hdf5File, member: Option<Member>) -> Result<[f64; N], FormatError> {
    let Some(member) = member.filter(|member| member.kind != Kind::Text) else { return Ok([0.0; N]) };
    let wrong = || member.not(file, format!("{N} numbers"));
    if !member.is_numeric() || member.shape.iter().product::<usize>() != N {
        return Err(wrong());
    }
    member.all(file)?.floats().try_into().map_err(|_| wrong())
}

/// The groups `prefixNUMBER` of a group, in the order of their numbers.
fn numbered(
    file: &Hdf5File,
    path: &str,
    group: &Group,
    prefix: &str,
) -> Result<IntoIter<(u64, String, Group)>, FormatError> {
    let groups = file.groups(path, group)?;
    let mut numbered = groups
        .into_iter()
        .map(|(name, group)| match name.strip_prefix(prefix).and_then(|number| number.parse().ok()) {
            Some(number) => Ok((number, name, group)),
            None => Err(file.wrong(path, format!("groups {prefix}NUMBER"), format!("a group {name}"))),
        })
        .collect::<Result<Vec<_>, _>>()?;
    numbered.sort_by_key(|&(number, ..)| number);
    Ok(numbered.into_iter())
}
