//! V3000: a table of blocks, in lines of words that begin with `M  V30`.

use super::draft::{Draft, radicals};
use super::lines::Lines;
use crate::FormatError;
use crate::chemistry::{Direction, Refusal};
use std::collections::HashMap;
use std::str::FromStr;

/// Reads the table after the line of counts; the inner error is one of this molecule alone.
pub(super) fn read(lines: &mut Lines) -> Result<Result<Draft, Refusal>, FormatError> {
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
            (Some("COUNTS"), Some("CTAB")) => self.counts = (number(&words, 1)?, number(&words, 2)?),
            (Some(_), Some("ATOM")) => self.atom(&words)?,
            (Some(_), Some("BOND")) => self.bond(&words)?,
            _ => {}
        }
        Ok(())
    }

    fn atom(&mut self, words: &[&str]) -> Result<(), Refusal> {
        let place = self.draft.molecule.atoms.len();
        let position = [number(words, 2)?, number(words, 3)?, number(words, 4)?];
        if self.places.insert(number(words, 0)?, place).is_some() {
            return Err(Refusal::new("each number of an atom once", words[0]));
        }
        let mut valence = 0;
        let atom = self.draft.atom(words.get(1).copied().unwrap_or_default(), position)?;
        for word in words.iter().skip(6) {
            let Some((name, value)) = word.split_once('=') else {
                return Err(Refusal::new("properties like CHG=1", *word));
            };
            let parse = || value.parse::<i32>().map_err(|_| Refusal::new("a number", *word));
            match name {
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
        let kind: u32 = number(words, 1)?;
        let mut ends = [0; 2];
        for (at, end) in ends.iter_mut().enumerate() {
            let atom: u64 = number(words, 2 + at)?;
            let place = self.places.get(&atom);
            *end = *place.ok_or_else(|| Refusal::new("the number of an atom", atom.to_string()))?;
        }
        let mut direction = Direction::None;
        for word in words.iter().skip(4) {
            direction = match (*word, kind) {
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

fn number<T: FromStr>(words: &[&str], at: usize) -> Result<T, Refusal> {
    let number = words.get(at).and_then(|word| word.parse().ok());
    number.ok_or_else(|| Refusal::new(format!("a number as word {}", at + 1), format!("{:?}", words.join(" "))))
}
