//! [`Heuristic`]: the priority of a size, by which packers sort (paper, section 2.3).

use crate::Size;
use crate::lanes::by_sets;
use core::fmt;

/// The priority of a size, one number. Greedy packers take sizes in descending order of it, and rank open packs by the
/// heuristic of the room that they have left.
///
/// All are monotone: with more rows of a set, the value grows or stays equal. Values saturate at `u64::MAX`. Weights
/// are those of the sets, in their order; sets without a weight have weight 0.
///
/// ```
/// use graphpack_core::{Heuristic, Size};
///
/// let size = Size::new([20, 40]); // 20 nodes and 40 edges
/// assert_eq!(Heuristic::Product.value(&size), 800);
/// assert_eq!(Heuristic::Set(1).value(&size), 40);
/// assert_eq!(Heuristic::WeightedSum(Size::new([2, 1])).value(&size), 80);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Heuristic {
    /// The product of the rows of all sets.
    Product,
    /// The sum of the rows of all sets.
    Sum,
    /// The rows of the largest set.
    Maximum,
    /// The rows of the smallest set.
    Minimum,
    /// The rows of one set, by its position: 0 = nodes, 1 = edges. The limits of the others still hold.
    Set(usize),
    /// The sum of the rows, each set's times its weight.
    WeightedSum(Size),
    /// The product of the rows, each set's to the power of its weight.
    WeightedProduct(Size),
    /// The largest number of rows, each set's times its weight.
    WeightedMaximum(Size),
    /// The smallest number of rows, each set's times its weight; sets of weight 0 do not count.
    WeightedMinimum(Size),
}

impl Heuristic {
    /// Returns the priority of `size`. A set that `size` does not have counts as 0 rows.
    pub fn value(&self, size: &Size) -> u64 {
        by_sets!(size.sets(), K => self.of::<K>(&size.first()))
    }

    /// Returns the priority of a size of `K` sets.
    #[inline]
    pub(crate) fn of<const K: usize>(&self, size: &[u32; K]) -> u64 {
        let rows = size.iter().map(|&rows| u64::from(rows));
        match self {
            Self::Product => rows.fold(1, u64::saturating_mul),
            Self::Sum => rows.fold(0, u64::saturating_add),
            Self::Maximum => rows.max().unwrap_or(0),
            Self::Minimum => rows.min().unwrap_or(0),
            Self::Set(k) => size.get(*k).map_or(0, |&rows| u64::from(rows)),
            Self::WeightedSum(weights) => weighted(size, weights).fold(0, |sum, (rows, _)| sum.saturating_add(rows)),
            Self::WeightedProduct(weights) => rows
                .zip(weights.first::<K>())
                .fold(1, |product, (rows, power)| product.saturating_mul(rows.saturating_pow(power))),
            Self::WeightedMaximum(weights) => weighted(size, weights).map(|(rows, _)| rows).max().unwrap_or(0),
            Self::WeightedMinimum(weights) => {
                weighted(size, weights).filter(|&(_, weight)| weight > 0).map(|(rows, _)| rows).min().unwrap_or(0)
            }
        }
    }

    /// Returns this heuristic with weights for `sets` sets: 0 for sets that have none so far. A heuristic without
    /// weights is returned as it is.
    #[must_use]
    pub fn resized(&self, sets: usize) -> Self {
        match self {
            Self::WeightedSum(weights) => Self::WeightedSum(weights.resized(sets)),
            Self::WeightedProduct(weights) => Self::WeightedProduct(weights.resized(sets)),
            Self::WeightedMaximum(weights) => Self::WeightedMaximum(weights.resized(sets)),
            Self::WeightedMinimum(weights) => Self::WeightedMinimum(weights.resized(sets)),
            other => *other,
        }
    }
}

/// Writes `product`, `set 1`, `sum with weights 2,1` and so on.
impl fmt::Display for Heuristic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, weights) = match self {
            Self::Product => ("product", None),
            Self::Sum => ("sum", None),
            Self::Maximum => ("maximum", None),
            Self::Minimum => ("minimum", None),
            Self::Set(set) => return write!(f, "set {set}"),
            Self::WeightedSum(weights) => ("sum", Some(weights)),
            Self::WeightedProduct(weights) => ("product", Some(weights)),
            Self::WeightedMaximum(weights) => ("maximum", Some(weights)),
            Self::WeightedMinimum(weights) => ("minimum", Some(weights)),
        };
        f.write_str(name)?;
        let Some(weights) = weights else { return Ok(()) };
        let separators = core::iter::once(" with weights ").chain(core::iter::repeat(","));
        weights.as_slice().iter().zip(separators).try_for_each(|(weight, before)| write!(f, "{before}{weight}"))
    }
}

/// Returns the rows of each set times its weight, and the weight.
fn weighted<'a, const K: usize>(size: &'a [u32; K], weights: &Size) -> impl Iterator<Item = (u64, u32)> + use<'a, K> {
    let weights = weights.first::<K>();
    size.iter().zip(weights).map(|(&rows, weight)| (u64::from(rows) * u64::from(weight), weight))
}
