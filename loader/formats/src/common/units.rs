//! [`unit_factor`]: from units of files to eV and angstrom, by the CODATA values of 2018; [`Units`]: those of several
//! files.

use super::FormatError;
use graphpack_loader::schema::Field;
use graphpack_loader::{Column, Dtype, Error, Store, f16};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

const BOHR: f64 = 0.529177210903;
const HARTREE: f64 = 27.211386245988;
const KCAL_PER_MOL: f64 = 0.04336410390059322;
const KJ_PER_MOL: f64 = 0.010364269656262175;
const GPA: f64 = 0.006241509074460763;

/// The factor and the unit that it leads to; `None` for a unit that is not one of length, energy, force or stress.
pub(crate) fn unit_factor(unit: &str) -> Option<(f64, &'static str)> {
    let unit = unit.trim().to_ascii_lowercase().replace([' ', '*'], "");
    if let Some(length) = length(&unit) {
        return Some((length, "angstrom"));
    }
    if let Some(pressure) = pressure(&unit) {
        return Some((pressure, "eV/angstrom^3"));
    }
    let (mut numerator, mut lengths, mut power) = (&*unit, 1.0, 0);
    // `kcal/mol/angstrom` ends in a length, too.
    while let Some((before, last)) = numerator.rsplit_once('/') {
        let (name, times) = last.strip_suffix("^3").map_or((last, 1), |name| (name, 3));
        let Some(length) = length(name) else { break };
        (numerator, lengths, power) = (before, lengths * length.powi(times), power + times);
    }
    let energy = energy(numerator.trim_start_matches('(').trim_end_matches(')'))?;
    let to = match power {
        0 => "eV",
        1 => "eV/angstrom",
        3 => "eV/angstrom^3",
        _ => return None,
    };
    Some((energy / lengths, to))
}

fn length(unit: &str) -> Option<f64> {
    match unit {
        "angstrom" | "angstroms" | "ang" | "a" | "å" | "\u{212b}" => Some(1.0),
        "bohr" | "a0" => Some(BOHR),
        "nm" | "nanometer" => Some(10.0),
        _ => None,
    }
}

fn energy(unit: &str) -> Option<f64> {
    match unit {
        "ev" => Some(1.0),
        "mev" => Some(1e-3),
        "hartree" | "ha" | "eh" => Some(HARTREE),
        "kcal/mol" => Some(KCAL_PER_MOL),
        "kj/mol" => Some(KJ_PER_MOL),
        _ => None,
    }
}

fn pressure(unit: &str) -> Option<f64> {
    match unit {
        "gpa" => Some(GPA),
        "kbar" => Some(GPA / 10.0),
        _ => None,
    }
}

/// What several files state of the units of their fields.
#[derive(Default)]
pub(crate) struct Units {
    /// The first unit that a file states of each field.
    stated: BTreeMap<String, String>,
    /// Fields that some files state a unit of and others do not, or that are converted, as far as it is said.
    told: BTreeSet<String>,
}

impl Units {
    /// Returns graphs of a file with numbers in the units of the files before, and adds what is converted to `notes`.
    /// Fields whose units have no known factor stay as they are.
    pub(crate) fn unite(&mut self, path: &Path, mut graphs: Store, notes: &mut Vec<String>) -> Result<Store, Error> {
        for field in graphs.schema().fields().to_vec() {
            let Some(found) = &field.unit else { continue };
            let stated = self.stated.entry(field.name.clone()).or_insert_with(|| found.clone());
            let known = unit_factor(found).zip(unit_factor(stated)).filter(|((_, to), (_, same))| to == same);
            let Some(((from, _), (to, _))) = known.filter(|_| stated != found) else { continue };
            let Some(column) = times(&graphs, &field, from / to)? else { continue };
            let converted = graphs.with_column(column.in_unit(stated.clone()));
            graphs = converted.map_err(|error| FormatError::refused(path, error))?;
            if from != to && self.told.insert(format!("{} {}", path.display(), field.name)) {
                let line = format!("{}: {found} to {stated}, times {}", field.name, from / to);
                notes.push(format!("{}: {line}", path.display()));
            }
        }
        Ok(graphs)
    }

    /// The fields of a store that have no unit because not all of these files state one, each once.
    pub(crate) fn lost<'a>(&mut self, fields: &'a [Field]) -> Vec<&'a str> {
        let lost = fields.iter().filter(|field| field.unit.is_none() && self.stated.contains_key(&field.name));
        lost.filter(|field| self.told.insert(field.name.clone())).map(|field| &*field.name).collect()
    }
}

/// The column of a field times a factor; `None` unless it has floating point numbers.
fn times(graphs: &Store, field: &Field, factor: f64) -> Result<Option<Column>, Error> {
    let Field { name, level, dtype, width, padding, row, .. } = field;
    let times = |number: f64| number * factor;
    let column = match dtype {
        Dtype::F64 => {
            let numbers = graphs.values::<f64>(name)?.into_iter().map(times);
            Column::new(name, *level, *width, numbers.collect())
        }
        Dtype::F32 => {
            let numbers = graphs.values::<f32>(name)?.into_iter().map(|number| times(number.into()) as f32);
            Column::new(name, *level, *width, numbers.collect())
        }
        Dtype::F16 => {
            let numbers = graphs.values::<f16>(name)?.into_iter().map(|number| f16::from_f64(times(number.into())));
            Column::new(name, *level, *width, numbers.collect())
        }
        Dtype::I64 | Dtype::I32 | Dtype::U8 | Dtype::Bool => return Ok(None),
    };
    Ok(Some(column.padded(*padding).shaped(row)))
}

#[cfg(test)]
mod tests {
    use super::unit_factor;

    #[test]
    fn units_are_read_or_refused() {
        for (unit, expected) in [
            ("bohr", Some((0.529177210903, "angstrom"))),
            ("Hartree", Some((27.211386245988, "eV"))),
            ("hartree / bohr", Some((27.211386245988 / 0.529177210903, "eV/angstrom"))),
            ("kcal/mol", Some((0.04336410390059322, "eV"))),
            ("kcal/mol/Angstrom", Some((0.04336410390059322, "eV/angstrom"))),
            ("(kJ/mol)/nm", Some((0.0010364269656262175, "eV/angstrom"))),
            ("eV/angstrom^3", Some((1.0, "eV/angstrom^3"))),
            ("Hartree/Bohr/Bohr/Bohr", Some((27.211386245988 / 0.529177210903_f64.powi(3), "eV/angstrom^3"))),
            ("GPa", Some((0.006241509074460763, "eV/angstrom^3"))),
            ("eV/angstrom/angstrom", None),
            ("angstrom^3", None),
            ("e bohr", None),
            ("debye", None),
            ("", None),
        ] {
            assert_eq!(unit_factor(unit), expected, "{unit}");
        }
    }
}
