//! [`Builtin`]: the arrays that batches have beside the fields and indices of their data set: `batch`, `ptr`,
//! `graph_ids`, masks; and how they are written.

use super::dtype::cast;
use super::numbers::BatchInteger;
use super::{Dtype, Level};

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
}

impl Builtin {
    /// All built-in arrays of `sets` sets, in the order in which a batch has those that it carries.
    pub fn all(sets: usize) -> impl Iterator<Item = Self> {
        let of_sets = move |array: fn(u8) -> Self| (0..sets as u8).map(array);
        let shifted = of_sets(Self::Batch).zip(of_sets(Self::Ptr)).flat_map(|(batch, ptr)| [batch, ptr]);
        let masks = of_sets(|set| Self::Mask(Level::Set(set))).chain([Self::Mask(Level::Graph)]);
        shifted.chain([Self::GraphIds]).chain(masks)
    }

    /// Its place in the order of [`all`](Self::all), and the set that it is of.
    pub(super) const fn place(self) -> (usize, Option<u8>) {
        match self {
            Self::Batch(set) => (2 * set as usize, Some(set)),
            Self::Ptr(set) => (2 * set as usize + 1, Some(set)),
            Self::GraphIds => (512, None),
            Self::Mask(Level::Set(set)) => (513 + set as usize, Some(set)),
            Self::Mask(Level::Graph) => (769, None),
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
        }
    }

    /// Whether the array holds indices.
    pub const fn is_index(self) -> bool {
        matches!(self, Self::Batch(_) | Self::Ptr(_))
    }

    /// Element type of the array in batches whose indices have type `index`.
    pub const fn dtype(self, index: Dtype) -> Dtype {
        match self {
            Self::Batch(_) | Self::Ptr(_) => index,
            Self::GraphIds => Dtype::I64,
            Self::Mask(_) => Dtype::Bool,
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
pub fn write_batch(entries: &mut [u8], index: Dtype, first: usize, rows: impl Iterator<Item = usize>) {
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
pub fn write_ptr(entries: &mut [u8], index: Dtype, first: usize, rows: impl Iterator<Item = usize>) {
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

/// Writes [`Builtin::Mask`]: true for the first `real` rows.
pub fn write_mask(mask: &mut [u8], real: usize) {
    let (rows, padding) = mask.split_at_mut(real.min(mask.len()));
    rows.fill(1);
    padding.fill(0);
}
