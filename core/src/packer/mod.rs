//! [`Packer`]: the algorithms that turn (histogram, limits) into a plan.
//!
//! | packer | for | from |
//! |---|---|---|
//! | [`BestFit`](Packer::BestFit) | any data set; fewer packs than `FirstFit` on most | paper, section 2.4, with a true best fit |
//! | [`FirstFit`](Packer::FirstFit) | packs of more even fill | paper, section 2.4, last paragraph but one |
//! | [`Demand`](Packer::Demand) | limits that bind in several components; close to the bound nearly everywhere | ours, module `demand` |
//! | [`Columns`](Packer::Columns) | few sizes with large counts, small limits | Gilmore and Gomory 1961, module `configuration` |
//! | [`Window`](Packer::Window) | what a stream of graphs in random order gives | ours, module [`stream`](crate::stream) |
//! | [`Auto`](Packer::Auto) | when in doubt: tries all of these and keeps the best | |
//! | [`Published`](Packer::Published) | comparing with the paper's figures | paper, listing 2, to the letter |
//!
//! Sizes are taken in descending order of a [`Heuristic`]; all copies of a size are placed together, so that the work depends on
//! the number of distinct sizes and not on the number of graphs. `fit_index` holds the open packs in the order of the heuristic
//! applied to the room they have left, with the component-wise maximum of every block of them, so that whole blocks are passed
//! over when nothing in them has room.

mod auto;
mod best_fit;
mod columns;
mod contents;
mod demand;
mod first_fit;
mod fit_index;
mod open_packs;
mod published;
mod scale;
mod size_tree;
mod window;

use crate::{Effort, Heuristic, Histogram, Limits, LimitsError, Plan, Size};
use alloc::vec::Vec;
use core::cmp::Reverse;

/// An algorithm that turns a histogram and limits into a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Packer<const K: usize> {
    /// Each graph goes to the open pack with the least room left that still holds it: tuple longest-pack-first
    /// histogram-packing as section 2.4 of the paper describes it.
    BestFit(Heuristic<K>),
    /// Each graph goes to the open pack with the most room left: tuple shortest-pack-first histogram-packing.
    FirstFit(Heuristic<K>),
    /// Each pack is a small likeness of what is left to be packed, in all components and the number of graphs (module `demand`).
    Demand,
    /// The configuration program, rounded (module `columns`), as far as the effort goes; an error if that is not enough to begin.
    Columns(Effort),
    /// The streaming packer [`stream::Window`](crate::stream::Window) over the graphs in random order.
    Window {
        /// Packs that are open at once, at most 128.
        open: u8,
        /// Seed of the order.
        seed: u64,
    },
    /// Best-fit with every heuristic, demand and columns as far as the effort goes, local search on the best.
    Auto(Effort),
    /// Listing 2 of the paper with its peculiarities (module `published`); its pack counts are the paper's.
    Published(Heuristic<K>),
}

impl<const K: usize> Packer<K> {
    /// Packs every graph of `histogram`; no pack exceeds `limits`.
    ///
    /// Errors if a limit is zero or a size exceeds the limits.
    pub fn pack(&self, histogram: &Histogram<K>, limits: &Limits<K>) -> Result<Plan<K>, PackError<K>> {
        limits.check()?;
        if let Some(&(size, count)) = histogram.entries().iter().find(|(size, _)| !size.fits(&limits.size)) {
            return Err(PackError::Oversize { size, count, limits: *limits });
        }
        if histogram.graphs() == 0 {
            return Ok(Plan::empty(*limits).made_by(*self));
        }
        let plan = match self {
            Self::BestFit(heuristic) => best_fit::pack(histogram, limits, heuristic),
            Self::FirstFit(heuristic) => first_fit::pack(histogram, limits, heuristic),
            // As much effort as there is: it ends after as many packs as there are graphs at the latest.
            Self::Demand => {
                demand::pack(histogram, limits, &mut Effort::steps(u64::MAX)).unwrap_or_else(|| Plan::empty(*limits))
            }
            Self::Columns(effort) => {
                let too_large = PackError::TooLarge { sizes: histogram.entries().len(), limits: *limits };
                let start = best_fit::pack(histogram, limits, &Heuristic::Product);
                let plan = columns::pack(histogram, limits, &start, &mut { *effort }).ok_or(too_large)?;
                // A program that was not finished can be rounded to something worse than it began with.
                if plan.packs() <= start.packs() { plan } else { start.with_bound(plan.bound()) }
            }
            Self::Window { open, seed } => window::pack(histogram, limits, usize::from(*open), *seed)?,
            Self::Auto(effort) => auto::pack(histogram, limits, *effort),
            Self::Published(heuristic) => published::pack(histogram, limits, heuristic),
        };
        Ok(plan.made_by(*self))
    }
}

/// Packs that cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PackError<const K: usize> {
    /// A limit is zero.
    #[error(transparent)]
    Limits(#[from] LimitsError<K>),
    /// The configuration program is too large for the effort given.
    #[error(
        "{sizes} sizes under the limits {limits} are too many for the columns packer and its effort; take auto or demand"
    )]
    TooLarge {
        /// Number of distinct sizes.
        sizes: usize,
        /// The limits.
        limits: Limits<K>,
    },
    /// More graphs than the window packer, which takes them one by one, could ever see.
    #[error("{graphs} graphs are too many for the window packer, which takes them one by one; at most 10^8")]
    TooManyGraphs {
        /// Number of graphs.
        graphs: u64,
    },
    /// Sizes have no such component.
    #[error("component {component} of sizes with {components} components")]
    Component {
        /// The position asked for.
        component: usize,
        /// Components of a size.
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

/// Sizes with counts in descending order of (heuristic, size), the order in which all packers of this family take them.
fn descending<const K: usize>(histogram: &Histogram<K>, heuristic: &Heuristic<K>) -> Vec<(u64, Size<K>, u64)> {
    let mut sizes: Vec<_> =
        histogram.entries().iter().map(|&(size, count)| (heuristic.value(&size), size, count)).collect();
    sizes.sort_unstable_by_key(|&(key, size, _)| Reverse((key, size)));
    sizes
}
