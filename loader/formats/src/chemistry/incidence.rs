//! [`Incidence`]: which bonds each atom has.

use super::bond::Bond;

/// Which bonds each atom has, in the order of the bonds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Incidence {
    /// Where the ends of each atom begin, and where those of the last one stop.
    starts: Vec<usize>,
    ends: Vec<BondEnd>,
}

/// A bond of an atom, and the atom at its other end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BondEnd {
    /// The number of the bond.
    pub bond: usize,
    /// The other atom.
    pub atom: usize,
}

impl Incidence {
    /// Of `atoms` atoms with these bonds.
    pub(crate) fn new(atoms: usize, bonds: &[Bond]) -> Self {
        let mut starts = vec![0; atoms + 1];
        for bond in bonds {
            starts[bond.begin + 1] += 1;
            starts[bond.end + 1] += 1;
        }
        for atom in 0..atoms {
            starts[atom + 1] += starts[atom];
        }
        let mut next = starts.clone();
        let mut ends = vec![BondEnd { bond: 0, atom: 0 }; 2 * bonds.len()];
        for (number, bond) in bonds.iter().enumerate() {
            for (atom, other) in [(bond.begin, bond.end), (bond.end, bond.begin)] {
                ends[next[atom]] = BondEnd { bond: number, atom: other };
                next[atom] += 1;
            }
        }
        Self { starts, ends }
    }

    /// The bonds of an atom.
    pub(crate) fn of(&self, atom: usize) -> &[BondEnd] {
        &self.ends[self.starts[atom]..self.starts[atom + 1]]
    }
}
