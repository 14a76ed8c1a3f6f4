//! [`Padding`]: which rows padding entries of an index point to, and so how many rows a batch keeps free. Core's
//! `LeastPadding` adds and takes away those rows, `plan/spread` adds more so that no row gets too many entries;
//! `collate` writes them, and `tests/common/src/naive.rs` says independently what it must write.

use crate::layout::{Field, PaddingValue, Schema, Shape, Size};
use graphpack_core::LeastPadding;
use graphpack_core::Limits;

/// Decides which rows the padding entries of an index point to, such as the nodes of padding edges. As in jraph, all
/// padding rows belong to the first padding graph, and further padding graphs are empty. Every batch has at least one
/// padding graph, and padding rows of `nodes` and of each set that an index points into; other sets may have none.
///
/// | | padding rows at least | padding edges | padding triplets |
/// |---|---|---|---|
/// | [`SelfLoops`](Self::SelfLoops) | 1 | 0 to 0, 1 to 1, 2 to 2, ... | edges 0 and 0, 1 and 1, ... |
/// | [`TwoNodes`](Self::TwoNodes) | 2 | 0 to 1, 1 to 0, 2 to 3, 3 to 2, ... | edges 0 and 1, 1 and 0, ... |
/// | [`Apart`](Self::Apart) | 3 | 0 to 1, 1 to 2, 2 to 0, 3 to 4, ... | edges 0 and 1, 1 and 2, ... |
/// | [`Jraph`](Self::Jraph) | 1 | 0 to 0, 0 to 0, ... | edges 0 and 0, ... |
///
/// ```
/// use graphpack_loader::{Loader, Options, Padding, molecules};
///
/// // A model that divides by the lengths of edges: each padding edge connects two nodes at distance one.
/// let loader = Loader::new(molecules::generate(7, 100), Options::graphs(8).padding(Padding::TwoNodes))?;
/// let batch = loader.epoch(0).next().ok_or("a batch")??;
/// let (sources, targets) = batch.edge_index::<i64>()?;
/// assert!(sources.iter().zip(targets).all(|(source, target)| source != target));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// After the last padding row, entries begin again at the first. If all pointed to one row, a sum over neighbours would
/// grow a hundredfold per layer there, beyond half precision. So a column of an index has no more entries in a padding
/// row than some row of the data has (or two): if e edges and n nodes are those of the graph with the most edges per
/// node, at most e / n, rounded up. Where batches could have too few padding rows for that, shapes have more
/// ([below](#how-much-shapes-grow)); a [`Capacity::shape`](crate::Capacity::shape) then holds fewer real rows, unless a
/// graph would lose its room. Plans and their efficiency do not depend on it. What a map, `Oversize::Trim` or the
/// margin of [`Data::connect`](crate::Data::connect) leaves out of a graph is padding, too, and not foreseen: then a
/// padding row may have more entries. The same holds of later epochs of graphs that are
/// [drawn](crate::Data::each_epoch) again, and of rounded shapes, if indices lead from set to set in a circle: where
/// two sets point into each other and need, for example, more rows of one than of the other but fewer than twice as
/// many, no two powers of two will do.
///
/// # How much shapes grow
///
/// Limits of T nodes and L edges, where no graph has more than m edges per node, get T + L / m nodes at most, rounded
/// up, beside the least. Limits like the data's, L at most m T, so at most double. Limits for far more edges than nodes
/// can have grow with the edges, which are padding in every batch: 222 nodes and 5,000 edges of graphs with two edges
/// per node make shapes of at least 2,500 nodes. [`Loader::shape`](crate::Loader::shape) tells; lower the limit. Where
/// batches are rounded up, nodes grow by one step: 64 more or twice as many.
///
/// Padding rows of a field hold its [`PaddingValue`](crate::schema::PaddingValue), which is 0 unless the schema says
/// otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub enum Padding {
    /// All columns of a padding entry point to the same padding row: padding edges are self-loops.
    #[default]
    SelfLoops,
    /// Padding edges connect the two padding nodes of a pair, for models that divide by the length of an edge or
    /// differentiate it. In every second padding row, the first coordinate of
    /// [positions](crate::schema::PaddingValue::Positions) is 1, so that these edges have length one.
    TwoNodes,
    /// Padding edges go around three padding nodes, for models that use angles, too.
    /// [Positions](crate::schema::PaddingValue::Positions) of at least two coordinates are (0, 0), (1, 0) and (0, 1) in
    /// turn, so that no edge has length zero and the three are not on a line.
    Apart,
    /// All padding entries point to the first padding row, as in jraph: for comparisons with it. Sums over neighbours
    /// are then large in that row.
    Jraph,
}

impl Padding {
    /// Number of padding rows that refer to each other: the padding rows of a set are divided into such groups.
    pub(crate) fn group(self) -> usize {
        match self {
            Self::SelfLoops | Self::Jraph => 1,
            Self::TwoNodes => 2,
            Self::Apart => 3,
        }
    }

    /// Whether entries of an index are spread over all padding rows.
    pub(crate) fn is_spread(self) -> bool {
        self != Self::Jraph
    }

    /// Returns what every batch of `schema` keeps free: rows for padding entries to point to, and one graph.
    pub fn least(self, schema: &Schema) -> LeastPadding {
        let rows = |set| if schema.has_padding(set) { self.group() as u32 } else { 0 };
        LeastPadding { size: Size::of(schema.sets().len(), rows), graphs: 1 }
    }

    /// Returns the shape that holds `packs` packs of `limits` and the least padding; `None` if its numbers overflow. A
    /// loader may add rows to it, so that padding entries are spread.
    pub fn shape(self, schema: &Schema, limits: &Limits, packs: usize) -> Option<Shape> {
        let times = |limit: u32| (limit as usize).checked_mul(packs);
        limits.size.as_slice().iter().copied().try_for_each(|limit| times(limit).map(drop))?;
        let rows = |set| times(limits.size[set]).unwrap_or_default();
        Shape::of(limits.size.sets(), times(limits.graphs)?, rows).padded(&self.least(schema))
    }

    /// Returns how many of `rows` padding rows of a set have entries of an index, which point to them in turn: whole
    /// groups, but at least one row.
    pub(crate) fn in_turn(self, rows: usize) -> usize {
        if self.is_spread() { (rows - rows % self.group()).max(1) } else { 1 }
    }

    /// Returns the padding row, counted from the first of its set, that padding entry `row` in column `column` of an
    /// index points to. After as many entries as there are rows [in turn](Self::in_turn), it begins again.
    #[inline]
    pub(crate) fn entry(self, row: usize, column: usize) -> usize {
        let place = row % self.group();
        row - place + (place + column) % self.group()
    }

    /// Returns the value of all elements of `field` in padding rows, except those that are [1](Self::ones).
    pub(crate) fn value(self, field: &Field) -> f64 {
        match field.padding {
            PaddingValue::Number(number) => number,
            PaddingValue::Length if self.is_spread() => 1.0,
            PaddingValue::Length | PaddingValue::Positions | PaddingValue::Cell => 0.0,
        }
    }

    /// Returns the elements of `field` that are 1 in padding row `row`, counted from the first, while others are 0:
    /// positions are apart, and a cell has a volume.
    pub(crate) fn ones(self, field: &Field, row: usize) -> &'static [usize] {
        let elements: &[usize] = match field.padding {
            PaddingValue::Positions => [&[][..], &[0], &[1]][row % self.group()],
            PaddingValue::Cell if self.is_spread() => &[0, 4, 8],
            _ => &[],
        };
        if elements.iter().all(|&element| element < field.width) { elements } else { &[] }
    }
}
