//! [`EdgesError`]: why atoms cannot be connected.

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
        rule: super::Edges,
    },
    /// A field that edges are computed from is missing, or has another type or shape.
    #[error("edges between atoms follow from {expected}; found {found}")]
    Field {
        /// Name and kind of the field.
        expected: String,
        /// What the source has instead.
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
