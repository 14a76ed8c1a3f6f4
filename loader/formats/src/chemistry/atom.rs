//! Atoms and bonds of a molecule: [`Atom`] with its turn and its orbitals, [`Bond`] with its order, how it is drawn and
//! its sides.

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
    /// The line as it is seen from its other end: `/` becomes `\`.
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
