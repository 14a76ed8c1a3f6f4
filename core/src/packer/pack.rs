//! [`Packer::pack`]: calls the algorithm that a [`Packer`] names.

use super::{auto, columns, demand, greedy, window};
use crate::{Effort, Heuristic, Histogram, Limits, LimitsError, Packer, Plan, Size};

impl<const K: usize> Packer<K> {
    /// Packs every graph of `histogram`; no pack exceeds `limits`.
    ///
    /// Errors if a limit is zero, if a size exceeds the limits, or if there is too much to pack for this packer.
    pub fn pack(&self, histogram: &Histogram<K>, limits: &Limits<K>) -> Result<Plan<K>, PackError<K>> {
        limits.check()?;
        if let Some(&(size, count)) = histogram.entries().iter().find(|(size, _)| !size.fits(&limits.size)) {
            return Err(PackError::Oversize { size, count, limits: *limits });
        }
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
                let plan =
                    columns::pack(histogram, limits, &start, &mut columns::Progress::default(), &mut { *effort })
                        .ok_or(too_large)?;
                // A program that was not finished may round to a worse plan than it began with.
                if plan.packs() <= start.packs() { plan } else { start.with_bound(plan.bound()) }
            }
            Self::Window { open, seed } => window::pack(histogram, limits, usize::from(*open), *seed)
                .ok_or(PackError::TooManyGraphs { graphs: histogram.graphs() })?,
            Self::Auto(effort) => auto::pack(histogram, limits, *effort),
            Self::Published(heuristic) => greedy::published::pack(histogram, limits, heuristic),
        };
        Ok(plan.made_by(*self))
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
    /// A size does not fit into an empty pack.
    #[error("{count} graphs of size {size} exceed the limits {limits}")]
    Oversize {
        /// The size.
        size: Size<K>,
        /// The number of graphs of that size.
        count: u64,
        /// The limits.
        limits: Limits<K>,
    },
}

crate::debug_is_display!(const K: PackError<K>);
