//! [`Builtin`]: the arrays that batches have beside the fields and indices of their data set: `batch`, `ptr`,
//! `graph_ids`, masks, neighbours; and how they are written.

use super::dtype::cast;
use super::numbers::BatchInteger;
use super::{Dtype, Level, Neighbours};

/// An array that batches have beside the fields and indices of their data set. Only this file knows the names, dtypes
/// and contents of these arrays.
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
    /// `neighbours [nodes, most]`: the sources of the edges into each node, in their order. Other entries point to the
    /// first padding row.
    Neighbours(Neighbours),
    /// `neighbour_edges [nodes, most]`: the number of each of these edges in the batch, so that a gather takes fields of
    /// edges along. Other entries point to the first padding row.
    NeighbourEdges(Neighbours),
    /// `neighbour_mask [nodes, most]`, bool: true where there is such an edge.
    NeighbourMask(Neighbours),
}

impl Builtin {
    /// All built-in arrays of `sets` sets but [`Neighbours`], in the order in which a batch has those that it carries,
    /// `Neighbours` last.
    pub fn all(sets: usize) -> impl Iterator<Item = Self> {
        let of_sets = move |array: fn(u8) -> Self| (0..sets as u8).map(array);
        let shifted = of_sets(Self::Batch).zip(of_sets(Self::Ptr)).flat_map(|(batch, ptr)| [batch, ptr]);
        let masks = of_sets(|set| Self::Mask(Level::Set(set))).chain([Self::Mask(Level::Graph)]);
        shifted.chain([Self::GraphIds]).chain(masks)
    }

    /// The arrays of neighbours, in their order.
    pub const fn neighbours(of: Neighbours) -> [Self; 3] {
        [Self::Neighbours(of), Self::NeighbourEdges(of), Self::NeighbourMask(of)]
    }

    /// Its place in the order of [`all`](Self::all).
    pub(super) const fn place(self) -> usize {
        match self {
            Self::Batch(set) => 2 * set as usize,
            Self::Ptr(set) => 2 * set as usize + 1,
            Self::GraphIds => 512,
            Self::Mask(Level::Set(set)) => 513 + set as usize,
            Self::Mask(Level::Graph) => 769,
            Self::Neighbours(_) => 770,
            Self::NeighbourEdges(_) => 771,
            Self::NeighbourMask(_) => 772,
        }
    }

    /// What it is of: a set, or graphs.
    #[inline]
    pub const fn of(self) -> Level {
        match self {
            Self::Batch(set) | Self::Ptr(set) => Level::Set(set),
            Self::GraphIds => Level::Graph,
            Self::Mask(level) => level,
            Self::Neighbours(of) | Self::NeighbourEdges(of) | Self::NeighbourMask(of) => Level::Set(of.set),
        }
    }

    /// The level that it has an element, or [`width`](Self::width), for each row of, and how many further elements.
    pub const fn length(self) -> (Level, usize) {
        match self {
            Self::Ptr(_) => (Level::Graph, 1),
            _ => (self.of(), 0),
        }
    }

    /// Elements per row; `None` for a vector.
    pub const fn width(self) -> Option<usize> {
        match self {
            Self::Neighbours(of) | Self::NeighbourEdges(of) | Self::NeighbourMask(of) => Some(of.most as usize),
            _ => None,
        }
    }

