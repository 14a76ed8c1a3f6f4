//! [`Batching`]: which graphs share a batch.

use crate::layout::Schema;
use graphpack_core::Packer;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Decides which graphs share a batch.
///
/// | | one shape | order | graphs per batch | also in |
/// |---|---|---|---|---|
/// | [`Packed`](Self::Packed) | yes | any | as many as fit | |
/// | [`Window`](Self::Window) | yes | nearly kept | as many as fit | grain's `PackIterDataset` for sequences |
/// | [`Dynamic`](Self::Dynamic) | yes | kept | until one does not fit | jraph, TF-GNN |
/// | [`StaticConstant`](Self::StaticConstant) | yes | kept | fixed | TF-GNN |
/// | [`Static64`](Self::Static64), [`StaticPow2`](Self::StaticPow2) | no | kept | fixed | Speckhard et al. |
/// | [`NodeBudget`](Self::NodeBudget) | no | kept | until one does not fit | PyTorch Geometric |
/// | [`EdgeBudget`](Self::EdgeBudget) | no | kept | until one does not fit | PyTorch Geometric |
/// | [`RowBudget`](Self::RowBudget) | no | kept | until one does not fit | |
/// | [`GraphsOrNodes`](Self::GraphsOrNodes) | no | kept | fixed, or fewer | ptgnn |
/// | [`GraphsOrRows`](Self::GraphsOrRows) | no | kept | fixed, or fewer | |
///
/// "Fixed" means the number given to [`batch_graphs`](crate::LoaderBuilder::batch_graphs). The batch sizes of jraph and
/// of the batching study (Speckhard et al.) count the padding graph: their 32 is `batch_graphs(31)`. "Kept" means the
/// order of the data set, or the shuffled order if there is a seed. Every batch has the
/// [least padding](crate::Padding::least) or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Batching {
    /// Packs graphs by a plan, which this packer makes from the histogram of sizes. Its packs are made alike and composed
    /// again for each epoch ([`Recomposer`](graphpack_core::Recomposer)). Of a weighted heuristic, the first weights are
    /// those of the sets, in their order.
    Packed(Packer),
    /// Puts each graph into the open pack that it fits best ([`Window`](graphpack_core::stream::Window)). Batches are
    /// nearly as full as with a plan, and any graphs may meet in a batch.
    Window {
        /// Number of packs that are open at once, 1 to 128.
        open: u8,
    },
    /// Fills one batch until the next graph does not fit ([`NextFit`](graphpack_core::stream::NextFit)): jraph's
    /// `dynamically_batch`.
    Dynamic,
    /// Takes a fixed number of graphs, in a shape that holds this number of any graphs of the data set: the size of the
    /// largest graph times the number, rounded up to a multiple of 64
    /// ([`Sample::constant`](graphpack_core::Sample::constant)).
    ///
    /// A [`Capacity`](crate::Capacity) other than `Graphs` sets the shape itself; a batch that exceeds it ends its
    /// epoch with an error.
    StaticConstant,
    /// Takes a fixed number of graphs, each set padded to the next multiple of 64 rows.
    Static64,
    /// Takes a fixed number of graphs, each set padded to the next power of two.
    StaticPow2,
    /// Fills a batch until the next graph would exceed `nodes`, with any number of other rows. This is PyTorch Geometric's
    /// `DynamicBatchSampler`, except that every graph occurs once and no batch is empty. Adds only the padding that it needs.
    NodeBudget {
        /// The most nodes of a batch, padding not included.
        nodes: u32,
    },
    /// Fills a batch until the next graph would exceed `edges`, with any number of other rows. Adds only the padding
    /// that it needs.
    EdgeBudget {
        /// The most edges of a batch, padding not included.
        edges: u32,
    },
    /// Fills a batch until the next graph would exceed `rows` of a set, with any number of other rows. Adds only the
    /// padding that it needs.
    RowBudget {
        /// The position of the set in the schema.
        set: u8,
        /// The most rows of a batch, padding not included.
        rows: u32,
    },
    /// Takes a fixed number of graphs, or fewer if they would exceed `nodes`; a larger graph is a batch of its own
    /// (ptgnn). Adds only the padding that it needs.
    GraphsOrNodes {
        /// The most nodes of a batch of two or more graphs, padding not included.
        nodes: u32,
    },
    /// Takes a fixed number of graphs, or fewer if they would exceed `rows` of a set; a larger graph is a batch of its
    /// own. Adds only the padding that it needs.
    GraphsOrRows {
        /// The position of the set in the schema.
        set: u8,
        /// The most rows of a batch of two or more graphs, padding not included.
        rows: u32,
    },
}

impl Batching {
    /// Most packs that [`Window`](Self::Window) keeps open.
    pub const MOST_OPEN: u8 = 128;
    /// Packs that [`Window`](Self::Window) keeps open where nobody says how many.
    pub const DEFAULT_OPEN: u8 = 32;

    /// The set whose rows are limited, and the most rows: an error with the name of a set that `schema` does not have.
    pub(crate) fn budget(self, schema: &Schema) -> Option<Result<(usize, u32), String>> {
        let named = |name: &str, most| schema.set(name).map(|set| (set, most)).ok_or_else(|| name.to_owned());
        match self {
            Self::NodeBudget { nodes } | Self::GraphsOrNodes { nodes } => Some(named("nodes", nodes)),
            Self::EdgeBudget { edges } => Some(named("edges", edges)),
            Self::RowBudget { set, rows } | Self::GraphsOrRows { set, rows } => {
                let set = usize::from(set);
                Some(if set < schema.sets().len() { Ok((set, rows)) } else { Err(format!("number {set}")) })
            }
            _ => None,
        }
    }
}

/// Writes the name that the batching study uses, or the library that has it: `packed`, `dynamic`, `static-64`.
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
            Self::RowBudget { .. } => "row-budget",
            Self::GraphsOrNodes { .. } => "graphs-or-nodes",
            Self::GraphsOrRows { .. } => "graphs-or-rows",
        })
    }
}
