//! [`Rows`]: the rows of ASE's databases, of either kind of [`Database`]; [`fill`]: a row becomes a record; [`Survey`]:
//! which of the arrays of rows have a row per atom.

use super::fields::SECTIONS;
use super::{Metadata, Numbers, Place, SeenFields, Value, files_in, known, push_atoms, push_cell, unit_of};
use crate::FormatError;
use crate::common::{Record, Records, Values};
use crate::gather::Fields;
use graphpack_loader::{Error, Level};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::vec::IntoIter;

/// The number of a row, and the row or what is wrong with it.
pub(crate) type Numbered = (u64, Result<Value, Error>);

/// One of ASE's databases: a file of rows.
pub(crate) trait Database: Send + Sized {
    /// Opens a file; what is passed over as a whole is said to `fields`.
    fn open(path: &Path, fields: &mut SeenFields) -> Result<Self, Error>;

    /// What the file has beside its rows, if anything.
    fn metadata(&mut self) -> Result<Option<Value>, Error>;

    /// Looks at rows all over the file.
    fn survey(&mut self, survey: &mut Survey) -> Result<(), Error>;

    /// The next row.
    fn next(&mut self) -> Result<Option<Numbered>, Error>;

    fn path(&self) -> &Path;

    /// Bytes of the file.
    fn bytes(&self) -> u64;

    /// The part of the rows that was read, from 0 to 1.
    fn share(&self) -> f64;
}

/// The structures of databases, one after the other.
pub(crate) struct Rows<D> {
    files: IntoIter<PathBuf>,
    database: Option<D>,
    /// Of this file.
    metadata: Metadata,
    fields: SeenFields,
    survey: Survey,
    /// Bytes of the files that were read to their ends, and of all.
    bytes: (u64, u64),
    /// Whether the row is known, so that another follows.
    is_at_row: bool,
}

impl<D: Database> Rows<D> {
    /// The rows of a file, or of all files of a folder whose names end so, in the order of their names.
    pub(crate) fn open(path: &Path, ending: &str, fields: &Fields) -> Result<Self, Error> {
        let (mut fields, survey) = (SeenFields::of(fields), Survey::default());
        let (files, bytes) = files_in(path, &[ending], &mut fields)?;
        let (files, metadata) = (files.into_iter(), Metadata::default());
        let mut rows = Self { files, database: None, metadata, fields, survey, bytes: (0, bytes), is_at_row: false };
        rows.open_next()?;
        if let Some(database) = &mut rows.database {
            database.survey(&mut rows.survey)?;
        }
        Ok(rows)
    }

    fn open_next(&mut self) -> Result<(), Error> {
        self.database = self.files.next().map(|path| D::open(&path, &mut self.fields)).transpose()?;
        if let Some(database) = &mut self.database {
            let metadata = database.metadata()?;
            let place = Place { path: database.path(), unit: "metadata", number: None };
            self.metadata = Metadata::read(metadata.as_ref(), place, &mut self.fields)?;
        }
        Ok(())
    }
}

impl<D: Database> Records for Rows<D> {
    fn next(&mut self, record: &mut Record) -> Result<bool, Error> {
        record.clear();
        self.is_at_row = false;
        while let Some(database) = &mut self.database {
            if let Some((number, row)) = database.next()? {
                self.is_at_row = true;
                let place = Place { path: database.path(), unit: "row", number: Some(number) };
                let about = About { survey: &self.survey, metadata: &self.metadata };
                fill(row?, place, &mut self.fields, about, record)?;
                return Ok(true);
            }
            self.bytes.0 += database.bytes();
            self.open_next()?;
        }
        Ok(false)
    }

    /// Bytes, in proportion to the rows of a file.
    fn progress(&self) -> (u64, Option<u64>) {
        let read = |database: &D| database.bytes() as f64 * database.share();
        (self.bytes.0 + self.database.as_ref().map_or(0.0, read) as u64, Some(self.bytes.1))
    }

    /// ASE defines the units of positions, cells and the calculator's results: what stands in a section is in the unit
    /// that the metadata state, or in one of the writer's own.
    fn unit(&self, field: &str) -> Option<&str> {
        let is_known = ["pos", "cell"].contains(&field) || self.fields.are_from(field, RESULTS);
        if is_known { unit_of(field) } else { self.fields.unit_of(field) }
    }

    fn labels(&self, field: &str) -> &[String] {
        self.fields.labels(field)
    }

    fn select(&mut self, names: &[String]) {
        self.fields.select(names);
    }

    fn skipped(&self) -> &[String] {
        self.fields.skipped()
    }

    fn goes_on(&self) -> bool {
        self.is_at_row
    }
}

