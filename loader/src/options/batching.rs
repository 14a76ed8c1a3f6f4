//! [`Batching`]: how graphs come together in a batch.

use graphpack_core::Packer;
use serde::{Deserialize, Serialize};
use std::fmt;

/// How graphs come together in a batch.
///
/// | | one shape | order | graphs per batch | also in |
/// |---|---|---|---|---|
/// | [`Packed`](Self::Packed) | yes | any | as many as fit | |
/// | [`Window`](Self::Window) | yes | nearly kept | as many as fit | grain's `PackIterDataset` for sequences |
/// | [`Dynamic`](Self::Dynamic) | yes | kept | until one does not fit | jraph, TF-GNN |
/// | [`StaticConstant`](Self::StaticConstant) | yes | kept | fixed | TF-GNN |
/// | [`Static64`](Self::Static64), [`StaticPow2`](Self::StaticPow2) | no | kept | fixed | Speckhard et al. |
/// | [`NodeBudget`](Self::NodeBudget), [`EdgeBudget`](Self::EdgeBudget) | no | kept | until one does not fit | PyTorch Geometric |
/// | [`GraphsOrNodes`](Self::GraphsOrNodes) | no | kept | fixed, or fewer | ptgnn |
///
/// "Fixed" is the number of [`batch_graphs`](crate::LoaderBuilder::batch_graphs). The batch sizes of jraph and of the batching study count the
/// padding graph: their 32 is `batch_graphs(31)`. The order that is kept is the shuffled one, where there is a seed. Every batch has
/// at least the least padding, [`Padding::nodes`](crate::Padding::nodes) and one graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Batching {
    /// Packs of a plan, made by this packer from the histogram of sizes.
    Packed(Packer<2>),
    /// Each graph into that of `open` packs which it fits best ([`Window`](graphpack_core::stream::Window)). Nearly as full as a plan, and
    /// any graphs may come together.
    Window {
        /// Packs that are open at once, 1 to 128.
        open: u8,
    },
    /// Into one batch until the next graph does not fit ([`NextFit`](graphpack_core::stream::NextFit)): jraph's `dynamically_batch`.
    Dynamic,
    /// A fixed number of graphs, in a shape that any of them fit into: the largest graph times graphs, rounded up to a multiple of 64
    /// ([`Sample::constant`](graphpack_core::Sample::constant)).
    ///
    /// With a [`Capacity`](crate::Capacity) that gives limits, the shape is theirs, and a batch that exceeds it ends its epoch with an error.
    StaticConstant,
    /// A fixed number of graphs, padded to the next multiple of 64 nodes and of 64 edges.
    Static64,
    /// A fixed number of graphs, padded to the next power of two of nodes and of edges.
    StaticPow2,
    /// Until the nodes exceed `nodes`, whatever the edges: PyTorch Geometric's `DynamicBatchSampler`, but every graph once and no
    /// batch empty. Only the least padding.
    NodeBudget {
        /// Most nodes of a batch, padding not included.
        nodes: u32,
    },
    /// Until the edges exceed `edges`, whatever the nodes. Only the least padding.
    EdgeBudget {
        /// Most edges of a batch.
        edges: u32,
    },
    /// A fixed number of graphs, fewer where they would exceed `nodes`; a graph that exceeds it is alone (ptgnn). Only the least padding.
    GraphsOrNodes {
        /// Nodes that only a single graph exceeds.
        nodes: u32,
    },
}

/// Writes the name in the batching study or in the library that has it: `packed`, `dynamic`, `static-64`.
impl fmt::Display for Batching {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Packed(_) => "packed",
            Self::Window { .. } => "window",
            Self::Dynamic => "dynamic",
            Self::StaticConstant => "static-constant",
            Self::Static64 => "static-64",
            Self::StaticPow2 => "static-2^N",
            Self::NodeBudget { .. } => "node-budget",
            Self::EdgeBudget { .. } => "edge-budget",
            Self::GraphsOrNodes { .. } => "graphs-or-nodes",
        })
    }
}
