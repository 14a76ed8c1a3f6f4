//! [`Molecule`]: atoms and bonds, as a file gives them and as perception completes them.

use super::atom::Atom;
use super::bond::{Bond, Order};
use super::incidence::Incidence;
use super::rings::Rings;

/// Atoms that a molecule may have: ranks of atoms take time that grows with their square.
pub(crate) const MOST_ATOMS: usize = 5_000;
/// Rings that a molecule may have: to find the smallest takes time that grows with their square.
pub(crate) const MOST_RINGS: usize = 1_000;

/// Atoms and bonds. [`perceive`](super::perceive) fills in what files leave out.
#[derive(Clone, Debug, Default)]
pub(crate) struct Molecule {
    /// Atoms in the order of the file.
    pub atoms: Vec<Atom>,
    /// Bonds in the order in which RDKit numbers them.
    pub bonds: Vec<Bond>,
    /// Which bonds an atom has; [`connect`](Self::connect) makes it.
    pub incidence: Incidence,
    /// The rings, once they were found.
    pub rings: Rings,
    /// Coordinates of the atoms in angstrom; empty if the file has none.
    pub positions: Vec<[f64; 3]>,
}

impl Molecule {
    /// Makes the incidence of its bonds. Bonds must not change their atoms after this.
    pub(crate) fn connect(&mut self) {
        self.incidence = Incidence::new(self.atoms.len(), &self.bonds);
    }

    /// Number of atoms that an atom has bonds to.
    pub(crate) fn degree(&self, atom: usize) -> i32 {
        self.incidence.of(atom).len() as i32
    }

    /// Number of hydrogens that are not atoms of their own.
    pub(crate) fn hydrogens(&self, atom: usize) -> i32 {
        self.atoms[atom].written_hydrogens + self.atoms[atom].implied_hydrogens()
    }

    /// [`degree`](Self::degree) and [`hydrogens`](Self::hydrogens).
    pub(crate) fn total_degree(&self, atom: usize) -> i32 {
        self.degree(atom) + self.hydrogens(atom)
    }

    /// The bond between two atoms.
    pub(crate) fn bond_between(&self, first: usize, second: usize) -> Option<usize> {
        self.incidence.of(first).iter().find(|end| end.atom == second).map(|end| end.bond)
    }

    /// Whether an atom or one of its bonds is aromatic.
    pub(crate) fn is_in_aromatic(&self, atom: usize) -> bool {
        let bonds = || self.incidence.of(atom).iter().map(|end| &self.bonds[end.bond]);
        self.atoms[atom].is_aromatic || bonds().any(|bond| bond.is_aromatic || bond.order == Order::Aromatic)
    }
}
