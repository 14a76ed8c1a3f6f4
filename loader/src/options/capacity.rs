//! [`Capacity`]: how much a batch holds.

use super::Limits;
use crate::layout::Shape;
use graphpack_core::{Cost, LeastPadding};

/// How much a pack, and so a batch, holds. A number called `graphs` counts real graphs; a number called `batch_size`
/// includes the padding graph, as in jraph and the batching study.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Capacity {
    /// Uses these limits of real rows of each set and of real graphs; the shape adds padding to them.
    Limits(Limits),
    /// Uses this shape, padding included: jraph's `n_node, n_edge, n_graph`.
    Shape(Shape),
    /// Takes the mean size times this number of graphs, or the size of the largest graph if that is more, rounded up to
    /// a multiple of 64, or of the largest power of two that adds no more than a quarter: each set by itself. A pack
    /// may have a quarter more graphs than fit on average, unless that is one. A data set of fewer graphs counts as this number.
    Graphs(u32),
    /// Searches for limits of about this number of graphs per pack ([`search`](graphpack_core::search)): near the data
    /// set's mean size, those whose packs are fullest. Takes about a second for a thousand distinct
    /// sizes.
    Search(u32),
    /// Searches for the limits whose epoch costs least, among those whose batches, padding included, need at most `budget`
    /// of `memory` ([`search::cheapest`](graphpack_core::search::cheapest)), in about the data set's mean size. Costs of
    /// rows are those of the sets, in their order. Takes about a second for a thousand distinct sizes.
    ///
    /// ```
    /// use graphpack_loader::{Capacity, Loader, molecules};
    /// use graphpack_core::Cost;
    ///
    /// // 2 ns for a node, 5 for an edge, 30 microseconds for a step; a megabyte, 400 bytes of it for a node, 150 for an edge.
    /// let cost = Cost::rows([2, 5]).step(30_000);
    /// let memory = Cost::rows([400, 150]);
    /// let capacity = Capacity::Cheapest { cost, memory, budget: 1_000_000 };
    /// let loader = Loader::new(molecules::generate(7, 1000)).capacity(capacity).build()?;
    /// let shape = loader.shape().expect("packed batches have one shape");
    /// assert!(400 * shape.nodes() + 150 * shape.rows(graphpack_loader::Level::EDGE) <= 1_000_000);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    Cheapest {
        /// What a step costs.
        cost: Cost,
        /// What the memory of a step costs, in bytes or another unit.
        memory: Cost,
        /// The most memory of a step.
        budget: u64,
    },
    /// Divides graphs into classes by size, each with a shape of its own, so that few large graphs do not set the shape of
    /// all batches: as many shapes as save at least a hundredth of the rows each, and at most `shapes`
    /// ([`Buckets`](graphpack_core::Buckets)). All shapes are for about `graphs` graphs, at most an eighth more, or for
    /// the largest graph of the class; the largest shape has room for every graph. Only with
    /// [`Batching::Packed`](crate::Batching::Packed). Takes about a second for a thousand distinct sizes.
    ///
    /// [`Loader::shapes`](crate::Loader::shapes) says how many batches have which shape. An epoch mixes them; all ranks
    /// have the same shape in a step. Graphs of a batch are alike in size, so that a batch is a worse sample of the data
    /// than one of a single shape: take buckets where batches have few graphs.
    Buckets {
        /// The most shapes, at least 1.
        shapes: u8,
        /// About how many real graphs a batch has.
        graphs: u32,
    },
    /// Uses the shape that jraph's estimate gives ([`Sample::dynamic`](graphpack_core::Sample::dynamic)), computed from
    /// all graphs.
    Dynamic {
        /// Graphs of the shape, the padding graph included.
        batch_size: u32,
    },
    /// Takes the size of the largest graph times `batch_size`, rounded up to a multiple of 64
    /// ([`Sample::constant`](graphpack_core::Sample::constant)). Any `batch_size - 1` graphs fit.
    Constant {
        /// Graphs of the shape, the padding graph included.
        batch_size: u32,
    },
    /// Takes the size of the largest graph times `batch_size - 1`, plus one padding graph of one node (TF-GNN,
    /// [`Sample::tight`](graphpack_core::Sample::tight)).
    Tight {
        /// Graphs of the shape, the padding graph included.
        batch_size: u32,
    },
    /// Takes the smallest shape that `share` of 10,000 random batches fit into ([`Target::percentile`](graphpack_core::Target::percentile)), but at least
    /// the largest graph. With [`Batching::Dynamic`](crate::Batching::Dynamic), a batch that does not fit ends earlier;
    /// TF-GNN would drop it. A batch is taken to have at most the graphs of an epoch.
    Percentile {
        /// Graphs of the shape, the padding graph included.
        batch_size: u32,
        /// Share of random batches that must fit, above 0 and at most 1.
        share: f64,
    },
}

impl Capacity {
    /// Number of real graphs per batch, for the capacities that are defined by a number of graphs.
    pub(crate) fn graphs(&self, least: &LeastPadding) -> Option<u32> {
        match *self {
            Self::Graphs(graphs) => Some(graphs),
            Self::Dynamic { batch_size } | Self::Constant { batch_size } | Self::Tight { batch_size } => {
                Some(least.real_graphs(batch_size))
            }
            _ => None,
        }
    }
}
