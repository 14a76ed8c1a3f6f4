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
    /// The product of the components, each to the power of its weight.
    WeightedProduct(Size<K>),
    /// The largest component after each was multiplied by its weight.
    WeightedMaximum(Size<K>),
    /// The smallest component after each was multiplied by its weight; those of weight 0 do not count.
    WeightedMinimum(Size<K>),
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
            Self::Weighted(weights) => weighted(size, weights).fold(0, |sum, (part, _)| sum.saturating_add(part)),
            Self::WeightedProduct(weights) => components
                .zip(weights.0)
                .fold(1, |product, (part, power)| product.saturating_mul(part.saturating_pow(power))),
            Self::WeightedMaximum(weights) => weighted(size, weights).map(|(part, _)| part).max().unwrap_or(0),
            Self::WeightedMinimum(weights) => {
                weighted(size, weights).filter(|&(_, weight)| weight > 0).map(|(part, _)| part).min().unwrap_or(0)
            }
        }
    }

    /// [`value`](Self::value) as a function, for packers.
    #[cfg(feature = "alloc")]
    pub(crate) fn priority(&self) -> impl Fn(&Size<K>) -> u64 + '_ {
        |size| self.value(size)
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
            Self::WeightedProduct(weights) => Heuristic::WeightedProduct(weights.with_components()),
            Self::WeightedMaximum(weights) => Heuristic::WeightedMaximum(weights.with_components()),
            Self::WeightedMinimum(weights) => Heuristic::WeightedMinimum(weights.with_components()),
        }
    }
}

/// Each component times its weight, and the weight.
fn weighted<'a, const K: usize>(size: &'a Size<K>, weights: &'a Size<K>) -> impl Iterator<Item = (u64, u32)> + 'a {
    size.0.iter().zip(&weights.0).map(|(&component, &weight)| (u64::from(component) * u64::from(weight), weight))
}
