//! [`Layout`]: which array is what.

use super::arrays::{Archive, Opened, Rows};
use crate::FormatError;
use crate::atoms::{Place, SeenFields, expect_one, known, meaning, says_what, synonyms};
use crate::common::unit_factor;
use crate::gather::{Called, Fields};
use graphpack_loader::{Error, Level};
use std::path::Path;

/// Positions in thousandths of an angstrom.
const MILLI: &str = "pos_milliangstrom";
/// What says which structure is where.
const NEEDED: [&str; 5] = ["z", "pos", "num_atoms", "ptr", "mol_id"];

/// Which array is what.
pub(super) struct Layout {
    pub(super) structures: usize,
    pub(super) atoms: Atoms,
    pub(super) pos: Column,
    pub(super) names: Option<Rows>,
    pub(super) columns: Vec<Column>,
    pub(super) fields: SeenFields,
    /// Arrays that are left out, and what they are.
    pub(super) left_out: Vec<(String, String)>,
    /// What the arrays are called in records.
    pub(super) called: Vec<Called>,
}

/// The elements, and how many atoms each structure has.
pub(super) enum Atoms {
    /// All have the same.
    Same(Vec<i64>),
    /// A row per structure, as long as the largest structure needs, filled up with 0.
    Filled(Rows, Option<Rows>),
    /// One after the other, with the number of each structure, or where it ends.
    Joined(Rows, Counts),
}

pub(super) enum Counts {
    Of(Rows),
    Ends(Rows, i64),
}

/// An array that becomes a field.
pub(super) struct Column {
    pub(super) name: String,
    pub(super) level: Level,
    pub(super) width: usize,
    pub(super) factor: f64,
    pub(super) rows: Rows,
}

