//! [`Builtin`]: the arrays that batches have beside the fields and indices of their data set: `batch`, `ptr`,
//! `graph_ids`, masks.

use super::{Dtype, Level, SetNames, Shape};

/// An array that batches have beside the fields and indices of their data set. Only this file knows the names, dtypes
/// and shapes of these arrays.
///
/// Batches have those of nodes, edges and graphs that are named below; others, such as `edge_ptr` or `triplets_mask`,
/// where [`extra`](field@crate::Options::extra) asks for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Builtin {
    /// The graph of each row of a set: `batch [nodes]`, `edge_batch`, `SET_batch`. Padding rows belong to the first
    /// padding graph.
    Batch(u8),
    /// The first row of each graph in a set, and at the end the number of rows: `ptr [graphs + 1]`, `edge_ptr`,
    /// `SET_ptr`.
    Ptr(u8),
    /// `graph_ids [graphs]`, int64: the number of each graph in the data set, -1 for padding.
    GraphIds,
    /// Bool, true for the rows that are real: `node_mask`, `edge_mask`, `SET_mask` and `graph_mask`.
    Mask(Level),
}

impl Builtin {
    /// All built-in arrays of `sets` sets, in the order in which a [`Layout`](crate::memory::Layout) has those that
    /// batches have.
    pub fn all(sets: usize) -> impl Iterator<Item = Self> {
        let of_sets = move |array: fn(u8) -> Self| (0..sets as u8).map(array);
        let shifted = of_sets(Self::Batch).zip(of_sets(Self::Ptr)).flat_map(|(batch, ptr)| [batch, ptr]);
        let masks = of_sets(|set| Self::Mask(Level::Set(set))).chain([Self::Mask(Level::Graph)]);
        shifted.chain([Self::GraphIds]).chain(masks)
    }

    /// Whether batches of these sets have the array without asking for it.
    pub(super) fn is_usual(self, sets: &SetNames) -> bool {
        match self {
            Self::Batch(set) | Self::Ptr(set) => sets[usize::from(set)] == "nodes",
            Self::Mask(Level::Set(set)) => ["nodes", "edges"].contains(&&*sets[usize::from(set)]),
            Self::GraphIds | Self::Mask(Level::Graph) => true,
        }
    }

    /// The name of the array in batches of these sets: PyTorch Geometric's where it has one.
    pub fn name(self, sets: &SetNames) -> String {
        let of = |set: u8| sets.singular(usize::from(set));
        match self {
            Self::Batch(set) if of(set) == "node" => "batch".into(),
            Self::Ptr(set) if of(set) == "node" => "ptr".into(),
            Self::Batch(set) => format!("{}_batch", of(set)),
            Self::Ptr(set) => format!("{}_ptr", of(set)),
            Self::GraphIds => "graph_ids".into(),
            Self::Mask(Level::Set(set)) => format!("{}_mask", of(set)),
            Self::Mask(Level::Graph) => "graph_mask".into(),
        }
    }

    /// Whether the array holds indices, of the type that
    /// [`Options::index`](field@crate::Options::index) asks for.
    pub const fn is_index(self) -> bool {
        matches!(self, Self::Batch(_) | Self::Ptr(_))
    }

    /// Element type of the array in batches whose indices have type `index`.
    pub(super) const fn dtype(self, index: Dtype) -> Dtype {
        match self {
            Self::Batch(_) | Self::Ptr(_) => index,
            Self::GraphIds => Dtype::I64,
            Self::Mask(_) => Dtype::Bool,
        }
    }

    /// Number of elements in batches of `shape`.
    pub(super) const fn rows(self, shape: &Shape) -> usize {
        match self {
            Self::Batch(set) => shape.rows(Level::Set(set)),
            Self::Ptr(_) => shape.graphs() + 1,
            Self::GraphIds => shape.graphs(),
            Self::Mask(level) => shape.rows(level),
        }
    }
}
