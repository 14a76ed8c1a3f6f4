//! [`SeenFields`]: the fields that the structures of a data set have had so far.

use super::labels::Labels;
use super::names::is_float;
use super::{Known, Numbers, Place, Value, known, level_of, quoted};
use crate::common::{Record, Values, says_none};
use crate::gather::Fields;
use graphpack_loader::{Error, Level};
use std::collections::{HashMap, HashSet};

/// How many messages about what was passed over are kept.
const MESSAGES: usize = 200;

/// The most fields of a structure: stores have fewer, and names are looked for one by one.
const FIELDS: usize = 1000;

/// The fields that the structures of a data set have had so far, and what was passed over.
#[derive(Default)]
pub(crate) struct SeenFields {
    widths: HashMap<String, (Level, usize)>,
    /// Which part of a structure each name is from, where there are several.
    parts: HashMap<String, &'static str>,
    /// The unit of each name, if a file says one.
    units: HashMap<String, Option<String>>,
    /// The texts of names that somebody asks for as labels.
    labels: HashMap<String, Labels>,
    /// What somebody selected and renamed.
    asked: Fields,
    skipped: Vec<String>,
    names: HashSet<String>,
    /// Names of numbers per pair of atoms.
    pairs: HashSet<String>,
    /// What was learnt of names since the last record that could be read.
    fresh: Vec<(Learnt, String)>,
}

/// What was learnt of a name.
#[derive(Clone, Copy)]
enum Learnt {
    Width,
    Part,
    Unit,
    Pairs,
    Label,
}

impl SeenFields {
    /// What was passed over, each name once.
    pub(crate) fn skipped(&self) -> &[String] {
        &self.skipped
    }

    /// Ends a record: one that cannot be read decides nothing for those after it.
    pub(crate) fn end<T>(&mut self, read: Result<T, Error>) -> Result<T, Error> {
        for (learnt, name) in self.fresh.drain(..).filter(|_| read.is_err()) {
            match learnt {
                Learnt::Width => drop(self.widths.remove(&name)),
                Learnt::Part => drop(self.parts.remove(&name)),
                Learnt::Unit => drop(self.units.remove(&name)),
                Learnt::Pairs => drop(self.pairs.remove(&name)),
                Learnt::Label => self.labels.entry(name).or_default().forget(),
            }
        }
        read
    }

