//! [`Molecule`]: atoms and bonds, as a file gives them and as perception completes them.

use super::{Incidence, Rings};

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

/// One atom.
#[derive(Clone, Debug, Default)]
pub(crate) struct Atom {
    /// Atomic number; 0 for no particular element.
    pub number: u8,
    /// Formal charge.
    pub charge: i32,
    /// Mass number; 0 for the natural mixture.
    pub isotope: u16,
    /// Number of the atom in a reaction; 0 for none.
    pub map: u32,
    /// Hydrogens that are written at the atom, or that must not be lost.
    pub written_hydrogens: i32,
    /// Whether hydrogens are only those that are written.
    pub only_written: bool,
    /// Unpaired electrons.
    pub radicals: i32,
    /// Whether it is part of an aromatic system.
    pub is_aromatic: bool,
    /// The turn of its neighbours.
    pub chirality: Chirality,
    /// The turn of its neighbours relative to their ranks, where these decide it.
    pub handedness: Option<Handedness>,
    /// Its orbitals.
    pub hybridization: Hybridization,
    /// Bonds, each with its order, and written hydrogens.
    pub explicit_valence: i32,
    /// Hydrogens that its valence asks for; see [`implied_hydrogens`](Self::implied_hydrogens).
    pub implicit_valence: i32,
    /// Whether a file says that its stereochemistry is not known.
    pub is_unknown_stereo: bool,
}

/// One bond.
#[derive(Clone, Debug)]
pub(crate) struct Bond {
    /// The atom at which it begins.
    pub begin: usize,
    /// The atom at which it ends.
    pub end: usize,
    /// How many electron pairs it has.
    pub order: Order,
    /// Whether it is part of an aromatic system.
    pub is_aromatic: bool,
    /// Whether its electrons are shared with the next bonds.
    pub is_conjugated: bool,
    /// How it is drawn.
    pub direction: Direction,
    /// On which sides of a double bond the substituents are.
    pub stereo: Stereo,
    /// Whether it was drawn as a wave.
    pub is_wavy: bool,
}

/// How many electron pairs a bond has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Single,
    Double,
    Triple,
    Quadruple,
    Aromatic,
    /// Both electrons come from the atom at which the bond begins.
    Dative,
}

/// How a bond is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Direction {
    /// As a line.
    #[default]
    None,
    /// `/`: its end lies above its begin.
    Up,
    /// `\`: its end lies below its begin.
    Down,
    /// Its end lies before the paper.
    Wedge,
    /// Its end lies behind the paper.
    Dash,
    /// As a wave: before or behind.
    Wavy,
    /// As a crossed double bond: either side.
    Either,
}

/// On which sides of a double bond the substituents of highest rank are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Stereo {
    /// Not said, or not a question.
    #[default]
    None,
    /// Either.
    Any,
    /// On the same side.
    Z,
    /// On opposite sides.
    E,
}

/// The turn of the neighbours of an atom, in the order of its bonds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Chirality {
    /// Not said, or not a question.
    #[default]
    None,
    /// Seen from the first neighbour, the others turn clockwise.
    Clockwise,
    /// Seen from the first neighbour, the others turn counterclockwise.
    Counterclockwise,
    /// Four neighbours in a plane.
    SquarePlanar,
    /// Five neighbours.
    TrigonalBipyramidal,
    /// Six neighbours.
    Octahedral,
}

/// R or S of a stereocentre.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Handedness {
    R,
    S,
}

/// Orbitals of an atom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Hybridization {
    #[default]
    Unknown,
    S,
    Sp,
    Sp2,
    Sp3,
    Sp2d,
    Sp3d,
    Sp3d2,
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

impl Atom {
    /// Hydrogens that are neither atoms nor written.
    pub(crate) fn implied_hydrogens(&self) -> i32 {
        if self.only_written { 0 } else { self.implicit_valence }
    }

    /// Bonds, each with its order, and hydrogens.
    pub(crate) fn total_valence(&self) -> i32 {
        self.explicit_valence + self.implied_hydrogens()
    }
}

impl Bond {
    /// A bond that is drawn as a line.
    pub(crate) fn new(begin: usize, end: usize, order: Order) -> Self {
        let is_aromatic = order == Order::Aromatic;
        let (direction, stereo) = (Direction::None, Stereo::None);
        Self { begin, end, order, is_aromatic, is_conjugated: false, direction, stereo, is_wavy: false }
    }

    /// Twice what it adds to the valence of one of its atoms.
    pub(crate) fn twice_to(&self, atom: usize) -> i32 {
        if self.order == Order::Dative && atom == self.begin { 0 } else { self.order.twice() }
    }
}

impl Order {
    /// Twice the number of electron pairs: an aromatic bond has one and a half.
    pub(crate) fn twice(self) -> i32 {
        match self {
            Self::Single | Self::Dative => 2,
            Self::Aromatic => 3,
            Self::Double => 4,
            Self::Triple => 6,
            Self::Quadruple => 8,
        }
    }
}

impl Direction {
    /// The same line, seen from its other end.
    pub(crate) fn reversed(self) -> Self {
        match self {
            Self::Up => Self::Down,
            Self::Down => Self::Up,
            other => other,
        }
    }

    /// Whether it says on which side of a double bond an atom is.
    pub(crate) fn is_slanted(self) -> bool {
        matches!(self, Self::Up | Self::Down)
    }
}

impl Chirality {
    /// Whether it is a turn of three or four neighbours.
    pub(crate) fn is_tetrahedral(self) -> bool {
        matches!(self, Self::Clockwise | Self::Counterclockwise)
    }

    /// The opposite turn, if `odd`.
    pub(crate) fn turned_if(self, odd: bool) -> Self {
        match self {
            Self::Clockwise if odd => Self::Counterclockwise,
            Self::Counterclockwise if odd => Self::Clockwise,
            other => other,
        }
    }
}
