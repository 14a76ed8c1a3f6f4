//! [`Edges`]: the rule by which atoms are connected.

use std::str::FromStr;

/// The rule by which atoms are connected. Every edge goes from a neighbour (source) to the atom itself (target), as
/// messages flow. Edges are sorted by target, then by distance.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Edges {
    /// Connects every atom with every other and ignores cells, as the batching study does for QM9.
    FullyConnected,
    /// Connects atoms at most this far apart; in crystals also with all periodic images, including those of the atom
    /// itself.
    Radius(f64),
    /// Connects each atom with its `k` nearest neighbours, or with all if a molecule has fewer; in crystals periodic
    /// images count. The batching study does so for AFLOW, with k = 24.
    Nearest(usize),
}

/// Reads `full`, `radius:LENGTH` or `nearest:K`, as given on the command line.
impl FromStr for Edges {
    type Err = EdgesError;

    fn from_str(text: &str) -> Result<Self, EdgesError> {
        let unknown = || EdgesError::Unknown { text: text.to_owned() };
        match text.split_once(':') {
            None if text == "full" => Ok(Self::FullyConnected),
            Some(("radius", radius)) => radius.parse().map(Self::Radius).map_err(|_| unknown()),
            Some(("nearest", k)) => k.parse().map(Self::Nearest).map_err(|_| unknown()),
            _ => Err(unknown()),
        }
    }
}

/// The most periodic images of atoms that are looked at around one atom.
pub(super) const MOST_IMAGES: f64 = 1e6;

/// Edges cannot be computed by a rule.
#[derive(Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EdgesError {
    /// The text does not name a rule.
    #[error("expected full, radius:LENGTH or nearest:K, found {text:?}")]
    Unknown {
        /// The text.
        text: String,
    },
    /// The radius is not above 0.
    #[error("the radius must be above 0, found {radius}")]
    Radius {
        /// The radius.
        radius: f64,
    },
    /// The cell is flat, or the lengths of its vectors differ too much to compute with.
    #[error("the vectors of the cell span a volume of {volume}, or their lengths differ too much")]
    Cell {
        /// Volume of the cell.
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
}

graphpack_core::debug_is_display!(EdgesError);
