//! Targets of structures from a csv file with a header.

use crate::StructureError;
use crate::gzip::open;
use graphpack_loader::Structures;
use std::io;
use std::path::Path;

/// Takes the given columns of a csv file, plain or gzip, as targets `y`: one row per structure, in the same order. Columns `name` and
/// `num_atoms`, where the file has them, must agree with the structures.
pub fn add(mut structures: Structures, path: impl AsRef<Path>, columns: &[&str]) -> Result<Structures, StructureError> {
    let path = path.as_ref();
    let at = |line: u64| move |source| StructureError::Io { path: path.to_owned(), line, source };
    let mut reader = csv::Reader::from_reader(open(path).map_err(at(1))?);
    let header = reader.headers().map_err(|error| at(1)(io::Error::other(error)))?.clone();
    let position = |column: &str| header.iter().position(|name| name == column);
    let positions = columns.iter().map(|&column| {
        let available = header.iter().map(str::to_owned).collect();
        let missing = || StructureError::Column { path: path.to_owned(), column: column.to_owned(), available };
        position(column).ok_or_else(missing)
    });
    let positions = positions.collect::<Result<Vec<_>, _>>()?;
    let (name, atoms) = (position("name"), position("num_atoms"));

    let (mut y, mut rows) = (Vec::new(), 0);
    for record in reader.records() {
        let line = rows as u64 + 2;
        let record = record.map_err(|error| at(line)(io::Error::other(error)))?;
        if rows < structures.len() {
            let known = [
                ("name", name, structures.name(rows).to_owned()),
                ("num_atoms", atoms, structures.z(rows).len().to_string()),
            ];
            for (what, position, expected) in known {
                let found = position.and_then(|position| record.get(position)).unwrap_or(&expected);
                if *found != expected {
                    let (path, found) = (path.to_owned(), found.to_owned());
                    return Err(StructureError::Target { path, line, what, expected, found });
                }
            }
        }
        for &position in &positions {
            let cell = record.get(position).unwrap_or_default();
            let number = cell.trim().parse().map_err(|_| StructureError::Line {
                path: path.to_owned(),
                line,
                expected: "a number",
                found: cell.to_owned(),
            })?;
            y.push(number);
        }
        rows += 1;
    }
    let wrong = StructureError::Rows { path: path.to_owned(), expected: structures.len(), found: rows };
    if rows != structures.len() || structures.set_targets(columns.len(), y).is_err() {
        return Err(wrong);
    }
    Ok(structures)
}
