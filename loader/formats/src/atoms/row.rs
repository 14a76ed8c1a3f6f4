//! [`fill`]: a row of ASE's databases becomes a record.

use super::names::SECTIONS;
use super::{Numbers, Place, SeenFields, Survey, Value, known, push_atoms, push_cell};
use crate::{FormatError, Record, Values};

/// What ASE writes for itself, or computes from the rest.
const IGNORED: [&str; 15] = [
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
    "constraints",
    "constrained_forces",
];

/// Makes a record of a row: atoms, cell, calculator's results, key-value pairs and data. Of two entries of the same
/// name the one that comes first in this order is read.
pub(crate) fn fill(
    row: Value,
    place: Place<'_>,
    fields: &mut SeenFields,
    survey: &Survey,
    record: &mut Record,
) -> Result<(), FormatError> {
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
    push_atoms(record, place, z, pos)?;
    push_cell(record, place, cell, pbc)?;
    let mut sections = SECTIONS.map(|section| take(section).into_iter().collect::<Vec<_>>());
    for (name, value) in row {
        if !IGNORED.contains(&&*name) {
            push(record, place, fields, survey, (&name, value), true)?;
        }
    }
    for section in sections.iter_mut().flat_map(std::mem::take) {
        let kind = section.kind();
        let Value::Object(section) = section else {
            // An empty section may be written as an empty list or text.
            fields.skip(place, "data", kind);
            continue;
        };
        for (name, value) in section {
            push(record, place, fields, survey, (&name, value), false)?;
        }
    }
    Ok(())
}

/// Adds an entry. If it is not `certain`, one that cannot be a field like those before is passed over.
fn push(
    record: &mut Record,
    place: Place<'_>,
    fields: &mut SeenFields,
    survey: &Survey,
    (name, value): (&str, Value),
    certain: bool,
) -> Result<(), FormatError> {
    let Value::Numbers(Numbers { shape, values }) = value else {
        return fields.push_value(record, place, name, value);
    };
    let level = known(name).map(|known| known.level).or_else(|| survey.level(name, &shape, record.nodes));
    let Some(level) = level else {
        fields.skip(place, name, "it may be numbers of atoms or of the structure");
        return Ok(());
    };
    match fields.push(record, place, name, level, values) {
        Err(FormatError::Wrong { expected, found, .. }) if !certain => {
            fields.skip(place, name, &format!("expected {expected}, found {found}"));
            Ok(())
        }
        pushed => pushed,
    }
}

/// A number of floating point numbers.
fn floats(value: Option<Value>, place: Place<'_>, name: &str, count: usize) -> Result<Vec<f64>, FormatError> {
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
