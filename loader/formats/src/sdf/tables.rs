//! Tables of atoms and bonds, which a [`Draft`] makes a molecule. V2000 has them in columns of fixed width, then lines
//! of
//! properties; V3000 in blocks, in lines of words that begin with `M  V30`.

use super::labels::Lines;
use crate::chemistry::{Atom, Bond, Direction, MOST_ATOMS, Molecule, Order, Refusal, Stereo, element};
use crate::elements;
use graphpack_loader::Error;
use std::collections::{HashMap, HashSet};
use std::str::FromStr;

/// Reads the table after the line of counts; the inner error is one of this molecule alone.
pub(super) fn read_v2000(lines: &mut Lines, counts: &str) -> Result<Result<Draft, Refusal>, Error> {
    let (atoms, bonds) = match (column::<usize>(counts, 0, 3), column::<usize>(counts, 3, 6)) {
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
            Some("M  ALS" | "M  RGP") => Err(Refusal::new("a molecule", format!("a query: {line:?}"))),
            Some("M  ZBO" | "M  ZCH") => {
                Err(Refusal::new("charges and bonds of V2000", format!("an extension: {line:?}")))
            }
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
    let position = [column(line, 0, 10)?, column(line, 10, 20)?, column(line, 20, 30)?];
    let atom = draft.atom(line[31..34].trim(), position)?;
    let mass: i32 = or_zero(line, 34, 36)?;
    if mass != 0 {
        let isotope = crate::chemistry::common_isotope(atom.number) + mass;
        atom.isotope = u16::try_from(isotope).map_err(|_| Refusal::new("an isotope", isotope.to_string()))?;
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
    let (begin, end): (usize, usize) = (column(line, 0, 3)?, column(line, 3, 6)?);
    let direction = match or_zero(line, 9, 12)? {
        1 => Direction::Wedge,
        6 => Direction::Dash,
        3 => Direction::Either,
        4 => Direction::Wavy,
        _ => Direction::None,
    };
    draft.bond(column(line, 6, 9)?, begin.wrapping_sub(1), end.wrapping_sub(1), direction)
}

/// A line of pairs: the number of an atom, and its charge, radical or isotope.
fn properties(draft: &mut Draft, kind: &str, line: &str) -> Result<(), Refusal> {
    let count: usize = column(line, 6, 9)?;
    for at in (0..count).map(|pair| 9 + 8 * pair) {
        let atom: usize = column(line, at, at + 4)?;
        let value: i64 = column(line, at + 4, at + 8)?;
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
fn column<T: FromStr>(line: &str, from: usize, to: usize) -> Result<T, Refusal> {
    let text = line.get(from..to.min(line.len())).unwrap_or_default().trim();
    text.parse().map_err(|_| Refusal::new(format!("a number in columns {} to {to}", from + 1), format!("{line:?}")))
}

/// The number in some columns; 0 if they are blank.
fn or_zero<T: FromStr + Default>(line: &str, from: usize, to: usize) -> Result<T, Refusal> {
    let is_blank = line.get(from..to.min(line.len())).is_none_or(|text| text.trim().is_empty());
    if is_blank { Ok(T::default()) } else { column(line, from, to) }
}

/// Reads the table after the line of counts; the inner error is one of this molecule alone.
pub(super) fn read_v3000(lines: &mut Lines) -> Result<Result<Draft, Refusal>, Error> {
    let mut table = Table::default();
    loop {
        let mut line = lines.expect("M  END")?.to_owned();
        if line.starts_with("M  END") {
            return Ok(table.finish());
        }
        // A hyphen at its end joins a line with the next.
        while line.starts_with("M  V30") && line.ends_with('-') && line.len() < 1 << 20 {
            line.pop();
            line.push_str(lines.expect("the rest of a line")?.strip_prefix("M  V30 ").unwrap_or_default());
        }
        let taken = match line.strip_prefix("M  V30") {
            Some(rest) => table.line(rest.trim()),
            None => Err(Refusal::new("a line that begins with M  V30", format!("{line:?}"))),
        };
        if let Err(refusal) = taken {
            return Ok(Err(refusal));
        }
    }
}

#[derive(Default)]
struct Table {
    draft: Draft,
    /// The place of each atom by its number in the file.
    places: HashMap<u64, usize>,
    /// Atoms and bonds that were announced.
    counts: (usize, usize),
    /// The blocks that are open, the innermost last.
    blocks: Vec<String>,
}

impl Table {
    fn line(&mut self, line: &str) -> Result<(), Refusal> {
        let words = words(line);
        match (words.first().copied(), self.blocks.last().map(String::as_str)) {
            (Some("BEGIN"), _) if self.blocks.len() < 10 => {
                self.blocks.push(words.get(1).copied().unwrap_or_default().to_owned());
            }
            (Some("END"), Some(block)) if words.get(1) == Some(&block) => {
                self.blocks.pop();
            }
            (Some("BEGIN" | "END"), _) => return Err(Refusal::new("blocks that begin and end", format!("{line:?}"))),
            (Some("COUNTS"), Some("CTAB")) => self.counts = (word(&words, 1)?, word(&words, 2)?),
            (Some(_), Some("ATOM")) => self.atom(&words)?,
            (Some(_), Some("BOND")) => self.bond(&words)?,
            _ => {}
        }
        Ok(())
    }

    fn atom(&mut self, words: &[&str]) -> Result<(), Refusal> {
        let place = self.draft.molecule.atoms.len();
        let position = [word(words, 2)?, word(words, 3)?, word(words, 4)?];
        if self.places.insert(word(words, 0)?, place).is_some() {
            return Err(Refusal::new("each number of an atom once", words[0]));
        }
        let mut valence = 0;
        let atom = self.draft.atom(words.get(1).copied().unwrap_or_default(), position)?;
        for word in words.iter().skip(6) {
            let Some((name, value)) = word.split_once('=') else {
                return Err(Refusal::new("properties like CHG=1", *word));
            };
            let parse = || value.parse::<i32>().map_err(|_| Refusal::new("a number", *word));
            match &*name.to_ascii_uppercase() {
                "CHG" => atom.charge = i32::from(i8::try_from(parse()?).map_err(|_| Refusal::new("a charge", *word))?),
                "RAD" => atom.radicals = radicals(parse()?.into())?,
                "MASS" => atom.isotope = u16::try_from(parse()?).map_err(|_| Refusal::new("an isotope", *word))?,
                "VAL" => {
                    valence = match parse()? {
                        -1 => 15,
                        valence @ 0..=14 => valence,
                        _ => return Err(Refusal::new("a valence from -1 to 14", *word)),
                    }
                }
                _ => {}
            }
        }
        self.draft.valences[place] = valence;
        Ok(())
    }

    fn bond(&mut self, words: &[&str]) -> Result<(), Refusal> {
        let kind: u32 = word(words, 1)?;
        let mut ends = [0; 2];
        for (at, end) in ends.iter_mut().enumerate() {
            let atom: u64 = word(words, 2 + at)?;
            let place = self.places.get(&atom);
            *end = *place.ok_or_else(|| Refusal::new("the number of an atom", atom.to_string()))?;
        }
        let mut direction = Direction::None;
        for word in words.iter().skip(4) {
            direction = match (&*word.to_ascii_uppercase(), kind) {
                ("CFG=0", _) => Direction::None,
                ("CFG=1", _) => Direction::Wedge,
                ("CFG=2", 1) => Direction::Wavy,
                ("CFG=2", 2) => Direction::Either,
                ("CFG=3", _) => Direction::Dash,
                (word, _) if word.starts_with("ENDPTS") => return Err(Refusal::new("a bond between two atoms", word)),
                _ => direction,
            };
        }
        self.draft.bond(kind, ends[0], ends[1], direction)
    }

    fn finish(self) -> Result<Draft, Refusal> {
        let found = (self.draft.molecule.atoms.len(), self.draft.molecule.bonds.len());
        if found != self.counts {
            let text = |(atoms, bonds): (usize, usize)| format!("{atoms} atoms and {bonds} bonds");
            return Err(Refusal::new(text(self.counts), text(found)));
        }
        Ok(self.draft)
    }
}

/// The words of a line; parentheses keep theirs together.
fn words(line: &str) -> Vec<&str> {
    let (mut depth, mut start, mut words) = (0_usize, None, Vec::new());
    for (at, letter) in line.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if letter.is_whitespace() && depth == 0 {
            words.extend(start.take().map(|start| &line[start..at]));
        } else {
            start.get_or_insert(at);
        }
    }
    words.extend(start.map(|start| &line[start..]));
    words
}

fn word<T: FromStr>(words: &[&str], at: usize) -> Result<T, Refusal> {
    let number = words.get(at).and_then(|word| word.parse().ok());
    number.ok_or_else(|| Refusal::new(format!("a number as word {}", at + 1), format!("{:?}", words.join(" "))))
}

/// A molecule while its table is read.
#[derive(Default)]
pub(super) struct Draft {
    pub(super) molecule: Molecule,
    /// The valence that the file gives an atom, as V2000 has it: 15 for none; 0 where it gives none.
    pub(super) valences: Vec<i32>,
    bonded: HashSet<(usize, usize)>,
}

impl Draft {
    /// Adds an atom by its symbol.
    pub(super) fn atom(&mut self, symbol: &str, position: [f64; 3]) -> Result<&mut Atom, Refusal> {
        if self.molecule.atoms.len() == MOST_ATOMS {
            return Err(Refusal::new(format!("at most {MOST_ATOMS} atoms"), "more"));
        }
        let (symbol, isotope) = match symbol {
            "D" => ("H", 2),
            "T" => ("H", 3),
            other => (other, 0),
        };
        // Numbers are symbols nowhere; what stands for a choice of atoms, like `A` or `R#`, is no element.
        let is_symbol = symbol.bytes().all(|byte| byte.is_ascii_alphabetic());
        let number = elements::atomic_number(symbol).filter(|_| is_symbol);
        let Some(number) = number else { return Err(Refusal::new("the symbol of an element", format!("{symbol:?}"))) };
        if position.iter().any(|coordinate| !coordinate.is_finite()) {
            return Err(Refusal::new("finite coordinates", format!("{position:?}")));
        }
        self.molecule.positions.push(position);
        self.valences.push(0);
        self.molecule.atoms.push(Atom { number, isotope, ..Atom::default() });
        let last = self.molecule.atoms.len() - 1;
        Ok(&mut self.molecule.atoms[last])
    }

    /// Adds a bond between atoms counted from 0, by the number of its type.
    pub(super) fn bond(&mut self, kind: u32, begin: usize, end: usize, direction: Direction) -> Result<(), Refusal> {
        let atoms = self.molecule.atoms.len();
        if begin >= atoms || end >= atoms || begin == end {
            let found = format!("atoms {} and {} of {atoms}", begin.wrapping_add(1), end.wrapping_add(1));
            return Err(Refusal::new("a bond between two atoms", found));
        }
        if !self.bonded.insert((begin.min(end), begin.max(end))) {
            let found = format!("several between atoms {} and {}", begin + 1, end + 1);
            return Err(Refusal::new("one bond between two atoms", found));
        }
        let order = match kind {
            1 => Order::Single,
            2 => Order::Double,
            3 => Order::Triple,
            4 => Order::Aromatic,
            9 => Order::Dative,
            _ => return Err(Refusal::new("a bond of type 1, 2, 3, 4 or 9", format!("type {kind}"))),
        };
        let stereo = if direction == Direction::Either { Stereo::Any } else { Stereo::None };
        self.molecule.bonds.push(Bond { direction, stereo, ..Bond::new(begin, end, order) });
        Ok(())
    }

    /// The molecule, once the table was read.
    pub(super) fn finish(mut self) -> Result<Molecule, Refusal> {
        let molecule = &mut self.molecule;
        molecule.connect();
        for (atom, &given) in self.valences.iter().enumerate().filter(|(_, given)| **given != 0) {
            let drawn = element::explicit_valence(molecule, atom, false)?;
            let this = &mut molecule.atoms[atom];
            this.only_written = true;
            this.written_hydrogens = if given == 15 { 0 } else { (given - drawn).max(0) };
        }
        element::assign_valences(molecule, false)?;
        Ok(self.molecule)
    }
}

/// Unpaired electrons by the number that tables have for them.
pub(super) fn radicals(number: i64) -> Result<i32, Refusal> {
    match number {
        0 => Ok(0),
        1 | 3 => Ok(2),
        2 => Ok(1),
        _ => Err(Refusal::new("a radical of kind 0 to 3", number.to_string())),
    }
}
