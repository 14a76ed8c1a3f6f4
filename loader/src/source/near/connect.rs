//! [`Connect`]: which atoms are connected, and which fields their edges get; [`Edges`]: the rule; [`EdgesError`]: why
//! it cannot be followed.

use crate::error::{Cause, Error, ErrorKind};
use std::fmt;
use std::str::FromStr;

/// How [`Data::connect`](crate::Data::connect) connects atoms, and what it writes of each edge. It takes [`Edges`]
/// alone, too.
///
/// ```
/// use graphpack_loader::{Connect, Data, Edges, clusters};
///
/// let near = Connect::from(Edges::Radius(3.0)).margin(0.1).fields(["distance"]);
/// let data = Data::from(clusters::generate(1, 100)).connect(near)?;
/// assert_eq!(data.schema().position("distance"), Some(3)); // after z, pos and y
/// # Ok::<(), graphpack_loader::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Connect {
    pub(super) edges: Edges,
    pub(super) margin: Option<f64>,
    pub(super) fields: Option<Vec<String>>,
    pub(super) pos: String,
    pub(super) cell: Option<(String, String)>,
}

/// Connects atoms by this rule: positions are `pos`; cells are `cell` and `pbc`, if the data have them.
impl From<Edges> for Connect {
    fn from(edges: Edges) -> Self {
        Self { edges, margin: None, fields: None, pos: "pos".into(), cell: None }
    }
}

impl Connect {
    /// Counts the edges within a radius that is larger by this length, so that a map may move atoms: none are lost
    /// as long as no two come nearer to each other by more than that. Should there still be more edges than were
    /// counted, the longest are left out, and [`Report::left_out`](crate::report::Report::left_out) counts them;
    /// without a margin, they are an error. A rule without a radius takes no margin.
    pub fn margin(mut self, margin: f64) -> Self {
        self.margin = Some(margin);
        self
    }

    /// Writes these of the fields `distance`, `cell_offsets` and `shift`, beside `edge_index`. Otherwise all are
    /// written; only `distance` if the data have no cells.
    pub fn fields(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.fields = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Takes the positions of atoms from this field.
    pub fn positions(mut self, field: impl Into<String>) -> Self {
        self.pos = field.into();
        self
    }

    /// Takes the vectors of the cell, and which of them are periodic, from these fields.
    pub fn cells(mut self, cell: impl Into<String>, pbc: impl Into<String>) -> Self {
        self.cell = Some((cell.into(), pbc.into()));
        self
    }
}

/// Lengths that differ by no more than this share are equal.
const TOLERANCE: f64 = 1e-5;

/// The rule by which atoms are connected. Every edge goes from a neighbour (source) to the atom itself (target), as
/// messages flow. Where a structure repeats, neighbours are the periodic images of atoms, including those of the atom
/// itself.
///
/// Lengths that differ by no more than 1e-5 of themselves are equal: rounding, as to float32, moves atoms by less where
/// coordinates are below 40 times the length, and so never cuts a shell of neighbours in two. An atom at the radius is
/// outside, as in ASE and matscipy, and here one that is nearer by no more than 1e-5 of the radius, too. If not all of
/// the neighbours that are equally far have room among the nearest, those of lower number come first, then those with
/// lower `cell_offsets`.
///
/// ```
/// use graphpack_loader::Edges;
///
/// assert_eq!("nearest:12:6.0".parse::<Edges>()?, Edges::NearestWithin { radius: 6.0, most: 12 });
/// # Ok::<(), graphpack_loader::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Edges {
    /// Connects every atom with every other and ignores cells, as the batching study does for QM9.
    FullyConnected,
    /// Connects atoms that are less than this far apart.
    Radius(f64),
    /// Connects each atom with its `k` nearest neighbours, or with all if a molecule has fewer. The batching study does
    /// so for AFLOW, with k = 24.
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
    pub(super) fn check(self) -> Result<(), Error> {
        match self {
            Self::Radius(radius) | Self::NearestWithin { radius, .. } if !(radius > 0.0 && radius.is_finite()) => {
                Err(EdgesError::Radius { radius }.into())
            }
            _ => Ok(()),
        }
    }
}

/// The lengths that are equal to `length`: from the first up to and including the second.
pub(super) fn equal(length: f64) -> [f64; 2] {
    [length * (1.0 - TOLERANCE), length * (1.0 + TOLERANCE)]
}

/// Writes the rule as [`from_str`](Self::from_str) reads it: `full`, `nearest:24`.
impl fmt::Display for Edges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FullyConnected => f.write_str("full"),
            Self::Radius(radius) => write!(f, "radius:{radius}"),
            Self::Nearest(most) => write!(f, "nearest:{most}"),
            Self::NearestWithin { radius, most } => write!(f, "nearest:{most}:{radius}"),
        }
    }
}

/// Reads `full`, `radius:LENGTH`, `nearest:K` or `nearest:K:LENGTH`.
impl FromStr for Edges {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let unknown = || Error::from(EdgesError::Unknown { text: text.to_owned() });
        let length = |text: &str| text.parse().map_err(|_| unknown());
        // No neighbour is nothing that somebody asks for in words.
        let count = |text: &str| text.parse().ok().filter(|&most| most > 0).ok_or_else(unknown);
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

/// The most images of atoms that are looked at around a small cell. A structure of many atoms may have 27 images of
/// each.
pub(super) const MOST_IMAGES: f64 = 1e6;

/// Edges cannot be computed by a rule.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EdgesError {
    #[error("expected full, radius:LENGTH, nearest:K or nearest:K:LENGTH with K of at least 1, found {text:?}")]
    Unknown { text: String },
    #[error("the radius must be above 0 and finite, found {radius}")]
    Radius { radius: f64 },
    #[error("the margin must be at least 0 and finite, found {margin}")]
    Margin { margin: f64 },
    #[error("a margin of {margin} widens a radius, but {rule} has none")]
    NoRadius { margin: f64, rule: Edges },
    #[error("edges between atoms follow from {expected}; found {found}")]
    Field { expected: String, found: String },
    #[error("expected atoms without edges, found a data set that has edges already, such as bonds")]
    Taken,
    #[error("atom {atom} is at ({}, {}, {}), expected finite numbers within a million cells", .pos[0], .pos[1], .pos[2])]
    Position { atom: usize, pos: [f64; 3] },
    #[error("the vectors of the cell span a volume of {volume}, or their lengths differ too much")]
    Cell { volume: f64 },
    #[error(
        "a sphere of radius {radius:.1} reaches about {images:.0} images of atoms, \
         at most {MOST_IMAGES:.0} are supported"
    )]
    Images { radius: f64, images: f64 },
    #[error("{atoms} atoms are more than 32 bits can number")]
    Atoms { atoms: usize },
    #[error("the graph has more than {most} edges, where {planned} were planned")]
    Edges { most: usize, planned: usize },
}

impl Cause for EdgesError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Unknown { .. } | Self::Radius { .. } | Self::Margin { .. } | Self::NoRadius { .. } => {
                ErrorKind::Options
            }
            _ => ErrorKind::Data,
        }
    }
}
