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
    /// Returns the keys that are tried for sizes of `sets` sets. Ratios are those to the first component.
    pub(super) fn all(sets: usize) -> impl Iterator<Item = Self> {
        let ratios = (1..sets).flat_map(|k| [Self::Ratio(0, k), Self::Ratio(k, 0)]);
        (0..sets).map(Self::Component).chain((sets > 1).then_some(Self::Cost)).chain(ratios)
    }

    /// Compares two sizes by this key, and by all components where it is equal.
    pub(super) fn compare(self, cost: &Cost, a: &Size, b: &Size) -> Ordering {
        let value = |size: &Size| match self {
            Self::Component(k) => u128::from(size[k]),
            Self::Cost => {
                cost.rows.iter().zip(size.all()).map(|(&each, &rows)| u128::from(each) * u128::from(rows)).sum()
            }
            // Compared below.
            Self::Ratio(..) => 0,
        };
        let ratio = || match self {
            // With one more of each, a ratio to nothing is a number, too.
            Self::Ratio(k, l) => {
                let product = |x: &Size, y: &Size| (u128::from(x[k]) + 1) * (u128::from(y[l]) + 1);
                product(a, b).cmp(&product(b, a))
            }
            _ => Ordering::Equal,
        };
        value(a).cmp(&value(b)).then_with(ratio).then_with(|| a.cmp(b))
    }
}
