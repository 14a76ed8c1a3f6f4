//! [`Packer::pack`]: calls the algorithm that a [`Packer`] names. [`best_fit_by`]: one with an order that has no name.

use super::problem::{Counts, Packs};
use super::{auto, demand, greedy};
use crate::lanes::{Lanes, by_sets};
use crate::packer::{Budget, Packer};
use crate::{FixedLimits, Heuristic, Histogram, Limits, LimitsError, Plan, Size, bound};

impl Packer {
    /// Packs every graph of `histogram`; no pack exceeds `limits`.
    ///
    /// Errors if a limit is zero, if a size exceeds the limits or has other sets, or if there is too much to pack for
    /// this packer.
    pub fn pack(&self, histogram: &Histogram, limits: &Limits) -> Result<Plan, PackError> {
        let (packs, packer) = by_sets!(limits.size.sets(), K => self.pack_in::<K>(histogram, limits))?;
        Ok(Plan::new(histogram, limits, Some(packer), packs))
    }

    /// Packs sizes of `K` sets. Also returns the packer whose plan it is, for [`Plan::packer`].
    fn pack_in<const K: usize>(&self, histogram: &Histogram, limits: &Limits) -> Result<(Packs, Self), PackError> {
        let counts = checked::<K>(histogram, limits)?;
        let packed: FixedLimits<K> = limits.into();
        let plan = match self {
            _ if counts.graphs() == 0 => Packs::default(),
            Self::BestFit(heuristic) => greedy::best_fit::pack(&counts, &packed, heuristic).0,
            Self::FirstFit(heuristic) => greedy::first_fit::pack(&counts, &packed, heuristic),
            // Budget without end: the packer itself ends, because every pack takes at least one graph.
            Self::Demand => demand::pack(&counts, &packed, 0, &mut Budget::steps(u64::MAX)),
            Self::Columns(budget) => {
                let too_large = PackError::TooLarge { sizes: counts.entries().len(), limits: *limits };
                auto::by_columns(&counts, &packed, *budget).ok_or(too_large)?
            }
            Self::Auto(budget) => return Ok(auto::pack(&counts, &packed, *budget)),
            Self::Published(heuristic) => greedy::published::pack(&counts, &packed, heuristic),
        };
        Ok((plan, *self))
    }
}

/// Packs by best-fit with an order of your own: sizes come in descending order of `priority`, and each graph goes to
/// the pack with room for it whose room has the least priority.
///
/// The priority should be monotone as a [`Heuristic`] is: where a set grows, it grows or stays equal. With any other,
/// packs with room for a graph may be overlooked, and the plan has more packs than it needs.
///
/// ```
/// use graphpack_core::{Histogram, Limits, best_fit_by};
///
/// let histogram = Histogram::from_counts([([20, 40], 3), ([10, 22], 3)])?;
/// // By nodes; of two sizes with the same number of nodes, the one with more edges comes first.
/// let plan = best_fit_by(&histogram, &Limits::new([30, 64]), &|size| 1000 * u64::from(size[0]) + u64::from(size[1]))?;
/// assert_eq!((plan.packs(), plan.packer()), (3, None));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn best_fit_by(histogram: &Histogram, limits: &Limits, priority: &dyn Fn(&Size) -> u64) -> Result<Plan, PackError> {
    let packs = by_sets!(limits.size.sets(), K => checked::<K>(histogram, limits).map(|counts| {
        greedy::best_fit::pack_by(&counts, &limits.into(), |size: &[u32; K]| priority(&Size::new(*size))).0
    }))?;
    Ok(Plan::new(histogram, limits, None, packs))
}

/// Packs by best-fit and by the demand packer, and returns the better plan: milliseconds for a thousand sizes.
pub(crate) fn fitted_or_demanded(histogram: &Histogram, limits: &Limits) -> Result<Plan, PackError> {
    let (packs, packer) = by_sets!(limits.size.sets(), K => better_in::<K>(histogram, limits))?;
    Ok(Plan::new(histogram, limits, Some(packer), packs))
}

fn better_in<const K: usize>(histogram: &Histogram, limits: &Limits) -> Result<(Packs, Packer), PackError> {
    let counts = checked::<K>(histogram, limits)?;
    let packed: FixedLimits<K> = limits.into();
    let (fitted, _) = greedy::best_fit::pack(&counts, &packed, &Heuristic::Product);
    let is_best = fitted.packs() == bound::of_large(&counts, &packed);
    let demanded =
        if is_best { None } else { demand::pack_below(&counts, &packed, fitted.packs(), &mut Budget::steps(u64::MAX)) };
    Ok(match demanded {
        Some(demanded) => (demanded, Packer::Demand),
        None => (fitted, Packer::BestFit(Heuristic::Product)),
    })
}

/// Refuses limits of zero and sizes that exceed the limits or have other sets; returns what is packed.
fn checked<const K: usize>(histogram: &Histogram, limits: &Limits) -> Result<Counts<K>, PackError> {
    limits.check()?;
    if histogram.graphs() > 0 && histogram.sets() != limits.size.sets() {
        return Err(PackError::Sets { sets: histogram.sets(), limits: *limits });
    }
    let (counts, packed) = (Counts::new(histogram), FixedLimits::from(limits));
    let over = counts.entries().iter().filter(|(size, _)| !size.fits(&packed.size));
    match over.map(|(_, count)| count).sum() {
        0 => Ok(counts),
        count => Err(PackError::Oversize { count, largest: histogram.largest(), limits: *limits }),
    }
}

/// Why graphs cannot be packed.
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PackError {
    /// A limit is zero.
    #[error(transparent)]
    Limits(#[from] LimitsError),
    /// Sizes have other sets than the limits.
    #[error("expected limits of {sets} sets as the sizes have, found {limits}")]
    Sets {
        /// Number of sets of the sizes.
        sets: usize,
        /// The limits.
        limits: Limits,
    },
    /// The configuration program is too large for the budget.
    #[error(
        "{sizes} sizes under the limits {limits} are too many for the columns packer and its budget; take auto or demand"
    )]
    TooLarge {
        /// Number of distinct sizes.
        sizes: usize,
        /// The limits.
        limits: Limits,
    },
    /// Sizes have no such set.
    #[error("expected the position of one of {sets} sets, from 0 on, found {set}")]
    NoSet {
        /// The position that was asked for.
        set: usize,
        /// Number of sets of a size.
        sets: usize,
    },
    /// Graphs do not fit into an empty pack.
    #[error("{count} graphs exceed the limits {limits}; limits of {largest} hold every graph")]
    Oversize {
        /// The number of graphs that do not fit.
        count: u64,
        /// The most rows of each set that any graph has.
        largest: Size,
        /// The limits.
        limits: Limits,
    },
}

crate::debug_is_display::debug_is_display!(PackError);
