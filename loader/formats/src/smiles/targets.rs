//! [`Targets`]: the columns of a csv file that become targets.

use super::SmilesOptions;
use crate::chemistry::features;
use crate::common::{CsvRecords, LabelKind};
use crate::{FormatError, Record};
use csv::StringRecord;
use graphpack_loader::Level;
use std::path::Path;

/// The columns of a csv file that become targets, one field each.
#[derive(Clone, Debug)]
pub(crate) struct Targets {
    columns: Vec<Target>,
}

#[derive(Clone, Debug)]
struct Target {
    column: usize,
    name: String,
    kind: LabelKind,
    /// Whether it was named as a target.
    is_named: bool,
}

impl Targets {
    /// Finds the targets of a file by reading it once: those named, or all columns of numbers but that of the SMILES.
    /// Returns the number of records, too.
    pub(crate) fn find(path: &Path, smiles: usize, options: &SmilesOptions) -> Result<(Self, u64), FormatError> {
        let mut file = CsvRecords::open(path)?;
        let header: Vec<String> = file.header().iter().map(str::to_owned).collect();
        let mut columns = Vec::new();
        for (column, name) in header.iter().enumerate() {
            let is_named = options.targets.as_ref().is_some_and(|targets| targets.contains(name));
            if column != smiles && (is_named || options.targets.is_none()) {
                columns.push(Target { column, name: name.clone(), kind: LabelKind::Empty, is_named });
            }
        }
        if let Some(missing) =
            options.targets.iter().flatten().find(|name| !columns.iter().any(|target| target.name == **name))
        {
            return Err(FormatError::wrong(path, "line 1", format!("a column {missing}"), header.join(",")));
        }
        let mut records = 0;
        while let Some((line, record)) = file.advance()? {
            records += 1;
            for target in &mut columns {
                let cell = record.get(target.column).unwrap_or_default();
                target.kind = target.kind.with(LabelKind::of(cell));
                if target.kind == LabelKind::Text && target.is_named {
                    let place = format!("line {line}, column {}", target.name);
                    return Err(FormatError::wrong(path, place, "a number or nothing", format!("{cell:?}")));
                }
            }
        }
        columns.retain(|target| !matches!(target.kind, LabelKind::Empty | LabelKind::Text));
        for (at, target) in columns.iter().enumerate() {
            let is_double = columns[..at].iter().any(|other| other.name == target.name);
            if is_double || target.name.is_empty() || features::is_taken(&target.name) {
                let expected = "targets with names of their own, other than x, edge_attr, edge_index and pos";
                return Err(FormatError::wrong(path, "line 1", expected, format!("a column {:?}", target.name)));
            }
        }
        Ok((Self { columns }, records))
    }

    /// Adds the targets of a molecule to its fields; an empty cell adds none.
    pub(crate) fn push(
        &self,
        path: &Path,
        line: u64,
        cells: &StringRecord,
        record: &mut Record,
    ) -> Result<(), FormatError> {
        for target in &self.columns {
            let cell = cells.get(target.column).unwrap_or_default();
            if LabelKind::of(cell) == LabelKind::Empty {
                continue;
            }
            let Some(values) = target.kind.value(cell) else {
                let place = format!("line {line}, column {}", target.name);
                return Err(FormatError::wrong(
                    path,
                    place,
                    "a number, as when the file was first read",
                    format!("{cell:?}"),
                ));
            };
            record.push(target.name.clone(), Level::Graph, 1, values);
        }
        Ok(())
    }
}
