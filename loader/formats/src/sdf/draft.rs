//! [`Draft`]: a molecule while its table is read.

use crate::chemistry::{Atom, Bond, Direction, MOST_ATOMS, Molecule, Order, Refusal, Stereo, element};
use crate::elements;
use std::collections::HashSet;

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
