//! [`Builtin`]: the arrays that batches have beside the fields and indices of their data set: `batch`, `ptr`,
//! `graph_ids`, masks, pools, neighbours, pointers of sorted rows; and how they are written.

use super::dtype::cast;
use super::numbers::BatchInteger;
use super::{Dtype, Level, NeighbourField, Neighbours, SortedBy};

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
    /// The rows of a set that belong to each graph: `pool [graphs, nodes]`, `edge_pool`, `SET_pool`, float32. 1 where a
    /// row belongs to the graph, 0 elsewhere and in all of padding, so that sums over graphs are a product of matrices.
    /// Divide by the row sums of `pool` for means.
    Pool(u8),
    /// `neighbours [nodes, most]`, of other sets than edges `SET_neighbours`: the sources of the edges into each node,
    /// in the order of the edges. Other entries point to the first padding row of the set that sources are in.
    Neighbours(Neighbours),
    /// `neighbour_edges [nodes, most]`: the number of each of these edges in the batch, by which a gather reads fields
    /// of edges. Other entries point to the first padding edge.
    NeighbourEdges(Neighbours),
    /// `neighbour_mask [nodes, most]`, bool: true where there is such an edge.
    NeighbourMask(Neighbours),
    /// `neighbour_FIELD [nodes, most, width]`: a field of these edges. Other entries hold what it has in padding.
    NeighbourField(NeighbourField),
    /// `edge_index_ptr [nodes + 1]`, `INDEX_ptr`: where the edges into each node begin, which are in this order, and at
    /// the end the number of edges, padding included.
    IndexPtr(SortedBy),
}

impl Builtin {
    /// All built-in arrays of `sets` sets but those of indices, in the order in which a batch has those that it carries,
    /// then for each index [`Neighbours`] and [`IndexPtr`](Self::IndexPtr).
    pub fn all(sets: usize) -> impl Iterator<Item = Self> {
        let of_sets = move |array: fn(u8) -> Self| (0..sets as u8).map(array);
        let shifted = of_sets(Self::Batch).zip(of_sets(Self::Ptr)).flat_map(|(batch, ptr)| [batch, ptr]);
        let masks = of_sets(|set| Self::Mask(Level::Set(set))).chain([Self::Mask(Level::Graph)]);
        shifted.chain([Self::GraphIds]).chain(masks).chain(of_sets(Self::Pool))
    }

    /// The arrays of neighbours, in their order. Their [fields](Self::NeighbourField) come after them.
    pub const fn neighbours(of: Neighbours) -> [Self; 3] {
        [Self::Neighbours(of), Self::NeighbourEdges(of), Self::NeighbourMask(of)]
    }

    /// Its place in the order of [`all`](Self::all). Sets, indices and fields are below 256, so that no two places are
    /// equal: `batch` and `ptr` have 512, masks 257, pools 256, and each index 512 for a matrix of 3 arrays, its
    /// fields, and pointers.
    pub(super) const fn place(self) -> usize {
        const fn matrix(of: Neighbours) -> usize {
            of_index(of.index)
        }
        const fn of_index(index: u8) -> usize {
            1026 + 512 * index as usize
        }
        match self {
            Self::Batch(set) => 2 * set as usize,
            Self::Ptr(set) => 2 * set as usize + 1,
            Self::GraphIds => 512,
            Self::Mask(Level::Set(set)) => 513 + set as usize,
            Self::Mask(Level::Graph) => 769,
            Self::Pool(set) => 770 + set as usize,
            Self::Neighbours(of) => matrix(of),
            Self::NeighbourEdges(of) => matrix(of) + 1,
            Self::NeighbourMask(of) => matrix(of) + 2,
            Self::NeighbourField(NeighbourField { of, field, .. }) => matrix(of) + 3 + field as usize,
            Self::IndexPtr(of) => of_index(of.index) + 511,
        }
    }

    /// What it is of: a set, or graphs.
    #[inline]
    pub const fn of(self) -> Level {
        match self {
            Self::Batch(set) | Self::Ptr(set) | Self::Pool(set) => Level::Set(set),
            Self::GraphIds => Level::Graph,
            Self::Mask(level) => level,
            Self::Neighbours(of) | Self::NeighbourEdges(of) | Self::NeighbourMask(of) => Level::Set(of.set),
            Self::NeighbourField(NeighbourField { of, .. }) => Level::Set(of.set),
            Self::IndexPtr(of) => Level::Set(of.set),
        }
    }

    /// The matrix that it belongs to, if it is an array of neighbours.
    pub const fn matrix(self) -> Option<Neighbours> {
        match self {
            Self::Neighbours(of) | Self::NeighbourEdges(of) | Self::NeighbourMask(of) => Some(of),
            Self::NeighbourField(NeighbourField { of, .. }) => Some(of),
            _ => None,
        }
    }

    /// The position of the index that it follows from, if it follows from one.
    pub const fn index(self) -> Option<u8> {
        match self {
            Self::IndexPtr(of) => Some(of.index),
            _ => match self.matrix() {
                Some(of) => Some(of.index),
                None => None,
            },
        }
    }

    /// The level that it has an element, or [`width`](Self::width), for each row of, and how many further elements.
    pub const fn length(self) -> (Level, usize) {
        match self {
            Self::Ptr(_) => (Level::Graph, 1),
            Self::IndexPtr(of) => (Level::Set(of.set), 1),
            Self::Pool(_) => (Level::Graph, 0),
            _ => (self.of(), 0),
        }
    }

