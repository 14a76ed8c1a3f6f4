//! [`Capacity`]: how much a batch holds.

use graphpack_core::{Limits, Target};

/// How much a pack, and so a batch, holds. What a "batch size" is differs: `graphs` here counts real graphs, `batch_size` counts the padding
/// graph too, as jraph and the batching study do.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Capacity {
    /// These limits of real nodes, edges and graphs; the shape adds padding to them.
    Limits(Limits<2>),
    /// This shape, padding included: jraph's `n_node, n_edge, n_graph`.
    Target(Target<2>),
    /// Mean size times graphs, rounded up to a multiple of 64, never below the largest graph, per component; at most a quarter more
    /// graphs in a pack than fit on average.
    Graphs(u32),
    /// Limits that a search finds for about that many graphs per pack ([`search`](graphpack_core::search)): those along the data set's proportion of nodes and
    /// edges whose packs are fullest. Takes about a second where there are a thousand sizes.
    Search(u32),
    /// The shape that jraph's estimate gives ([`Sample::dynamic`](graphpack_core::Sample::dynamic)), here from all graphs.
    Dynamic {
        /// Graphs of the shape, the padding graph included.
        batch_size: u32,
    },
    /// The largest graph times `batch_size`, rounded up to a multiple of 64 ([`Sample::constant`](graphpack_core::Sample::constant)).
    Constant {
        /// Graphs of the shape, the padding graph included.
        batch_size: u32,
    },
    /// The largest graph times the real graphs, and the least padding (TF-GNN, [`Sample::tight`](graphpack_core::Sample::tight)).
    Tight {
        /// Graphs of the shape, the padding graph included.
        batch_size: u32,
    },
    /// The smallest shape that a share of 10,000 random batches fits into ([`Target::percentile`]), never below the largest graph. With
    /// [`Batching::Dynamic`](crate::Batching::Dynamic) a batch that does not fit ends earlier, where TF-GNN would drop it.
    Percentile {
        /// Graphs of the shape, the padding graph included.
        batch_size: u32,
        /// Share of batches that fit, above 0 and at most 1.
        share: f64,
    },
}

impl Capacity {
    /// Real graphs per batch, where this gives nothing else.
    pub(crate) fn graphs(&self) -> Option<u32> {
        match *self {
            Self::Graphs(graphs) => Some(graphs),
            Self::Dynamic { batch_size } | Self::Constant { batch_size } | Self::Tight { batch_size } => {
                Some(batch_size.saturating_sub(1))
            }
            _ => None,
        }
    }
}
