//! [`Mace`]: `config_batch_B/config_C`, a group per structure, as MACE's preprocessing writes them.

use super::member::{Hdf5File, Kind, Member, Node};
use crate::atoms::{Place, SeenFields, push_atoms, push_cell, unit_of};
use crate::common::{Record, Records, Values, unit_factor};
use graphpack_loader::{Error, Level};
use std::vec::IntoIter;

/// How the batches of a file are called, before their number.
pub(super) const BATCH: &str = "config_batch_";

/// A group per structure, in the order of their numbers.
pub(super) struct Mace {
    file: Hdf5File,
    batches: IntoIter<(u64, Node)>,
    configs: IntoIter<(u64, Node)>,
    fields: SeenFields,
    read: u64,
    total: u64,
    /// Whether it is known which group is next.
    is_at_end: bool,
}

impl Mace {
    pub(super) fn new(file: Hdf5File, root: &Node, mut fields: SeenFields) -> Result<Self, Error> {
        let batches = numbered(&file, root, BATCH, &mut fields)?;
        Ok(Self { file, batches, configs: Vec::new().into_iter(), fields, read: 0, total: 0, is_at_end: false })
    }
}

impl Records for Mace {
    fn next(&mut self, record: &mut Record) -> Result<bool, Error> {
        loop {
            self.is_at_end = self.configs.len() > 0;
            if let Some((_, config)) = self.configs.next() {
                self.read += 1;
                let read = self.structure(&config, record);
                self.fields.end(read)?;
                return Ok(true);
            }
            let Some((_, batch)) = self.batches.next() else { return Ok(false) };
            self.configs = numbered(&self.file, &batch, "config_", &mut self.fields)?;
            // Batches are of one size, but for the last.
            self.total = self.read + self.configs.len() as u64 * (1 + self.batches.len() as u64);
        }
    }

    fn select(&mut self, names: &[String]) {
        self.fields.select(names);
    }

    fn goes_on(&self) -> bool {
        self.is_at_end
    }

    fn progress(&self) -> (u64, Option<u64>) {
        (self.read, (self.total > 0).then_some(self.total))
    }

    /// MACE's unit, or the one that the file says.
    fn unit(&self, field: &str) -> Option<&str> {
        unit_of(field).or_else(|| self.fields.unit_of(field))
    }

    fn skipped(&self) -> &[String] {
        self.fields.skipped()
    }
}

impl Mace {
    fn structure(&mut self, config: &Node, record: &mut Record) -> Result<(), Error> {
        record.clear();
        let (file, path) = (&self.file, &config.path);
        let mut members = file.members(config, &mut self.fields)?;
        let mut take = |name: &str| {
            let at = members.iter().position(|member| member.name == name)?;
            Some(members.remove(at))
        };
        let missing = |name: &str| file.wrong(path, format!("a data set {name}"), "none");
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
        let place = Place { path: &file.path, unit: path, number: None };
        let pos = in_unit(file, &pos, "pos", &mut self.fields)?;
        push_atoms(record, place, numbers, pos.floats())?;
        let cell = periodic(file, cell, "cell", &mut self.fields)?;
        let pbc = periodic(file, pbc, "pbc", &mut self.fields)?.map(|along| along != 0.0);
        push_cell(record, place, &mut self.fields, cell, pbc)?;

        for member in members {
            self.label(path, &member, "", atoms, record)?;
        }
        for inner in self.file.groups(config, &mut self.fields)? {
            let suffix = match inner.name() {
                "properties" => "",
                "property_weights" => "_weight",
                name => {
                    self.fields.note(name, || "left out, a group that MACE does not have".into());
                    continue;
                }
            };
            for member in self.file.members(&inner, &mut self.fields)? {
                self.label(path, &member, suffix, atoms, record)?;
            }
        }
        record.name.push_str(path.trim_start_matches('/'));
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
    ) -> Result<(), Error> {
        if !member.is_numeric() {
            let place = Place { path: &self.file.path, unit: path, number: None };
            if member.kind != Kind::Text {
                self.fields.refuse(place, &member.name, member.kind.name())?;
                self.fields.note(&member.name, || "left out, not numeric".into());
                return Ok(());
            }
            // MACE writes Python's None as a text.
            return match &member.texts(&self.file)?[..] {
                [text] => self.fields.skip_text(record, place, &member.name, text),
                texts => self.fields.skip_text(record, place, &member.name, &texts.join(" ")),
            };
        }
        let name = format!("{}{suffix}", member.name);
        if record.field(&name).is_some() {
            return Err(self.file.wrong(&member.path, "each name once", format!("a second {name}")));
        }
        let place = Place { path: &self.file.path, unit: path, number: None };
        // A weight is one number of the structure, whatever it weighs.
        let level = match suffix {
            "" => self.fields.level(place, &name, &member.shape, atoms)?,
            _ => Some(Level::Graph),
        };
        if let Some(level) = level {
            let values = in_unit(&self.file, member, &name, &mut self.fields)?;
            self.fields.push(record, place, &name, level, Some(&member.shape), values)?;
        }
        Ok(())
    }
}

/// The cell or the periodic directions: zeros if there are none.
fn periodic<const N: usize>(
    file: &Hdf5File,
    member: Option<Member>,
    name: &str,
    fields: &mut SeenFields,
) -> Result<[f64; N], Error> {
    let Some(member) = member.filter(|member| member.kind != Kind::Text) else { return Ok([0.0; N]) };
    let wrong = || member.not(file, format!("{N} numbers"));
    if !member.is_numeric() || member.shape.iter().product::<usize>() != N {
        return Err(wrong());
    }
    in_unit(file, &member, name, fields)?.floats().try_into().map_err(|_| wrong())
}

/// The numbers of a data set in MACE's unit of this name, converted where an attribute says another; without one of
/// MACE's they stay as they are.
fn in_unit(file: &Hdf5File, member: &Member, name: &str, fields: &mut SeenFields) -> Result<Values, Error> {
    let (given, values) = (member.unit(file)?, member.all(file)?);
    let Some(usual) = unit_of(name) else {
        let differs = |before: String| {
            let expected = format!("numbers in the unit of the structures before ({before})");
            file.wrong(&member.path, expected, given.as_deref().unwrap_or("none"))
        };
        fields.unit(name, given.as_deref()).map_err(differs)?;
        return Ok(values);
    };
    let Some(given) = given.filter(|given| given != usual) else { return Ok(values) };
    match unit_factor(&given) {
        Some((factor, to)) if to == usual => {
            if factor != 1.0 {
                fields.note(&member.name, || format!("{given} to {usual}, times {factor}"));
            }
            Ok(Values::F64(values.floats()).times(factor))
        }
        _ => Err(file.wrong(&member.path, format!("a unit that leads to {usual}"), given)),
    }
}

/// The groups `prefixNUMBER` of a group, in the order of their numbers.
fn numbered(file: &Hdf5File, of: &Node, prefix: &str, fields: &mut SeenFields) -> Result<IntoIter<(u64, Node)>, Error> {
    let mut numbered = Vec::new();
    file.attributes(of, &[], fields)?;
    for group in file.groups(of, fields)? {
        match group.name().strip_prefix(prefix).and_then(|number| number.parse().ok()) {
            Some(number) => numbered.push((number, group)),
            None => {
                let found = format!("a group {}", group.name());
                return Err(file.wrong(&of.path, format!("groups {prefix}NUMBER"), found));
            }
        }
    }
    numbered.sort_by_key(|&(number, _)| number);
    Ok(numbered.into_iter())
}
