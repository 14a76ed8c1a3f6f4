//! [`Edges`]: the rule by which atoms are connected; [`EdgesError`]: why it cannot be followed.

use std::str::FromStr;

/// Lengths that differ by no more than this share are equal.
const TOLERANCE: f64 = 1e-5;

/// The rule by which atoms are connected. Every edge goes from a neighbour (source) to the atom itself (target), as
/// messages flow. Where a structure repeats, neighbours are the periodic images of atoms, including those of the atom
/// itself.
///
/// Lengths that differ by no more than 1e-5 of themselves are equal: rounding, as to float32, moves atoms by less where
/// coordinates are below 40 times the length, and so never cuts a shell of neighbours in two. An atom at the radius is
/// outside, as in ASE and matscipy, and here one that is nearer by no more than 1e-5 of the radius, too. If not all of the
/// neighbours that are equally far have room among the nearest, those of lower number come first, then those with lower
/// `cell_offsets`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Edges {
    /// Connects every atom with every other and ignores cells, as the batching study does for QM9.
    FullyConnected,
    /// Connects atoms that are less than this far apart.
    Radius(f64),
    /// Connects each atom with its `k` nearest neighbours, or with all if a molecule has fewer. The batching study does so
    /// for AFLOW, with k = 24.
    Nearest(usize),
    /// Connects each atom with those that are less than `radius` away, but with no more than the `most` nearest.
    NearestWithin {
        /// The radius.
        radius: f64,
        /// The most edges to an atom.
        most: usize,
    },
}

impl Edges {
    /// The radius, infinite for rules without one.
    pub(super) fn radius(self) -> f64 {
        match self {
            Self::Radius(radius) | Self::NearestWithin { radius, .. } => radius,
            Self::FullyConnected | Self::Nearest(_) => f64::INFINITY,
        }
    }

    /// The most edges to an atom.
    pub(super) fn most(self) -> usize {
        match self {
            Self::Nearest(most) | Self::NearestWithin { most, .. } => most,
            Self::FullyConnected | Self::Radius(_) => usize::MAX,
        }
    }

    /// Atoms that are less than this far apart are connected.
    pub(super) fn inside(self) -> f64 {
        self.radius() * (1.0 - TOLERANCE)
    }

    /// The rule with a radius that is larger, if it has one: atoms up to `margin` further apart are connected.
    pub(super) fn wider(self, margin: f64) -> Self {
        let margin = margin / (1.0 - TOLERANCE);
        match self {
            Self::Radius(radius) => Self::Radius(radius + margin),
            Self::NearestWithin { radius, most } => Self::NearestWithin { radius: radius + margin, most },
            Self::FullyConnected | Self::Nearest(_) => self,
        }
    }

    /// Errors if the radius is not above 0 and finite.
    pub(super) fn check(self) -> Result<(), EdgesError> {
        match self {
            Self::Radius(radius) | Self::NearestWithin { radius, .. } if !(radius > 0.0 && radius.is_finite()) => {
                Err(EdgesError::Radius { radius })
            }
            _ => Ok(()),
        }
    }
}

/// The lengths that are equal to `length`: from the first up to and including the second.
pub(super) fn equal(length: f64) -> [f64; 2] {
    [length * (1.0 - TOLERANCE), length * (1.0 + TOLERANCE)]
}

/// Reads `full`, `radius:LENGTH`, `nearest:K` or `nearest:K:LENGTH`.
impl FromStr for Edges {
    type Err = EdgesError;

    fn from_str(text: &str) -> Result<Self, EdgesError> {
        let unknown = || EdgesError::Unknown { text: text.to_owned() };
        let length = |text: &str| text.parse().map_err(|_| unknown());
        let count = |text: &str| text.parse().map_err(|_| unknown());
        let rule = match text.split(':').collect::<Vec<_>>()[..] {
            ["full"] => Self::FullyConnected,
            ["radius", radius] => Self::Radius(length(radius)?),
            ["nearest", most] => Self::Nearest(count(most)?),
            ["nearest", most, radius] => Self::NearestWithin { radius: length(radius)?, most: count(most)? },
            _ => return Err(unknown()),
        };
        rule.check().map(|()| rule)
    }
}

/// The most images of atoms that are looked at around a small cell. A structure of many atoms may have 27 images of each.
pub(super) const MOST_IMAGES: f64 = 1e6;

/// Edges cannot be computed by a rule.
#[derive(Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EdgesError {
    /// The text does not name a rule.
    #[error("expected full, radius:LENGTH, nearest:K or nearest:K:LENGTH, found {text:?}")]
    Unknown {
        /// The text.
        text: String,
    },
    /// The radius is not above 0 and finite.
    #[error("the radius must be above 0 and finite, found {radius}")]
    Radius {
        /// The radius.
        radius: f64,
    },
    /// The margin is negative or not finite.
    #[error("the margin must be at least 0 and finite, found {margin}")]
    Margin {
        /// The margin.
        margin: f64,
    },
    /// There is a margin, but no radius that it widens.
    #[error("a margin of {margin} widens a radius, but {rule:?} has none")]
    NoRadius {
        /// The margin.
        margin: f64,
        /// The rule.
        rule: Edges,
    },
    /// A field that edges are computed from is missing, or has another type or shape.
    #[error("edges between atoms follow from {expected}; found {found}")]
    Field {
        /// Name and kind of the field.
        expected: String,
        /// What the data have instead.
        found: String,
    },
    /// The data set has edges already, and can have no others.
    #[error("expected atoms without edges, found a data set that has edges already, such as bonds")]
    Taken,
    /// A position is no number, infinite or too far from the cell.
    #[error("atom {atom} is at ({}, {}, {}), expected finite numbers within a million cells", .pos[0], .pos[1], .pos[2])]
    Position {
        /// Number of the atom in the structure.
        atom: usize,
        /// Its position.
        pos: [f64; 3],
    },
    /// The cell is flat in the directions that repeat, or the lengths of its vectors differ too much to compute with.
    #[error("the vectors of the cell span a volume of {volume}, or their lengths differ too much")]
    Cell {
        /// Volume of the cell, or the area or length of what repeats.
        volume: f64,
    },
    /// The sphere around an atom has too many images of atoms.
    #[error(
        "a sphere of radius {radius:.1} reaches about {images:.0} images of atoms, \
         at most {MOST_IMAGES:.0} are supported"
    )]
    Images {
        /// The radius.
        radius: f64,
        /// Approximate number of images.
        images: f64,
    },
    /// A structure has more atoms than 32 bits can number.
    #[error("{atoms} atoms are more than 32 bits can number")]
    Atoms {
        /// Number of atoms.
        atoms: usize,
    },
    /// There are far more edges than were planned.
    #[error("the graph has more than {most} edges, where {planned} were planned")]
    Edges {
        /// The most that are sorted.
        most: usize,
        /// Edges planned.
        planned: usize,
    },
}

graphpack_core::debug_is_display!(EdgesError);