impl Layout {
    pub(super) fn open(path: &Path, asked: &Fields) -> Result<Self, Error> {
        let mut archive = Archive::open(path)?;
        let (mut arrays, mut texts, mut fields) = (Vec::new(), Vec::new(), SeenFields::of(asked));
        let (mut left_out, mut called) = (Vec::new(), Vec::new());
        // What an array is, as somebody says by renaming it or as its name says.
        let means = |name: &str| match asked.said(name) {
            MILLI => "pos".to_owned(),
            said => meaning(said).to_owned(),
        };
        for name in archive.names()? {
            match archive.array(&name)? {
                Opened::Numbers(rows) => arrays.push(rows),
                Opened::Text(Some(text)) if ["r_unit", "e_unit"].contains(&&*name) => texts.push((name, text)),
                Opened::Text(_) => left_out.push((name, "text".into())),
                // These are needed, or their lack would be read as another layout.
                Opened::Other(found) if NEEDED.contains(&&*means(&name)) => {
                    return Err(FormatError::wrong(path, format!("array {name}"), "numbers", found));
                }
                Opened::Other(found) => left_out.push((name, found)),
            }
        }
        let found: Vec<String> = arrays.iter().map(|rows| format!("{} {:?}", rows.name, rows.shape)).collect();
        // What the arrays are by their own names.
        let own_meanings: Vec<String> = arrays.iter().map(|rows| own_meaning(&rows.name, rows).to_owned()).collect();
        let mut take = |wanted: &str| -> Result<Option<Rows>, Error> {
            let found = arrays.iter().enumerate().filter(|(_, rows)| means(&rows.name) == wanted);
            let (places, names): (Vec<usize>, Vec<&str>) = found.map(|(at, rows)| (at, &*rows.name)).unzip();
            expect_one(path, wanted, &names)?;
            let Some(&at) = places.first() else { return Ok(None) };
            let rows = arrays.remove(at);
            called.push(Called::new(&rows.name, Some(wanted).filter(|wanted| ["z", "pos"].contains(wanted))));
            Ok(Some(rows))
        };
        let (z, pos, counts) = (take("z")?, take("pos")?, take("num_atoms")?);
        let (ends, names) = (take("ptr")?, take("mol_id")?);
        let missing = |wanted: &str| {
            let ends = if wanted == "num_atoms" { ", ptr" } else { "" };
            let expected =
                format!("one of the arrays {}{ends}, or a renaming to {wanted}", synonyms(wanted).join(", "));
            FormatError::wrong(path, "", expected, if found.is_empty() { "none".into() } else { found.join(", ") })
        };
        let mut z = z.ok_or_else(|| missing("z"))?;
        let pos = pos.ok_or_else(|| missing("pos"))?;
        if !z.element.is_integer() {
            return Err(z.not("integers"));
        }
        let (structures, most, atoms) = match (&pos.shape[..], &z.shape[..]) {
            // However many of these there are, they take no bytes.
            (&[_, 0, 3], _) => return Err(pos.not("atoms")),
            (&[structures, atoms, 3], &[elements]) if elements == atoms && ends.is_none() && counts.is_none() => {
                let elements = z.integers(atoms)??;
                z.end()?;
                (structures, Some(atoms), Atoms::Same(elements))
            }
            (&[structures, atoms, 3], elements) if elements == [structures, atoms] && ends.is_none() => {
                (structures, Some(atoms), Atoms::Filled(z, counts))
            }
            (&[atoms, 3], &[elements]) if elements == atoms => match (counts, ends) {
                (Some(counts), None) if counts.shape.len() == 1 && counts.element.is_integer() => {
                    (counts.shape[0], None, Atoms::Joined(z, Counts::Of(counts)))
                }
                (None, Some(mut ends)) if ends.shape.len() == 1 && ends.shape[0] > 0 && ends.element.is_integer() => {
                    let structures = ends.shape[0] - 1;
                    let first = ends.integers(1)??[0];
                    if first != 0 {
                        return Err(ends.wrong("0 first", first.to_string()));
                    }
                    (structures, None, Atoms::Joined(z, Counts::Ends(ends, 0)))
                }
                _ => return Err(missing("num_atoms")),
            },
            _ => {
                let found = format!("positions {:?}, elements {:?}", pos.shape, z.shape);
                let expected = "positions [structures, atoms, 3] or [all atoms, 3] with an element each";
                return Err(FormatError::wrong(path, "", expected, found));
            }
        };
        if let Atoms::Filled(_, Some(counts)) = &atoms
            && (counts.shape != [structures] || !counts.element.is_integer())
        {
            return Err(counts.not(format!("an integer for each of {structures} structures")));
        }
        if let Some(names) = &names
            && (names.shape != [structures] || !names.element.is_integer())
        {
            return Err(names.not(format!("an integer for each of {structures} structures")));
        }

        if names.is_some() {
            fields.note("mol_id", || "numbers, which name structures in messages and are not stored".into());
        }
        let units = Units::read(path, &texts)?;
        let all = pos.shape[0];
        let milli = if asked.said(&pos.name) == MILLI { 1e-3 } else { 1.0 };
        for (name, factor, unit) in [("r_unit", units.length, "angstrom"), ("e_unit", units.energy, "eV")] {
            if let (Some(factor), Some((_, text))) = (factor, texts.iter().find(|(other, _)| other == name))
                && factor != 1.0
            {
                fields.note(name, || format!("{text} to {unit}, times {factor}"));
            }
        }
        let length = units.length.unwrap_or(1.0);
        let _ = fields.unit("pos", (units.length.is_some() || milli != 1.0).then_some("angstrom"));
        let pos = Column { name: "pos".into(), level: Level::NODE, width: 3, factor: length * milli, rows: pos };
        let mut columns: Vec<Column> = Vec::new();
        for rows in arrays {
            let own = own_meaning(&rows.name, &rows).to_owned();
            // A new name that says what an array is counts; otherwise it is given later.
            let becomes = asked.said(&rows.name);
            let is_renamed = becomes != rows.name;
            let is_said = is_renamed && says_what(becomes);
            let means = if is_said { own_meaning(becomes, &rows) } else { &*own };
            // Of two of one meaning, the one that is renamed leaves the name of this meaning to the other.
            let is_alone =
                own_meanings.iter().filter(|other| **other == own).count() == 1 && !["z", "pos"].contains(&&*own);
            let beside = is_renamed && !is_said && !is_alone;
            let name = match means {
                _ if beside => Fields::renamed_beside(means, becomes),
                _ if is_said && !["cell", "pbc"].contains(&means) => rows.name.clone(),
                _ => means.to_owned(),
            };
            if beside {
                fields.also_said(&name, becomes);
            }
            let name = &*name;
            let (factor, unit) = match units.of(means) {
                Ok(Some((factor, unit))) => (factor, Some(unit)),
                Ok(None) => (1.0, None),
                Err(stated) => {
                    fields
                        .note(&rows.name, || format!("stays as it is, without a unit, since only {stated} is stated"));
                    (1.0, None)
                }
            };
            called.push(Called::new(&rows.name, Some(name)));
            let place = Place { path, unit: "arrays", number: None };
            let (level, width) = match (most, &rows.shape[..]) {
                (Some(atoms), [first, rest @ ..]) if *first == structures => {
                    // Three atoms do not make a cell one of atoms.
                    let of_cell = ["cell", "pbc"].contains(&name).then_some(Level::Graph);
                    let level = if of_cell.is_some() { of_cell } else { fields.level(place, name, rest, atoms)? };
                    let Some(level) = level else { continue };
                    (level, rest[usize::from(level == Level::NODE)..].iter().product())
                }
                (None, [first, rest @ ..]) if *first == structures || *first == all => {
                    // If each structure has one atom, only the name says what the rows are.
                    let of_nodes = known(means).is_some_and(|known| known.level == Level::NODE);
                    let is_graph = *first == structures && (all != structures || !of_nodes);
                    (if is_graph { Level::Graph } else { Level::NODE }, rest.iter().product())
                }
                _ if ["cell", "pbc"].contains(&name) || known(means).is_some() => {
                    let expected = format!("a row for each of {structures} structures or for each atom");
                    return Err(rows.not(expected));
                }
                _ => {
                    left_out.push((rows.name, format!("shape {:?} for {structures} structures", rows.shape)));
                    continue;
                }
            };
            let before = columns.iter().find(|column| column.name == name).map(|column| &*column.rows.name);
            if let Some(before) = before.or((name == "pos").then_some(&*pos.rows.name)).or((name == "z").then_some("z"))
            {
                return Err(rows.wrong("each name once, or a renaming", format!("a second {name} beside {before}")));
            }
            for (cell, numbers) in [("cell", 9), ("pbc", 3)] {
                if name == cell && (level, width) != (Level::Graph, numbers) {
                    return Err(rows.not(format!("{numbers} per structure")));
                }
            }
            // Each for the first time, so none is another than before.
            let _ = fields.unit(name, unit);
            columns.push(Column { name: name.to_owned(), level, width, factor, rows });
        }
        for (name, found) in &left_out {
            fields.note(name, || format!("left out, {found}"));
        }
        // What the arrays say holds whatever is wrong with a structure.
        fields.end(Ok(()))?;
        Ok(Self { structures, atoms, pos, names, columns, fields, left_out, called })
    }
}