    /// The part of a structure that a name's numbers are from: the first in which there were some.
    pub(crate) fn part(&mut self, name: &str, found: &'static str) -> &'static str {
        match self.parts.get(name) {
            Some(part) => part,
            None => {
                self.fresh.push((Learnt::Part, name.into()));
                self.parts.entry(name.into()).or_insert(found)
            }
        }
    }

    /// Whether a name's numbers are from this part.
    pub(crate) fn are_from(&self, name: &str, part: &str) -> bool {
        self.parts.get(name).is_some_and(|found| *found == part)
    }

    /// Sees the unit of a name, if there is one. Errors with the one that it had before if that is another.
    pub(crate) fn unit(&mut self, name: &str, unit: Option<&str>) -> Result<(), String> {
        match self.units.get(name) {
            Some(before) if before.as_deref() != unit => Err(before.clone().unwrap_or_else(|| "none".into())),
            Some(_) => Ok(()),
            None => {
                self.fresh.push((Learnt::Unit, name.into()));
                self.units.insert(name.into(), unit.map(str::to_owned));
                Ok(())
            }
        }
    }

    /// The unit that a name has.
    pub(crate) fn unit_of(&self, name: &str) -> Option<&str> {
        self.units.get(name).and_then(Option::as_deref)
    }

    /// The texts of a name that are codes so far.
    pub(crate) fn labels(&self, name: &str) -> &[String] {
        self.labels.get(name).map_or(&[], |labels| &labels.texts)
    }

    fn is_label(&self, name: &str) -> bool {
        self.asked.labels.iter().any(|label| label == name)
    }

    /// Of a data set from which somebody selects or renames fields.
    pub(crate) fn of(fields: &Fields) -> Self {
        Self { asked: fields.clone(), ..Self::default() }
    }

    /// Whether somebody renames a name.
    pub(crate) fn is_renamed(&self, name: &str) -> bool {
        self.asked.said(name) != name
    }

    /// Takes a name of records for one that somebody renames.
    pub(crate) fn also_said(&mut self, name: &str, becomes: &str) {
        self.asked.rename.push((name.into(), becomes.into()));
    }

    /// Makes it an error if one of these names is passed over where a structure has it.
    pub(crate) fn select(&mut self, names: &[String]) {
        self.asked.select = Some(names.to_vec());
    }

    /// The known name that somebody says a name is by renaming it; otherwise the name.
    fn said<'a>(&'a self, name: &'a str) -> &'a str {
        let said = self.asked.said(name);
        if said != name && known(said).is_some() { said } else { name }
    }

    /// Errors if somebody selected a name that is to be passed over.
    pub(crate) fn refuse(&self, place: Place<'_>, name: &str, why: &str) -> Result<(), Error> {
        if self.is_label(name) {
            return Err(place.wrong(name, "one text of the structure, since labels name it", why));
        }
        match self.asked.named().any(|named| named == name) {
            true => Err(place.wrong(name, "numbers, since the field is selected", why)),
            false => Ok(()),
        }
    }

    /// Passes a name over, saying why when it is the first time.
    pub(crate) fn skip(&mut self, place: Place<'_>, name: &str, why: &str) {
        self.skip_as(place, name, || why.into());
    }

    /// Passes a name over; `why` is called only when it is the first time, as it takes a while.
    pub(crate) fn skip_as(&mut self, place: Place<'_>, name: &str, why: impl FnOnce() -> String) {
        let line = || format!("{name} is passed over: {} ({}, {place})", why(), place.path.display());
        self.list(name, line);
    }

    /// Adds a line, the first time that it is about this name.
    fn list(&mut self, name: &str, line: impl FnOnce() -> String) {
        if self.names.len() <= MESSAGES && !self.names.contains(name) {
            self.names.insert(name.into());
            self.skipped.push(if self.names.len() <= MESSAGES { line() } else { "and more names".into() });
        }
    }

    /// Passes a text over where numbers may stand, unless somebody asks for labels: one that says that there is none is
    /// a label that the structure lacks. Errors if the name is that of numbers.
    pub(crate) fn skip_text(
        &mut self,
        record: &mut Record,
        place: Place<'_>,
        name: &str,
        text: &str,
    ) -> Result<(), Error> {
        if says_none(text.trim()) {
            record.missing.push(name.to_owned().into());
            return Ok(());
        }
        if self.is_label(name) {
            return self.push_label(record, place, name, text);
        }
        if known(self.said(name)).is_some() {
            return Err(place.wrong(name, "numbers", quoted(text.as_bytes())));
        }
        self.refuse(place, name, &quoted(text.as_bytes()))?;
        self.skip_as(place, name, || {
            format!("text, {} (named in labels, text becomes codes)", quoted(text.as_bytes()))
        });
        Ok(())
    }

    /// Adds the code of a text.
    fn push_label(&mut self, record: &mut Record, place: Place<'_>, name: &str, text: &str) -> Result<(), Error> {
        if record.field(name).is_some() {
            self.skip(place, name, "the structure has this name already");
            return Ok(());
        }
        let Some((code, is_new)) = self.labels.entry(name.into()).or_default().code(text) else {
            let expected = "at most 65536 different texts, which name kinds of structures";
            return Err(place.wrong(name, expected, format!("another, {}", quoted(text.as_bytes()))));
        };
        if is_new {
            self.fresh.push((Learnt::Label, name.into()));
        }
        record.push(name.to_owned(), Level::Graph, 1, Values::I64(vec![code]));
        Ok(())
    }

    /// Says something of a name, the first time.
    pub(crate) fn note(&mut self, name: &str, text: impl FnOnce() -> String) {
        self.list(name, || format!("{name}: {}", text()));
    }

    /// What the name of an array of this shape says that it belongs to: by what is known of it, or since it is renamed
    /// to `node_NAME` or `graph_NAME`.
    pub(crate) fn said_level(&self, name: &str, shape: &[usize], atoms: usize) -> Option<Level> {
        let becomes = self.asked.said(name);
        match becomes.split_once('_').filter(|_| becomes != name) {
            Some(("node", _)) => Some(Level::NODE),
            Some(("graph", _)) => Some(Level::Graph),
            _ => level_of(self.said(name).rsplit('.').next().unwrap_or_default(), shape, atoms),
        }
    }

    /// What an array of this shape belongs to in a structure of `atoms` atoms: what is known of the name comes first,
    /// then what it belonged to in the structures before; else a first dimension as long as there are atoms is one of
    /// atoms. `None` if it has a number per pair of atoms.
    pub(crate) fn level(
        &mut self,
        place: Place<'_>,
        name: &str,
        shape: &[usize],
        atoms: usize,
    ) -> Result<Option<Level>, Error> {
        let last = self.said(name).rsplit('.').next().unwrap_or_default();
        let fixed = known(last).filter(|known| !known.widths.is_empty()).map(|known| known.level);
        let before = || self.widths.get(name).map(|(level, _)| *level);
        let known = fixed.or_else(before).or_else(|| self.said_level(name, shape, atoms));
        // Three by three may as well be a tensor.
        let of_pairs = shape.len() >= 2 && shape[..2] == [atoms, atoms] && (atoms != 3 || last.ends_with("indices"));
        if self.pairs.contains(name) || (known.is_none() && of_pairs) {
            self.refuse(place, name, "numbers per pair of atoms")?;
            self.note(name, || "left out, numbers per pair of atoms".into());
            if self.pairs.insert(name.into()) {
                self.fresh.push((Learnt::Pairs, name.into()));
            }
            return Ok(None);
        }
        let of_atoms = shape.first() == Some(&atoms);
        if known == Some(Level::NODE) && !of_atoms {
            return Err(place.wrong(name, format!("a row for each of {atoms} atoms"), format!("shape {shape:?}")));
        }
        if known.is_none() && of_atoms && shape == [3] {
            self.note(name, || "read as a number per atom of three, not as a vector of the structure".into());
        }
        Ok(Some(known.unwrap_or(if of_atoms { Level::NODE } else { Level::Graph })))
    }

    /// Adds what stands beside a name, if it is numbers of the structure.
    pub(crate) fn push_value(
        &mut self,
        record: &mut Record,
        place: Place<'_>,
        name: &str,
        value: Value,
    ) -> Result<(), Error> {
        match value {
            Value::Null => {
                record.missing.push(name.to_owned().into());
                Ok(())
            }
            Value::Numbers(Numbers { values, shape }) => {
                self.push(record, place, name, Level::Graph, Some(&shape), values)
            }
            Value::Text(text) => self.skip_text(record, place, name, &text),
            other => {
                self.refuse(place, name, other.kind())?;
                self.skip(place, name, other.kind());
                Ok(())
            }
        }
    }

    /// Adds a field, of an array of this `shape` if it is one, which has a row of each atom or is one row. A label whose
    /// numbers are all NaN is missing. Errors if a number is infinite, or the level or the width is another than the name
    /// has or had before.
    pub(crate) fn push(
        &mut self,
        record: &mut Record,
        place: Place<'_>,
        name: &str,
        level: Level,
        shape: Option<&[usize]>,
        mut values: Values,
    ) -> Result<(), Error> {
        if ["z", "pos", "cell", "pbc"].contains(&name) {
            self.skip(place, name, "the structure itself has this name");
            return Ok(());
        }
        if name == "edge_index" {
            self.refuse(place, name, "a name that batches have for edges")?;
            self.skip(place, name, "batches have this name for edges");
            return Ok(());
        }
        if record.field(name).is_some() {
            self.skip(place, name, "the structure has this name already");
            return Ok(());
        }
        if values.is_empty() {
            if level == Level::Graph {
                record.missing.push(name.to_owned().into());
            }
            return Ok(());
        }
        if self.is_label(name) {
            return match &values {
                // A surface is "111" where others are "211a".
                Values::I64(number) if number.len() == 1 => {
                    self.push_label(record, place, name, &number[0].to_string())
                }
                Values::F64(number) if level == Level::Graph && number.iter().all(|number| number.is_nan()) => {
                    record.missing.push(name.to_owned().into());
                    Ok(())
                }
                _ => self.refuse(place, name, "numbers"),
            };
        }
        if record.fields.len() >= FIELDS {
            self.skip(place, name, "the structure has 1000 fields already");
            return Ok(());
        }
        let rows = record.rows(level);
        let width = values.len().checked_div(rows).unwrap_or(0);
        if width * rows != values.len() {
            return Err(place.wrong(name, format!("numbers of {rows} atoms"), format!("{} numbers", values.len())));
        }
        let said = self.said(name);
        if let Some(Known { level: expected, widths }) = known(said)
            && !widths.is_empty()
            && (level, widths.contains(&width)) != (expected, true)
        {
            let per = if expected == Level::NODE { "atom" } else { "structure" };
            let widths = widths.iter().map(|width| format!("{width} ")).collect::<Vec<_>>().join("or ");
            let found = format!("{width} per {}", if level == Level::NODE { "atom" } else { "structure" });
            return Err(place.wrong(name, format!("{widths}numbers per {per}"), found));
        }
        if is_float(said) {
            values = match values {
                Values::I64(values) => Values::F64(values.into_iter().map(|value| value as f64).collect()),
                Values::Bool(_) => return Err(place.wrong(name, "numbers", "true or false")),
                floats @ Values::F64(_) => floats,
            };
        }
        if let Values::F64(values) = &values
            && values.iter().all(|value| value.is_nan())
        {
            record.missing.push(name.to_owned().into());
            return Ok(());
        }
        if let Some((at, value)) = values.infinite() {
            let at = match (level, width) {
                (Level::NODE, _) => format!(" at atom {}, column {}", at / width, at % width),
                (_, 1) => String::new(),
                _ => format!(" at column {at}"),
            };
            return Err(place.wrong(name, "finite numbers", format!("{value}{at}")));
        }
        if level == Level::Graph {
            values = values.of_graph(said);
        }
        let width = values.len() / rows;
        match self.widths.get(name) {
            None => {
                self.fresh.push((Learnt::Width, name.into()));
                self.widths.insert(name.into(), (level, width));
            }
            Some(&before) if before != (level, width) => {
                let per = |level| if level == Level::NODE { "per atom" } else { "per structure" };
                let expected = format!("{} numbers {} as in the structures before", before.1, per(before.0));
                return Err(place.wrong(name, expected, format!("{width} {}", per(level))));
            }
            Some(_) => {}
        }
        // Names of one number or of three by three say that, and so does one number of a structure, `[1]` or not.
        let is_known = known(self.said(name)).is_some_and(|known| known.widths.contains(&width) && width != 3);
        let is_said = is_known || (level, width) == (Level::Graph, 1);
        record.push(name.to_owned(), level, width, values);
        let row = shape.and_then(|shape| shape.get(usize::from(level == Level::NODE)..));
        if let Some(row) = row.filter(|_| !is_said) {
            record.shape_last(row);
        }
        Ok(())
    }
}

/// The parts of a row of ASE's databases that have names of their own.
pub(super) const SECTIONS: [&str; 2] = ["key_value_pairs", "data"];
