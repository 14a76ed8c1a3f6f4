//! [`parse`]: a molecule from SMILES; [`record`]: one molecule as a graph.
//!
//! The grammar is RDKit's, a superset of OpenSMILES; so is the order of bonds: those between neighbours in the text in
//! its order, then those that close rings, by their number, of which each stands at two atoms. Branches are kept in a
//! list, so that no text is nested too deeply.

use super::tokens::{Token, Tokens, WrittenBond};
use crate::chemistry::{
    Atom, Bond, Direction, MOST_ATOMS, Molecule, Refusal, element, features, perceive, perception, stereo,
};
use crate::common::Record;
use std::collections::{BTreeMap, HashSet};

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

/// Numbers of rings and where each stands in the text.
#[derive(Default)]
pub(crate) struct RingClosures {
    /// For each number, the atoms at which it stands, the bond written there, and its place among all numbers.
    marks: BTreeMap<u32, Vec<(usize, Option<WrittenBond>, usize)>>,
    count: usize,
}

impl RingClosures {
    /// Adds a number that stands at an atom.
    pub(crate) fn add(&mut self, ring: u32, atom: usize, bond: Option<WrittenBond>) {
        self.marks.entry(ring).or_default().push((atom, bond, self.count));
        self.count += 1;
    }

    /// Adds the bonds that close rings, in the order of the numbers. Returns those of each atom, in the order of the
    /// text.
    pub(crate) fn close(self, molecule: &mut Molecule) -> Result<Vec<Vec<usize>>, Refusal> {
        let mut places = vec![Vec::new(); molecule.atoms.len()];
        let mut bonded: HashSet<(usize, usize)> =
            molecule.bonds.iter().map(|bond| (bond.begin.min(bond.end), bond.begin.max(bond.end))).collect();
        for (ring, marks) in self.marks {
            let mut pairs = marks.chunks_exact(2);
            for pair in &mut pairs {
                let [(first, opening, at), (second, closing, other_at)] = [pair[0], pair[1]];
                if first == second {
                    return Err(Refusal::new(
                        "rings of several atoms",
                        format!("ring {ring} from atom {first} to itself"),
                    ));
                }
                if !bonded.insert((first.min(second), first.max(second))) {
                    let found = format!("ring {ring} between atoms {first} and {second}, which have one");
                    return Err(Refusal::new("one bond between two atoms", found));
                }
                let number = molecule.bonds.len();
                molecule.bonds.push(join(molecule, first, opening, second, closing));
                places[first].push((at, number));
                places[second].push((other_at, number));
            }
            if let [(atom, ..)] = pairs.remainder() {
                return Err(Refusal::new("rings that are closed", format!("ring {ring} opened at atom {atom} only")));
            }
        }
        places.iter_mut().for_each(|places| places.sort_unstable());
        Ok(places.into_iter().map(|places| places.into_iter().map(|(_, bond)| bond).collect()).collect())
    }
}

/// One bond of what is written at both atoms. The first that has an order decides; without, the bond begins where the
/// ring is closed.
fn join(
    molecule: &Molecule,
    first: usize,
    opening: Option<WrittenBond>,
    second: usize,
    closing: Option<WrittenBond>,
) -> Bond {
    let (opening, closing) = (opening.unwrap_or_default(), closing.unwrap_or_default());
    let (begin, end, mut bond, other) = match opening.order {
        Some(_) => (first, second, opening, closing),
        None => (second, first, closing, opening),
    };
    if bond.direction == Direction::None {
        bond.direction = other.direction.reversed();
    }
    bond.between(molecule, begin, end)
}

/// Fills `into` with the graph of a molecule, as OGB's `smiles2graph` gives it with RDKit 2022.09. A text that is no
/// SMILES, and a molecule that cannot be, are refused.
pub fn record(smiles: &str, into: &mut Record) -> Result<(), Refusal> {
    let molecule = molecule(smiles)?;
    into.clear();
    into.name.push_str(smiles);
    features::fill(into, &molecule);
    Ok(())
}

fn molecule(smiles: &str) -> Result<Molecule, Refusal> {
    // What follows a blank is a name, or an extension that would change the molecule.
    let (text, rest) = smiles.trim().split_once([' ', '\t']).unwrap_or((smiles.trim(), ""));
    if rest.trim_start().starts_with('|') {
        return Err(Refusal::new("SMILES without CXSMILES extensions", rest.trim()));
    }
    let mut molecule = parse(text)?;
    if molecule.atoms.iter().any(|atom| atom.number == 1) {
        element::assign_valences(&mut molecule, false)?;
        perception::remove_hydrogens(&mut molecule, true);
    }
    perceive(&mut molecule)?;
    stereo::perceive(&mut molecule);
    Ok(molecule)
}
