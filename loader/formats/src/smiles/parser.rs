//! [`parse`]: a molecule from SMILES.
//!
//! The grammar is RDKit's, a superset of OpenSMILES; so is the order of bonds: those between neighbours in the text in
//! its order, then those that close rings, by their number. Branches are kept in a list, so that no text is nested too
//! deeply.

use super::ring_closures::RingClosures;
use super::tokens::{Token, Tokens};
use super::written_bond::WrittenBond;
use crate::chemistry::{Atom, MOST_ATOMS, Molecule, Refusal, stereo};

/// Parses SMILES. What a text leaves out, like implied hydrogens, is left to
/// [`perceive`](crate::chemistry::perceive).
pub(crate) fn parse(text: &str) -> Result<Molecule, Refusal> {
    let mut parser = Parser::default();
    for token in Tokens::new(text) {
        let (place, token) = token?;
        parser.take(token).map_err(|refusal| {
            Refusal::new(refusal.expected, format!("{} at character {}", refusal.found, place + 1))
        })?;
    }
    parser.finish()
}

#[derive(Default)]
struct Parser {
    molecule: Molecule,
    /// Bonds of each atom so far.
    degrees: Vec<usize>,
    /// Whether an atom begins a part of the molecule.
    is_start: Vec<bool>,
    rings: RingClosures,
    /// The atom that the next one is bonded to.
    last: Option<usize>,
    /// The atoms that open branches return to.
    branches: Vec<usize>,
    bond: Option<WrittenBond>,
    /// Whether a branch or a part was opened, which must go on with an atom.
    needs_atom: bool,
}

impl Parser {
    fn take(&mut self, token: Token) -> Result<(), Refusal> {
        let is_pending = self.bond.is_some() || self.needs_atom;
        match (token, self.last) {
            (Token::Atom(atom), _) => self.atom(atom)?,
            (Token::Bond(bond), Some(_)) if self.bond.is_none() => self.bond = Some(bond),
            (Token::Ring(ring), Some(last)) if !self.needs_atom => {
                let bond = self.bond.take();
                // Where a ring's number follows a branch, the turn is that of the text without it.
                let degree = self.degrees[last];
                let is_late = last + 1 != self.molecule.atoms.len()
                    && (degree == 1 || (degree == 2 && last != 0) || (degree == 3 && last == 0));
                let atom = &mut self.molecule.atoms[last];
                atom.chirality = atom.chirality.turned_if(is_late);
                self.rings.add(ring, last, bond);
            }
            (Token::Open, Some(last)) if !is_pending => {
                self.branches.push(last);
                self.needs_atom = true;
            }
            (Token::Close, Some(_)) if !is_pending => {
                let Some(atom) = self.branches.pop() else {
                    return Err(Refusal::new("as many ( as )", "a ) too many"));
                };
                self.last = Some(atom);
            }
            (Token::Dot, Some(_)) if !is_pending => (self.last, self.needs_atom) = (None, true),
            (other, _) => return Err(Refusal::new("an atom", other.to_string())),
        }
        Ok(())
    }

    fn atom(&mut self, atom: Atom) -> Result<(), Refusal> {
        let number = self.molecule.atoms.len();
        if number == MOST_ATOMS {
            return Err(Refusal::new(format!("at most {MOST_ATOMS} atoms"), "more"));
        }
        self.molecule.atoms.push(atom);
        self.degrees.push(0);
        self.is_start.push(self.last.is_none());
        if let Some(last) = self.last {
            let bond = self.bond.take().unwrap_or_default();
            self.degrees[last] += 1;
            self.degrees[number] += 1;
            let bond = bond.between(&self.molecule, last, number);
            self.molecule.bonds.push(bond);
        }
        (self.last, self.needs_atom) = (Some(number), false);
        Ok(())
    }

    fn finish(mut self) -> Result<Molecule, Refusal> {
        if self.bond.is_some() || self.needs_atom || self.last.is_none() {
            return Err(Refusal::new("an atom", "the end"));
        }
        if !self.branches.is_empty() {
            return Err(Refusal::new("as many ) as (", format!("{} too few", self.branches.len())));
        }
        let closed = std::mem::take(&mut self.rings).close(&mut self.molecule)?;
        self.molecule.connect();
        for (atom, closed) in closed.iter().enumerate() {
            if self.molecule.atoms[atom].chirality.is_tetrahedral() {
                self.turn(atom, closed);
            }
        }
        Ok(self.molecule)
    }

    /// Makes a turn that is given for neighbours in the order of the text one for the order of bonds. `closed` are the
    /// bonds of the atom that close rings, in the order of the text.
    fn turn(&mut self, atom: usize, closed: &[usize]) {
        let ends = self.molecule.incidence.of(atom);
        let chain = |is_before: bool| {
            let chain = ends.iter().filter(move |end| !closed.contains(&end.bond) && (end.atom < atom) == is_before);
            let mut chain: Vec<(usize, usize)> = chain.map(|end| (end.atom, end.bond)).collect();
            chain.sort_unstable();
            chain.into_iter().map(|(_, bond)| bond)
        };
        let written: Vec<usize> = chain(true).chain(closed.iter().copied()).chain(chain(false)).collect();
        let this = &self.molecule.atoms[atom];
        let is_single = ends.iter().all(|end| self.molecule.bonds[end.bond].order.twice() <= 2);
        // Of three neighbours, the hydrogen or the lone pair comes first or last.
        let is_moved = ends.len() == 3
            && ((self.is_start[atom] && this.written_hydrogens == 1)
                || (this.written_hydrogens != 1 && closed.len() == 1 && is_single));
        let chirality = this.chirality.turned_if(stereo::is_odd(&written) != is_moved);
        self.molecule.atoms[atom].chirality = chirality;
    }
}
