//! [`Edges`]: the rule by which atoms are connected.

use super::EdgesError;
use std::str::FromStr;

/// The rule by which atoms are connected. Every edge goes from a neighbour (source) to the atom itself (target), as
/// messages flow. Where a structure repeats, neighbours are the periodic images of atoms, including those of the atom
/// itself. An atom at exactly the radius is outside, as in ASE.
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

    /// The rule with a radius that is larger by `margin`, if it has one.
    pub(super) fn wider(self, margin: f64) -> Self {
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

/// Reads `full`, `radius:LENGTH`, `nearest:K` or `nearest:K:LENGTH`, as given on the command line.
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
