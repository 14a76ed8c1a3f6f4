//! [`Packer`]: the algorithms by name, with their options.

use crate::{Effort, Heuristic};

/// An algorithm that turns a histogram and limits into a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Packer<const K: usize> {
    /// Each graph goes to the open pack with the least room left among those that can hold it: the paper's tuple
    /// longest-pack-first histogram-packing (section 2.4).
    BestFit(Heuristic<K>),
    /// Each graph goes to the open pack with the most room left: the paper's tuple shortest-pack-first
    /// histogram-packing.
    FirstFit(Heuristic<K>),
    /// Each pack is a small likeness of what is left to be packed, in all components and the number of graphs.
    Demand,
    /// Solves the configuration program (how often to use each possible pack, in fractions) as far as the effort goes,
    /// and rounds it; an error if the effort is too small to begin.
    Columns(Effort),
    /// Runs the streaming packer [`stream::Window`](crate::stream::Window) over the graphs in random order.
    Window {
        /// Number of packs that are open at once, at most 128.
        open: u8,
        /// Random seed of the order.
        seed: u64,
    },
    /// Runs best-fit by the product, and as far as the effort goes best-fit by the other heuristics but `Weighted`,
    /// demand and columns, and improves the best plan by local search. More effort is never worse.
    Auto(Effort),
    /// Listing 2 of the paper with its peculiarities; gives the paper's pack counts.
    Published(Heuristic<K>),
}

impl<const K: usize> Packer<K> {
    /// The same packer for sizes of J components, with its [heuristic](Heuristic::with_components).
    #[must_use]
    pub fn with_components<const J: usize>(&self) -> Packer<J> {
        match self {
            Self::BestFit(heuristic) => Packer::BestFit(heuristic.with_components()),
            Self::FirstFit(heuristic) => Packer::FirstFit(heuristic.with_components()),
            Self::Demand => Packer::Demand,
            Self::Columns(effort) => Packer::Columns(*effort),
            Self::Window { open, seed } => Packer::Window { open: *open, seed: *seed },
            Self::Auto(effort) => Packer::Auto(*effort),
            Self::Published(heuristic) => Packer::Published(heuristic.with_components()),
        }
    }
}
