//! [`Packer::pack`]: calls the algorithm that a [`Packer`] names. [`best_fit_by`]: one with an order that has no name.

use super::{auto, columns, demand, greedy, window};
use crate::{Effort, Heuristic, Histogram, Limits, LimitsError, Packer, Plan, Size, bound};

impl<const K: usize> Packer<K> {
    /// Packs every graph of `histogram`; no pack exceeds `limits`.
    ///
    /// Errors if a limit is zero, if a size exceeds the limits, or if there is too much to pack for this packer.
    pub fn pack(&self, histogram: &Histogram<K>, limits: &Limits<K>) -> Result<Plan<K>, PackError<K>> {
        check(histogram, limits)?;
        if histogram.graphs() == 0 {
            return Ok(Plan::empty(*limits).made_by(*self));
        }
        let plan = match self {
            Self::BestFit(heuristic) => greedy::best_fit::pack(histogram, limits, heuristic),
            Self::FirstFit(heuristic) => greedy::first_fit::pack(histogram, limits, heuristic),
            // Effort without end: the packer itself ends, because every pack takes at least one graph.
            Self::Demand => demand::pack(histogram, limits, &mut Effort::steps(u64::MAX)),
            Self::Columns(effort) => {
                let too_large = PackError::TooLarge { sizes: histogram.entries().len(), limits: *limits };
                let start = greedy::best_fit::pack(histogram, limits, &Heuristic::Product);
                let start = start.with_bound(bound::of_large_graphs(histogram, limits));
                let mut progress = columns::Progress::default();
                columns::pack(histogram, limits, &start, &mut progress, &mut { *effort }).ok_or(too_large)?
            }
            Self::Window { open, seed } => window::pack(histogram, limits, usize::from(*open), *seed)
                .ok_or(PackError::TooManyGraphs { graphs: histogram.graphs() })?,
            Self::Auto(effort) => auto::pack(histogram, limits, *effort),
            Self::Published(heuristic) => greedy::published::pack(histogram, limits, heuristic),
        };
        Ok(plan.made_by(*self))
    }
}

/// Packs by best-fit with an order of your own: sizes come in descending order of `priority`, and each graph goes to
/// the pack with room for it whose room has the least priority.
///
/// The priority should be monotone as a [`Heuristic`] is: where a component grows, it grows or stays equal. With any
/// other, packs with room for a graph may be overlooked, and the plan has more packs than it needs.
///
/// ```
/// use graphpack_core::{Histogram, Limits, Size, packer::best_fit_by};
///
/// let histogram = Histogram::from_counts([(Size([20, 40]), 3), (Size([10, 22]), 3)])?;
/// // Mostly nodes; of two sizes with as many, the one with more edges.
/// let plan = best_fit_by(&histogram, &Limits::new([30, 64]), |size| 1000 * u64::from(size.0[0]) + u64::from(size.0[1]))?;
/// assert_eq!((plan.packs(), plan.packer()), (3, None));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn best_fit_by<const K: usize>(
    histogram: &Histogram<K>,
    limits: &Limits<K>,
    priority: impl Fn(&Size<K>) -> u64,
) -> Result<Plan<K>, PackError<K>> {
    check(histogram, limits)?;
    Ok(greedy::best_fit::pack_by(histogram, limits, priority))
}

/// Refuses limits of zero and sizes that exceed the limits.
fn check<const K: usize>(histogram: &Histogram<K>, limits: &Limits<K>) -> Result<(), PackError<K>> {
    limits.check()?;
    let over = histogram.entries().iter().filter(|(size, _)| !size.fits(&limits.size));
    match over.map(|(_, count)| count).sum() {
        0 => Ok(()),
        count => Err(PackError::Oversize { count, largest: histogram.largest(), limits: *limits }),
    }
}

/// Why graphs cannot be packed.
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PackError<const K: usize> {
    /// A limit is zero.
    #[error(transparent)]
    Limits(#[from] LimitsError<K>),
    /// The configuration program is too large for the effort.
    #[error(
        "{sizes} sizes under the limits {limits} are too many for the columns packer and its effort; take auto or demand"
    )]
    TooLarge {
        /// Number of distinct sizes.
        sizes: usize,
        /// The limits.
        limits: Limits<K>,
    },
    /// More than 10^8 graphs for the window packer, which takes them one by one.
    #[error("{graphs} graphs are too many for the window packer, which takes them one by one; at most 10^8")]
    TooManyGraphs {
        /// Number of graphs.
        graphs: u64,
    },
    /// Sizes have no such component.
    #[error("expected a component below {components}, found {component}")]
    Component {
        /// The position that was asked for.
        component: usize,
        /// Number of components of a size.
        components: usize,
    },
    /// Graphs do not fit into an empty pack.
    #[error("{count} graphs exceed the limits {limits}; limits of {largest} hold every graph")]
    Oversize {
        /// The number of graphs that do not fit.
        count: u64,
        /// The most of each component that any graph has.
        largest: Size<K>,
        /// The limits.
        limits: Limits<K>,
    },
}

crate::debug_is_display!(const K: PackError<K>);