    /// Elements per row; `None` for a vector. What it is [of](Self::of) has this number of `rows`, padding included.
    pub const fn width(self, rows: usize) -> Option<usize> {
        match self {
            Self::Pool(_) => Some(rows),
            Self::Neighbours(of) | Self::NeighbourEdges(of) | Self::NeighbourMask(of) => Some(of.most as usize),
            Self::NeighbourField(NeighbourField { of, width, .. }) => {
                let width = if let Some(width) = width { width } else { 1 };
                Some((of.most as usize).saturating_mul(width as usize))
            }
            _ => None,
        }
    }

    /// The name of the array in three parts: PyTorch Geometric's where it has one. `set` returns the name of a set,
    /// `field` that of a field, `index` that of an index.
    pub fn name<'a>(
        self,
        set: impl Fn(u8) -> &'a str,
        field: impl Fn(u8) -> &'a str,
        index: impl Fn(u8) -> &'a str,
    ) -> [&'a str; 3] {
        let of_nodes = |of: u8, name| if set(of) == "nodes" { ["", "", name] } else { [singular(set(of)), "_", name] };
        let of_edges = |of: Neighbours, name| match set(of.edges) {
            "edges" => ["", "", name],
            edges => [edges, "_", name],
        };
        match self {
            Self::Batch(of) => of_nodes(of, "batch"),
            Self::Ptr(of) => of_nodes(of, "ptr"),
            Self::GraphIds => ["graph", "_", "ids"],
            Self::Mask(Level::Set(of)) => [singular(set(of)), "_", "mask"],
            Self::Mask(Level::Graph) => ["graph", "_", "mask"],
            Self::Pool(of) => of_nodes(of, "pool"),
            Self::Neighbours(of) => of_edges(of, "neighbours"),
            Self::NeighbourEdges(of) => of_edges(of, "neighbour_edges"),
            Self::NeighbourMask(of) => of_edges(of, "neighbour_mask"),
            Self::NeighbourField(NeighbourField { of, field: at, .. }) => {
                // Fields of other sets than nodes and edges begin with their set by convention.
                let (name, edges) = (field(at), set(of.edges));
                let name = name.strip_prefix(edges).and_then(|name| name.strip_prefix('.')).unwrap_or(name);
                if edges == "edges" { ["", "neighbour_", name] } else { [edges, "_neighbour_", name] }
            }
            Self::IndexPtr(of) => [index(of.index), "_", "ptr"],
        }
    }

    /// Writes the whole `array` of a batch whose graphs have these numbers of `rows` in the set that it is
    /// [of](Self::of); the last one is the first padding graph. The first `real` rows of the array are not padding; of
    /// [`GraphIds`](Self::GraphIds), only the others are written, and nothing of [`Neighbours`] and
    /// [`IndexPtr`](Self::IndexPtr), which [`Neighbours::write`] and [`SortedBy::write_ptr`] write. `index` is the type
    /// of indices.
    pub fn write(self, array: &mut [u8], index: Dtype, real: usize, rows: impl Iterator<Item = usize> + Clone) {
        match self {
            Self::Batch(_) => write_batch(array, index, 0, rows),
            Self::Ptr(_) => write_ptr(array, index, 0, rows),
            Self::GraphIds => cast::<i64>(array).get_mut(real..).unwrap_or_default().fill(-1),
            Self::Mask(_) => {
                let (rows, padding) = array.split_at_mut_checked(real).unwrap_or_default();
                rows.fill(1);
                padding.fill(0);
            }
            Self::Pool(_) => write_pool(cast(array), rows.clone().sum(), 0, rows.take(real)),
            Self::Neighbours(_) | Self::NeighbourEdges(_) | Self::NeighbourMask(_) | Self::NeighbourField(_) => {}
            Self::IndexPtr(_) => {}
        }
    }

    /// Whether the array holds indices.
    pub const fn is_index(self) -> bool {
        use Builtin::{Batch, IndexPtr, NeighbourEdges, Neighbours, Ptr};
        matches!(self, Batch(_) | Ptr(_) | Neighbours(_) | NeighbourEdges(_) | IndexPtr(_))
    }

    /// Element type of the array in batches whose indices have type `index`.
    pub const fn dtype(self, index: Dtype) -> Dtype {
        match self {
            Self::Batch(_) | Self::Ptr(_) | Self::Neighbours(_) | Self::NeighbourEdges(_) | Self::IndexPtr(_) => index,
            Self::GraphIds => Dtype::I64,
            Self::Mask(_) | Self::NeighbourMask(_) => Dtype::Bool,
            Self::Pool(_) => Dtype::F32,
            Self::NeighbourField(NeighbourField { dtype, .. }) => dtype,
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

/// Writes [`Builtin::Pool`]: a row of `width` elements for each graph, 1 where the rows of the graph are in the set, of
/// which the first graph has its rows from `first` on; then rows of 0.
pub(super) fn write_pool(array: &mut [f32], width: usize, first: usize, rows: impl Iterator<Item = usize>) {
    array.fill(0.0);
    let mut first = first;
    for (of_graph, rows) in array.chunks_exact_mut(width.max(1)).zip(rows) {
        of_graph.get_mut(first..first + rows).unwrap_or_default().fill(1.0);
        first += rows;
    }
}
