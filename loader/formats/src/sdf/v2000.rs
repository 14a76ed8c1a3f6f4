//! V2000: atoms and bonds in columns of fixed width, then lines of properties.

use super::draft::{Draft, radicals};
use super::lines::Lines;
use crate::FormatError;
use crate::chemistry::{Direction, Refusal};
use std::str::FromStr;

/// Reads the table after the line of counts; the inner error is one of this molecule alone.
pub(super) fn read(lines: &mut Lines, counts: &str) -> Result<Result<Draft, Refusal>, FormatError> {
    let (atoms, bonds) = match (number::<usize>(counts, 0, 3), number::<usize>(counts, 3, 6)) {
        (Ok(atoms), Ok(bonds)) => (atoms, bonds),
        (Err(refusal), _) | (_, Err(refusal)) => return Ok(Err(refusal)),
    };
    let mut draft = Draft::default();
    for _ in 0..atoms {
        if let Err(refusal) = atom(&mut draft, lines.expect("an atom")?) {
            return Ok(Err(refusal));
        }
    }
    for _ in 0..bonds {
        if let Err(refusal) = bond(&mut draft, lines.expect("a bond")?) {
            return Ok(Err(refusal));
        }
    }
    let mut has_charges = false;
    loop {
        let line = lines.expect("M  END")?;
        let property = match line.get(..6) {
            Some("M  END") => return Ok(Ok(draft)),
            Some(kind @ ("M  CHG" | "M  RAD" | "M  ISO")) => {
                if kind != "M  ISO" && !std::mem::replace(&mut has_charges, true) {
                    draft.molecule.atoms.iter_mut().for_each(|atom| atom.charge = 0);
                }
                properties(&mut draft, &kind[3..], line)
            }
            Some("M  ALS" | "M  RGP" | "M  ZBO") => Err(Refusal::new("a molecule", format!("a query: {line:?}"))),
            // Names of atoms and groups, whose text is on the next line.
            _ if line.starts_with("A  ") || line.starts_with("G  ") => {
                lines.expect("the text of an atom or a group")?;
                Ok(())
            }
            _ if ["M  ", "V  ", "S  "].iter().any(|start| line.starts_with(start)) => Ok(()),
            _ => Err(Refusal::new("a property or M  END", format!("{line:?}"))),
        };
        if let Err(refusal) = property {
            return Ok(Err(refusal));
        }
    }
}

fn atom(draft: &mut Draft, line: &str) -> Result<(), Refusal> {
    if line.len() < 34 || !line.is_ascii() {
        return Err(Refusal::new("an atom: coordinates, symbol and its properties", format!("{line:?}")));
    }
    let position = [number(line, 0, 10)?, number(line, 10, 20)?, number(line, 20, 30)?];
    let atom = draft.atom(line[31..34].trim(), position)?;
    let mass: i32 = or_zero(line, 34, 36)?;
    if mass != 0 {
        let isotope = crate::chemistry::common_isotope(atom.number) + mass;
        atom.isotope = u16::try_from(isotope).unwrap_or(0);
    }
    let charge: i32 = or_zero(line, 36, 39)?;
    atom.charge = if charge == 0 { 0 } else { 4 - charge };
    atom.only_written = or_zero::<i32>(line, 42, 45)? >= 1;
    let valence = or_zero(line, 48, 51)?;
    if let Some(last) = draft.valences.last_mut() {
        *last = valence;
    }
    Ok(())
}

fn bond(draft: &mut Draft, line: &str) -> Result<(), Refusal> {
    if line.len() < 9 || !line.is_ascii() {
        return Err(Refusal::new("a bond: two atoms and its type", format!("{line:?}")));
    }
    let (begin, end): (usize, usize) = (number(line, 0, 3)?, number(line, 3, 6)?);
    let direction = match or_zero(line, 9, 12)? {
        1 => Direction::Wedge,
        6 => Direction::Dash,
        3 => Direction::Either,
        4 => Direction::Wavy,
        _ => Direction::None,
    };
    draft.bond(number(line, 6, 9)?, begin.wrapping_sub(1), end.wrapping_sub(1), direction)
}

/// A line of pairs: the number of an atom, and its charge, radical or isotope.
fn properties(draft: &mut Draft, kind: &str, line: &str) -> Result<(), Refusal> {
    let count: usize = number(line, 6, 9)?;
    for at in (0..count).map(|pair| 9 + 8 * pair) {
        let atom: usize = number(line, at, at + 4)?;
        let value: i64 = number(line, at + 4, at + 8)?;
        let atoms = draft.molecule.atoms.len();
        let Some(atom) = draft.molecule.atoms.get_mut(atom.wrapping_sub(1)) else {
            return Err(Refusal::new(format!("an atom from 1 to {atoms}"), atom.to_string()));
        };
        match kind {
            "CHG" => atom.charge = i32::from(small::<i8>(value)?),
            "RAD" => atom.radicals = radicals(value)?,
            _ => atom.isotope = small(value)?,
        }
    }
    Ok(())
}

fn small<T: TryFrom<i64>>(value: i64) -> Result<T, Refusal> {
    T::try_from(value).map_err(|_| Refusal::new("a charge or an isotope", value.to_string()))
}

/// The number in some columns.
fn number<T: FromStr>(line: &str, from: usize, to: usize) -> Result<T, Refusal> {
    let text = line.get(from..to.min(line.len())).unwrap_or_default().trim();
    text.parse().map_err(|_| Refusal::new(format!("a number in columns {} to {to}", from + 1), format!("{line:?}")))
}

/// The number in some columns; 0 if they are blank.
fn or_zero<T: FromStr + Default>(line: &str, from: usize, to: usize) -> Result<T, Refusal> {
    let is_blank = line.get(from..to.min(line.len())).is_none_or(|text| text.trim().is_empty());
    if is_blank { Ok(T::default()) } else { number(line, from, to) }
}