    /// The name of the array in two parts: PyTorch Geometric's where it has one. `set` returns the name of a set.
    pub fn name<'a>(self, set: impl Fn(u8) -> &'a str) -> [&'a str; 2] {
        match self {
            Self::Batch(of) if set(of) == "nodes" => ["", "batch"],
            Self::Ptr(of) if set(of) == "nodes" => ["", "ptr"],
            Self::Batch(of) => [singular(set(of)), "_batch"],
            Self::Ptr(of) => [singular(set(of)), "_ptr"],
            Self::GraphIds => ["graph", "_ids"],
            Self::Mask(Level::Set(of)) => [singular(set(of)), "_mask"],
            Self::Mask(Level::Graph) => ["graph", "_mask"],
            Self::Neighbours(_) => ["neighbour", "s"],
            Self::NeighbourEdges(_) => ["neighbour", "_edges"],
            Self::NeighbourMask(_) => ["neighbour", "_mask"],
        }
    }

    /// Writes the whole `array` of a batch whose graphs have these numbers of `rows` in the set that it is [of](Self::of);
    /// the last one is the first padding graph. The first `real` elements are not padding; of
    /// [`GraphIds`](Self::GraphIds), only the others are written, and nothing of [`Neighbours`], which
    /// [write](Neighbours::write) themselves. `index` is the type of indices.
    pub fn write(self, array: &mut [u8], index: Dtype, real: usize, rows: impl Iterator<Item = usize>) {
        match self {
            Self::Batch(_) => write_batch(array, index, 0, rows),
            Self::Ptr(_) => write_ptr(array, index, 0, rows),
            Self::GraphIds => cast::<i64>(array).get_mut(real..).unwrap_or_default().fill(-1),
            Self::Mask(_) => {
                let (rows, padding) = array.split_at_mut_checked(real).unwrap_or_default();
                rows.fill(1);
                padding.fill(0);
            }
            Self::Neighbours(_) | Self::NeighbourEdges(_) | Self::NeighbourMask(_) => {}
        }
    }

    /// Whether the array holds indices.
    pub const fn is_index(self) -> bool {
        matches!(self, Self::Batch(_) | Self::Ptr(_) | Self::Neighbours(_) | Self::NeighbourEdges(_))
    }

    /// Element type of the array in batches whose indices have type `index`.
    pub const fn dtype(self, index: Dtype) -> Dtype {
        match self {
            Self::Batch(_) | Self::Ptr(_) | Self::Neighbours(_) | Self::NeighbourEdges(_) => index,
            Self::GraphIds => Dtype::I64,
            Self::Mask(_) | Self::NeighbourMask(_) => Dtype::Bool,
        }
    }
}

/// Returns what names of arrays and files call a set: `node` and `edge` for `nodes` and `edges`, otherwise its name.
pub fn singular(set: &str) -> &str {
    match set {
        "nodes" => "node",
        "edges" => "edge",
        other => other,
    }
}

/// Writes a part of [`Builtin::Batch`]: the numbers of graphs, from `first` on, which have these numbers of `rows`.
/// `entries` are the bytes of their rows, integers of type `index`.
pub(super) fn write_batch(entries: &mut [u8], index: Dtype, first: usize, rows: impl Iterator<Item = usize>) {
    fn write<T: BatchInteger>(mut entries: &mut [T], first: usize, rows: impl Iterator<Item = usize>) {
        let mut graph = first;
        rows.for_each(|rows| {
            let (of_graph, others) = core::mem::take(&mut entries).split_at_mut_checked(rows).unwrap_or_default();
            of_graph.fill(T::of(graph));
            (entries, graph) = (others, graph + 1);
        });
    }
    match index {
        Dtype::I32 => write::<i32>(cast(entries), first, rows),
        _ => write::<i64>(cast(entries), first, rows),
    }
}

/// Writes a part of [`Builtin::Ptr`]: where graphs begin that have these numbers of `rows`, the first graph at row
/// `first`. `entries` are the bytes of integers of type `index`, one per graph; further ones get the end of the last.
pub(super) fn write_ptr(entries: &mut [u8], index: Dtype, first: usize, rows: impl Iterator<Item = usize>) {
    fn write<T: BatchInteger>(entries: &mut [T], first: usize, rows: impl Iterator<Item = usize>) {
        let (mut row, mut entries) = (first, entries.iter_mut());
        rows.zip(entries.by_ref()).for_each(|(rows, entry)| {
            *entry = T::of(row);
            row += rows;
        });
        entries.for_each(|entry| *entry = T::of(row));
    }
    match index {
        Dtype::I32 => write::<i32>(cast(entries), first, rows),
        _ => write::<i64>(cast(entries), first, rows),
    }
}