/// What ASE writes for itself, or computes from the rest.
const IGNORED: [&str; 14] = [
    "id",
    "unique_id",
    "ctime",
    "mtime",
    "user",
    "username",
    "calculator",
    "calculator_parameters",
    "natoms",
    "fmax",
    "smax",
    "volume",
    "mass",
    "constrained_forces",
];

/// What is known of a database besides the row that is read.
#[derive(Clone, Copy)]
struct About<'a> {
    survey: &'a Survey,
    metadata: &'a Metadata,
}

/// Makes a record of a row: atoms, cell, calculator's results, key-value pairs and data. Of two entries of the same
/// name the one that comes first in this order is read.
fn fill(
    row: Value,
    place: Place<'_>,
    fields: &mut SeenFields,
    about: About<'_>,
    record: &mut Record,
) -> Result<(), Error> {
    let filled = fill_from(row, place, fields, about, record);
    fields.end(filled)
}

fn fill_from(
    row: Value,
    place: Place<'_>,
    fields: &mut SeenFields,
    about: About<'_>,
    record: &mut Record,
) -> Result<(), Error> {
    let kind = row.kind();
    let Value::Object(mut row) = row else { return Err(place.wrong("", "an object of JSON", kind)) };
    let mut take = |name: &str| {
        let found = row.iter().position(|(key, _)| key == name);
        found.map(|found| row.remove(found).1).filter(|value| *value != Value::Null)
    };
    let z = match take("numbers") {
        Some(Value::Numbers(Numbers { values: Values::I64(z), .. })) => z,
        Some(Value::Numbers(numbers)) if numbers.len() == 0 => vec![],
        found => return Err(place.wrong("numbers", "atomic numbers", found.map_or("none", |found| found.kind()))),
    };
    let pos = floats(take("positions"), place, "positions", z.len() * 3)?;
    let cell = match take("cell") {
        None => [0.0; 9],
        // As ASE encodes a cell object.
        Some(Value::Object(mut cell)) => {
            let array = cell.iter().position(|(name, _)| name == "array").map(|array| cell.swap_remove(array).1);
            floats(array, place, "cell", 9)?.try_into().unwrap_or_default()
        }
        cell => floats(cell, place, "cell", 9)?.try_into().unwrap_or_default(),
    };
    let pbc = match take("pbc") {
        None => [false; 3],
        Some(pbc) => directions(&pbc).ok_or_else(|| place.wrong("pbc", "three times true or false", pbc.kind()))?,
    };
    record.name = place.to_string();
    let length = about.metadata.length;
    push_atoms(record, place, z, pos.into_iter().map(|number| number * length).collect())?;
    push_cell(record, place, fields, cell.map(|number| number * length), pbc)?;
    if let Some(constraints) = take("constraints") {
        push_fixed(record, place, fields, constraints)?;
    }
    let sections = SECTIONS.map(|section| (section, take(section)));
    for (name, value) in row {
        if !IGNORED.contains(&&*name) {
            push(record, place, fields, about, &name, value, RESULTS)?;
        }
    }
    for (part, section) in sections {
        match section {
            Some(Value::Object(section)) => {
                for (name, value) in section {
                    push(record, place, fields, about, &name, value, part)?;
                }
            }
            // An empty section may be written as an empty list or text.
            Some(other) => fields.skip(place, part, other.kind()),
            None => {}
        }
    }
    Ok(())
}

/// What messages call the entries of a row that are in no section.
const RESULTS: &str = "the calculator's results";

/// Adds `fixed`, which says of each atom whether `FixAtoms` holds it. Other constraints are passed over.
fn push_fixed(record: &mut Record, place: Place<'_>, fields: &mut SeenFields, constraints: Value) -> Result<(), Error> {
    let constraints = match constraints {
        Value::List(constraints) => constraints,
        Value::Numbers(none) if none.len() == 0 => return Ok(()),
        other => return fields.push_value(record, place, "constraints", Value::List(vec![other])),
    };
    let (mut fixed, mut is_mask) = (vec![false; record.nodes], false);
    for constraint in &constraints {
        let entry =
            |of: &Value, name: &str| of.entries().iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
        let name = match entry(constraint, "name") {
            Some(Value::Text(name)) => name,
            _ => "without a name".into(),
        };
        let indices = entry(constraint, "kwargs").and_then(|of| entry(&of, "indices"));
        let indices = match indices.as_ref().and_then(Value::numbers).map(|numbers| &numbers.values) {
            Some(Values::I64(indices)) if name == "FixAtoms" => &indices[..],
            Some(none) if name == "FixAtoms" && none.is_empty() => &[],
            _ => {
                fields.skip(place, &format!("constraint {name}"), "only FixAtoms with its indices is read");
                continue;
            }
        };
        is_mask = true;
        for &index in indices {
            // Counted from the end, as Python does.
            let atom = if index < 0 { index.saturating_add_unsigned(fixed.len() as u64) } else { index };
            let held = usize::try_from(atom).ok().and_then(|atom| fixed.get_mut(atom));
            let expected = || format!("indices of {} atoms", record.nodes);
            *held.ok_or_else(|| place.wrong("constraint FixAtoms", expected(), index.to_string()))? = true;
        }
    }
    if is_mask { fields.push(record, place, "fixed", Level::NODE, None, Values::Bool(fixed)) } else { Ok(()) }
}

