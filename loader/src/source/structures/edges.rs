//! [`Edges`]: the rule by which atoms are connected.

use std::str::FromStr;

/// The rule by which atoms are connected. Every edge goes from a neighbour to the atom that it is a neighbour of, so that messages flow to targets; edges
/// are sorted by target, then by distance.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Edges {
    /// Every atom with every other, cells not considered: QM9 in the batching study.
    FullyConnected,
    /// Atoms at most this far apart; in crystals all images of an atom, its own included.
    Radius(f64),
    /// Each atom to its `k` nearest neighbours, fewer in molecules that have fewer; images count in crystals. AFLOW in the batching study, k = 24.
    Nearest(usize),
}

/// Reads `full`, `radius:LENGTH` or `nearest:K`, as options of commands name them.
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

/// Most images of atoms that are looked at around one atom.
pub(super) const MOST_IMAGES: f64 = 1e6;

/// Edges that cannot be had.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EdgesError {
    /// A text that names no edges.
    #[error("expected full, radius:LENGTH or nearest:K, found {text:?}")]
    Unknown {
        /// The text.
        text: String,
    },
    /// The radius is no length.
    #[error("the radius must be above 0, found {radius}")]
    Radius {
        /// The radius.
        radius: f64,
    },
    /// The cell is flat, or cannot be computed with.
    #[error("the vectors of the cell span a volume of {volume}, or their lengths differ too much")]
    Cell {
        /// Its volume.
        volume: f64,
    },
    /// The sphere around an atom has too many images of atoms.
    #[error(
        "a sphere of radius {radius:.1} reaches about {images:.0} images of atoms, at most {MOST_IMAGES:.0} are supported"
    )]
    Images {
        /// The radius.
        radius: f64,
        /// Their number, about.
        images: f64,
    },
    /// A structure has too many atoms.
    #[error("{atoms} atoms are more than 32 bits can number")]
    Atoms {
        /// Their number.
        atoms: usize,
    },
}
