//! [`Heuristic`]: the priority of a size, by which packers sort (paper, section 2.3).

use crate::Size;

/// One number for a size, its priority. Greedy packers take sizes in descending order of it, and rank open packs by the
/// heuristic of the room that they have left.
///
/// All are monotone: where a component grows, the value grows or stays equal. Values saturate at `u64::MAX`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Heuristic<const K: usize> {
    /// The product of all components.
    Product,
    /// The sum of all components.
    Sum,
    /// The largest component.
    Maximum,
    /// The smallest component.
    Minimum,
    /// One component, by its position: 0 = nodes, 1 = edges. The limits of the others still hold.
    Component(usize),
    /// The sum of the components, each times its weight.
    Weighted(Size<K>),
}

impl<const K: usize> Heuristic<K> {
    /// The priority of `size`. A component that does not exist counts as zero.
    #[inline]
    pub fn value(&self, size: &Size<K>) -> u64 {
        let components = size.0.iter().map(|&component| u64::from(component));
        match self {
            Self::Product => components.fold(1, u64::saturating_mul),
            Self::Sum => components.fold(0, u64::saturating_add),
            Self::Maximum => components.max().unwrap_or(0),
            Self::Minimum => components.min().unwrap_or(0),
            Self::Component(k) => size.0.get(*k).map_or(0, |&component| u64::from(component)),
            Self::Weighted(weights) => components
                .zip(&weights.0)
                .fold(0, |sum: u64, (component, &weight)| sum.saturating_add(component * u64::from(weight))),
        }
    }

    /// The same heuristic for sizes of J components. Components that are new have weight 0.
    #[must_use]
    pub fn with_components<const J: usize>(&self) -> Heuristic<J> {
        match self {
            Self::Product => Heuristic::Product,
            Self::Sum => Heuristic::Sum,
            Self::Maximum => Heuristic::Maximum,
            Self::Minimum => Heuristic::Minimum,
            Self::Component(k) => Heuristic::Component(*k),
            Self::Weighted(weights) => Heuristic::Weighted(weights.with_components()),
        }
    }
}