/// Adds an entry of a part of a row. In a section, one that cannot be a field like those before is passed over. So is
/// one whose name was in another part before: it may be another quantity.
fn push(
    record: &mut Record,
    place: Place<'_>,
    fields: &mut SeenFields,
    about: About<'_>,
    name: &str,
    value: Value,
    part: &'static str,
) -> Result<(), Error> {
    let certain = part == RESULTS;
    let Value::Numbers(Numbers { shape, mut values }) = value else {
        return passed(fields.push_value(record, place, name, value), place, fields, name, certain);
    };
    let level =
        fields.said_level(name, &shape, record.nodes).or_else(|| about.survey.level(name, &shape, record.nodes));
    let Some(level) = level else {
        let why = "it may be numbers of atoms or of the structure, which renaming it to node_NAME or graph_NAME says";
        fields.refuse(place, name, why)?;
        fields.skip(place, name, why);
        return Ok(());
    };
    if record.field(name).is_none() {
        let before = fields.part(name, part);
        if before != part {
            fields.refuse(place, name, part)?;
            fields.skip_as(place, name, || format!("in {part}, while rows before have it in {before}"));
            return Ok(());
        }
        let (factor, unit) = about.metadata.unit(name, certain, fields);
        if !certain {
            let differs = |before| {
                let expected = format!("numbers in the unit of the rows before ({before})");
                place.wrong(name, expected, unit.unwrap_or("none"))
            };
            fields.unit(name, unit).map_err(differs)?;
            values = values.times(factor);
        }
    }
    passed(fields.push(record, place, name, level, Some(&shape), values), place, fields, name, certain)
}

/// What became of an entry: unless it is `certain`, one that is wrong is passed over.
fn passed(
    pushed: Result<(), Error>,
    place: Place<'_>,
    fields: &mut SeenFields,
    name: &str,
    certain: bool,
) -> Result<(), Error> {
    let Err(error) = pushed else { return Ok(()) };
    match error.cause() {
        Some(FormatError::Wrong { expected, found, .. }) if !certain && fields.refuse(place, name, "").is_ok() => {
            fields.skip_as(place, name, || format!("expected {expected}, found {found}"));
            Ok(())
        }
        _ => Err(error),
    }
}

/// A number of floating point numbers.
fn floats(value: Option<Value>, place: Place<'_>, name: &str, count: usize) -> Result<Vec<f64>, Error> {
    let (kind, numbers) = match value {
        None => ("none", None),
        Some(Value::Numbers(numbers)) => ("true or false", numbers.floats()),
        Some(other) => (other.kind(), None),
    };
    let found = match numbers {
        Some(numbers) if numbers.len() == count => return Ok(numbers),
        Some(numbers) => numbers.len().to_string(),
        None => kind.to_owned(),
    };
    Err(place.wrong(name, format!("{count} numbers"), found))
}

fn directions(pbc: &Value) -> Option<[bool; 3]> {
    let axes: Vec<bool> = match &pbc.numbers()?.values {
        Values::Bool(axes) => axes.clone(),
        Values::I64(axes) => axes.iter().map(|&axis| axis != 0).collect(),
        Values::F64(_) => return None,
    };
    match axes[..] {
        [all] => Some([all; 3]),
        [a, b, c] => Some([a, b, c]),
        _ => None,
    }
}

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

    /// The level of an array of this shape in a structure: `None` if its rows may or may not be atoms. A row of three
    /// numbers for each of any number of atoms but three is one of atoms.
    pub(crate) fn level(&self, name: &str, shape: &[usize], atoms: usize) -> Option<Level> {
        match (shape.first(), self.names.get(name)) {
            (None, _) => Some(Level::Graph),
            (_, Some(seen)) if seen.fits => {
                (seen.differs || seen.atoms > FEW || *shape == [atoms, 3] && atoms != 3).then_some(Level::NODE)
            }
            (_, Some(_)) => Some(Level::Graph),
            (Some(&rows), None) => (rows != atoms).then_some(Level::Graph),
        }
    }
}
