//! [`Builtin`]: the arrays that every batch has, whatever its data set.

use super::{Dtype, Level, Shape};

/// An array that every batch has beside the fields of its data set. Only this file knows the names, dtypes and shapes
/// of these arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Builtin {
    /// `edge_index [2, edges]`: row 0 sources, row 1 targets.
    EdgeIndex,
    /// `batch [nodes]`: the graph of each node.
    Batch,
    /// `ptr [graphs + 1]`: the first node of each graph; the last entry is the number of nodes.
    Ptr,
    /// `graph_ids [graphs]`, int64: the number of each graph in the data set, -1 for padding.
    GraphIds,
    /// `node_mask`, `edge_mask` and `graph_mask`, bool: true for the rows that are real.
    Mask(Level),
}

impl Builtin {
    /// All built-in arrays, in the order in which a [`Layout`](crate::Layout) has them after the fields.
    pub const ALL: [Self; 7] = [
        Self::EdgeIndex,
        Self::Batch,
        Self::Ptr,
        Self::GraphIds,
        Self::Mask(Level::Node),
        Self::Mask(Level::Edge),
        Self::Mask(Level::Graph),
    ];

    /// The name of the array: PyTorch Geometric's where it has one.
    pub const fn name(self) -> &'static str {
        match self {
            Self::EdgeIndex => "edge_index",
            Self::Batch => "batch",
            Self::Ptr => "ptr",
            Self::GraphIds => "graph_ids",
            Self::Mask(Level::Node) => "node_mask",
            Self::Mask(Level::Edge) => "edge_mask",
            Self::Mask(Level::Graph) => "graph_mask",
        }
    }

    /// Whether the array holds indices, which are int64, or int32 with
    /// [`narrow_indices`](crate::LoaderBuilder::narrow_indices).
    pub const fn is_index(self) -> bool {
        matches!(self, Self::EdgeIndex | Self::Batch | Self::Ptr)
    }

    /// Position of this array in [`ALL`](Self::ALL).
    #[inline]
    pub(super) const fn position(self) -> usize {
        match self {
            Self::EdgeIndex => 0,
            Self::Batch => 1,
            Self::Ptr => 2,
            Self::GraphIds => 3,
            Self::Mask(Level::Node) => 4,
            Self::Mask(Level::Edge) => 5,
            Self::Mask(Level::Graph) => 6,
        }
    }

    /// Element type of the array in batches whose indices have type `index`.
    pub(super) const fn dtype(self, index: Dtype) -> Dtype {
        match self {
            Self::EdgeIndex | Self::Batch | Self::Ptr => index,
            Self::GraphIds => Dtype::I64,
            Self::Mask(_) => Dtype::Bool,
        }
    }

    /// Number of rows, and of elements per row (`None` for a vector), in batches of `shape`.
    pub(super) const fn size(self, shape: &Shape) -> (usize, Option<usize>) {
        match self {
            Self::EdgeIndex => (2, Some(shape.edges())),
            Self::Batch => (shape.nodes(), None),
            Self::Ptr => (shape.graphs() + 1, None),
            Self::GraphIds => (shape.graphs(), None),
            Self::Mask(level) => (shape.rows(level), None),
        }
    }
}