/// What an array is called here by this name: energies of atoms have one of those of structures.
fn own_meaning<'a>(name: &'a str, rows: &Rows) -> &'a str {
    let is_of_atoms = name == "energies" && rows.shape.iter().skip(1).any(|&n| n > 1);
    if is_of_atoms { name } else { meaning(name) }
}

/// The factors of lengths and energies, if units are stated.
struct Units {
    length: Option<f64>,
    energy: Option<f64>,
}

impl Units {
    fn read(path: &Path, texts: &[(String, String)]) -> Result<Self, Error> {
        let factor = |name: &str, unit: &str| {
            let Some((_, text)) = texts.iter().find(|(other, _)| other == name) else { return Ok(None) };
            match unit_factor(text) {
                Some((factor, to)) if to == unit => Ok(Some(factor)),
                _ => {
                    let expected = format!("a unit that leads to {unit}");
                    Err(FormatError::wrong(path, format!("array {name}"), expected, text))
                }
            }
        };
        Ok(Self { length: factor("r_unit", "angstrom")?, energy: factor("e_unit", "eV")? })
    }

    /// The factor and the unit of what has this meaning, if it is in one that is stated. Errors with the only text of
    /// the two that it needs.
    fn of(&self, means: &str) -> Result<Option<(f64, &'static str)>, &'static str> {
        let of_both = |factor: fn(f64, f64) -> f64, unit| match (self.length, self.energy) {
            (Some(length), Some(energy)) => Ok(Some((factor(length, energy), unit))),
            (Some(_), None) => Err("r_unit"),
            (None, Some(_)) => Err("e_unit"),
            (None, None) => Ok(None),
        };
        match means {
            "energy" | "energies" | "free_energy" | "old_energies" | "virial" | "virials" => {
                Ok(self.energy.map(|factor| (factor, "eV")))
            }
            "pos" | "cell" => Ok(self.length.map(|factor| (factor, "angstrom"))),
            "forces" => of_both(|length, energy| energy / length, "eV/angstrom"),
            "stress" => of_both(|length, energy| energy / length.powi(3), "eV/angstrom^3"),
            _ => Ok(None),
        }
    }
}
