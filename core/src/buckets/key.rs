//! [`Key`]: what sizes are sorted by, to be divided into intervals.

use crate::{Cost, Size};
use core::cmp::Ordering;

/// What sizes are sorted by.
#[derive(Clone, Copy, Debug)]
pub(super) enum Key {
    /// The rows of a component.
    Component(usize),
    /// The cost of the rows of a graph.
    Cost,
    /// The rows of the first component per row of the second.
    Ratio(usize, usize),
}

impl Key {
    /// Returns the keys that are tried for sizes of `K` components. Ratios are those to the first component.
    pub(super) fn all<const K: usize>() -> impl Iterator<Item = Self> {
        let ratios = (1..K).flat_map(|k| [Self::Ratio(0, k), Self::Ratio(k, 0)]);
        (0..K).map(Self::Component).chain((K > 1).then_some(Self::Cost)).chain(ratios)
    }

    /// Compares two sizes by this key, and by all components where it is equal.
    pub(super) fn compare<const K: usize>(self, cost: &Cost<K>, a: &Size<K>, b: &Size<K>) -> Ordering {
        let value = |size: &Size<K>| match self {
            Self::Component(k) => u128::from(size.0[k]),
            Self::Cost => cost.rows.iter().zip(size.0).map(|(&each, rows)| u128::from(each) * u128::from(rows)).sum(),
            // Compared below.
            Self::Ratio(..) => 0,
        };
        let ratio = || match self {
            // With one more of each, a ratio to nothing is a number, too.
            Self::Ratio(k, l) => {
                let product = |x: &Size<K>, y: &Size<K>| (u128::from(x.0[k]) + 1) * (u128::from(y.0[l]) + 1);
                product(a, b).cmp(&product(b, a))
            }
            _ => Ordering::Equal,
        };
        value(a).cmp(&value(b)).then_with(ratio).then_with(|| a.cmp(b))
    }
}
