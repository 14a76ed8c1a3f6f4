//! [`SeenFields`]: the fields that the structures of a data set have had so far.

use super::{Known, Numbers, Place, Value, known, names, tensor};
use crate::{FormatError, Record, Values};
use graphpack_loader::Level;
use std::collections::{HashMap, HashSet};

/// How many messages about what was passed over are kept.
const MESSAGES: usize = 200;

/// The most fields of a structure: stores have fewer, and names are looked for one by one.
const FIELDS: usize = 1000;

/// The fields that the structures of a data set have had so far, and what was passed over.
#[derive(Default)]
pub(crate) struct SeenFields {
    widths: HashMap<String, (Level, usize)>,
    skipped: Vec<String>,
    names: HashSet<String>,
    /// Names of numbers per pair of atoms.
    #[cfg(any(feature = "hdf5", feature = "npz"))]
    pairs: HashSet<String>,
}

impl SeenFields {
    /// What was passed over, each name once.
    pub(crate) fn skipped(&self) -> &[String] {
        &self.skipped
    }

    /// Passes a name over, saying why when it is the first time.
    pub(crate) fn skip(&mut self, place: Place<'_>, name: &str, why: &str) {
        if self.names.len() < MESSAGES && !self.names.contains(name) {
            self.names.insert(name.into());
            self.skipped.push(format!("{name} is passed over: {why} ({}, {place})", place.path.display()));
        }
    }

    /// Says something of a name, the first time.
    #[cfg(any(feature = "hdf5", feature = "npz"))]
    pub(crate) fn note(&mut self, name: &str, text: impl FnOnce() -> String) {
        if self.names.len() < MESSAGES && !self.names.contains(name) {
            self.names.insert(name.into());
            self.skipped.push(format!("{name}: {}", text()));
        }
    }

    /// What an array of this shape belongs to in a structure of `atoms` atoms: what is known of the name comes first,
    /// then what it belonged to in the structures before; else a first dimension as long as there are atoms is one of
    /// atoms. `None` if it has a number per pair of atoms.
    #[cfg(any(feature = "hdf5", feature = "npz"))]
    pub(crate) fn level(
        &mut self,
        place: Place<'_>,
        name: &str,
        shape: &[usize],
        atoms: usize,
    ) -> Result<Option<Level>, FormatError> {
        let last = name.rsplit('.').next().unwrap_or_default();
        let known = known(last).map(|known| known.level).or(self.widths.get(name).map(|(level, _)| *level));
        // Three by three may as well be a tensor.
        let of_pairs = shape.len() >= 2 && shape[..2] == [atoms, atoms] && (atoms != 3 || last.ends_with("indices"));
        if self.pairs.contains(name) || (known.is_none() && of_pairs) {
            self.note(name, || "left out, numbers per pair of atoms".into());
            self.pairs.insert(name.into());
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
    ) -> Result<(), FormatError> {
        match value {
            Value::Null => Ok(()),
            Value::Numbers(Numbers { values, .. }) => self.push(record, place, name, Level::Graph, values),
            other => {
                self.skip(place, name, other.kind());
                Ok(())
            }
        }
    }

    /// Adds a field. A label whose numbers are all NaN is missing. Errors if a number is not finite, or the level or
    /// the width is another than the name has or had before.
    pub(crate) fn push(
        &mut self,
        record: &mut Record,
        place: Place<'_>,
        name: &str,
        level: Level,
        mut values: Values,
    ) -> Result<(), FormatError> {
        if ["z", "pos", "cell", "pbc"].contains(&name) {
            self.skip(place, name, "the structure itself has this name");
            return Ok(());
        }
        if record.field(name).is_some() {
            self.skip(place, name, "the structure has this name already");
            return Ok(());
        }
        if values.is_empty() {
            return Ok(());
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
        if let Some(Known { level: expected, widths }) = known(name)
            && (level, widths.is_empty() || widths.contains(&width)) != (expected, true)
        {
            let per = if expected == Level::NODE { "atom" } else { "structure" };
            let widths = widths.iter().map(|width| format!("{width} ")).collect::<Vec<_>>().join("or ");
            let found = format!("{width} per {}", if level == Level::NODE { "atom" } else { "structure" });
            return Err(place.wrong(name, format!("{widths}numbers per {per}"), found));
        }
        if names::is_float(name) {
            values = match values {
                Values::I64(values) => Values::F64(values.into_iter().map(|value| value as f64).collect()),
                Values::Bool(_) => return Err(place.wrong(name, "numbers", "true or false")),
                floats @ Values::F64(_) => floats,
            };
        }
        if let Values::F64(values) = &mut values {
            if values.iter().all(|value| value.is_nan()) {
                return Ok(());
            }
            if let Some(value) = values.iter().find(|value| !value.is_finite()) {
                return Err(place.wrong(name, "finite numbers", value.to_string()));
            }
            if let ("stress" | "virial" | "virials", Ok(voigt)) = (name, <[f64; 6]>::try_from(&values[..])) {
                *values = tensor(voigt).to_vec();
            }
        }
        let width = values.len() / rows;
        match self.widths.get(name) {
            None => {
                self.widths.insert(name.into(), (level, width));
            }
            Some(&before) if before != (level, width) => {
                let per = |level| if level == Level::NODE { "per atom" } else { "per structure" };
                let expected = format!("{} numbers {} as in the structures before", before.1, per(before.0));
                return Err(place.wrong(name, expected, format!("{width} {}", per(level))));
            }
            Some(_) => {}
        }
        record.push(name.to_owned(), level, width, values);
        Ok(())
    }
}
