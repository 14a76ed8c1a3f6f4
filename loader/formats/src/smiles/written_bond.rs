//! [`WrittenBond`]: a bond as SMILES have it.

use crate::chemistry::{Bond, Direction, Molecule, Order};

/// The bond that is written before an atom or before the number of a ring.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct WrittenBond {
    /// Its order; where there is none, it follows from the two atoms.
    pub order: Option<Order>,
    /// `/` or `\`.
    pub direction: Direction,
    /// Whether its order is dative and the arrow points back.
    pub is_backward: bool,
}

impl WrittenBond {
    /// A bond between two atoms as it is self.
    pub(crate) fn between(self, molecule: &Molecule, begin: usize, end: usize) -> Bond {
        let are_aromatic = molecule.atoms[begin].is_aromatic && molecule.atoms[end].is_aromatic;
        let order = self.order.unwrap_or(if are_aromatic { Order::Aromatic } else { Order::Single });
        let (begin, end) = if self.is_backward { (end, begin) } else { (begin, end) };
        Bond { direction: self.direction, ..Bond::new(begin, end, order) }
    }
}
