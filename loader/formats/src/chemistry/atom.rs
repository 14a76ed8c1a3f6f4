//! [`Atom`]: one atom of a molecule, with its turn and its orbitals.

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
