//! [`Padding`]: which rows padding entries of an index point to, and so how many rows a batch keeps free. Core's
//! `LeastPadding` adds and takes away those rows; `collate` writes them.

use super::Limits;
use crate::layout::{Field, Level, MAX_SETS, Schema, Shape};
use graphpack_core::{LeastPadding, Size};

/// Decides which rows the padding entries of an index point to, such as the nodes of padding edges. As in jraph, all
/// padding rows belong to the first padding graph, and further padding graphs are empty. Every batch has at least one
/// padding graph, and padding rows of `nodes` and of each set that an index points into; other sets may have none.
///
/// | | padding rows of such a set | padding edges | padding triplets |
/// |---|---|---|---|
/// | [`SelfLoops`](Self::SelfLoops) | 1 | 0 to 0 | edges 0 and 0 |
/// | [`TwoNodes`](Self::TwoNodes) | 2 | 0 to 1 | edges 0 and 1 |
/// | [`Apart`](Self::Apart) | 3 | 0 to 1, 1 to 2, 2 to 0, 0 to 1, ... | edges 0 and 1, 1 and 2, ... |
///
/// Fields have their [padding value](Field::padding) in padding rows, which is 0 unless the schema says otherwise; only
/// where positions are apart, it is 1 for a floating point field `distance` (or `SET.distance`), so that a model may
/// divide by it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub enum Padding {
    /// Padding entries point to the first padding row: padding edges are self-loops, as in jraph.
    #[default]
    SelfLoops,
    /// Column c of an index points to padding row c modulo 2: padding edges go from the first padding node to the
    /// second, for models that divide by the length of an edge or differentiate it. In the second padding row, the first
    /// coordinate of a floating point field `pos` is 1 more than its padding value, so that these edges have length one.
    TwoNodes,
    /// Row r of an index points in column c to padding row r + c modulo 3, for models that use angles, too. A floating
    /// point field `pos` (or `SET.pos`) of at least two coordinates has its padding value plus (0, 0), (1, 0) and (0, 1)
    /// in the first three padding rows, so that neither edges have length zero nor are the positions of three nodes on a line.
    Apart,
}

impl Padding {
    /// The padding rows that entries of an index point to.
    fn rows(self) -> u32 {
        match self {
            Self::SelfLoops => 1,
            Self::TwoNodes => 2,
            Self::Apart => 3,
        }
    }

    /// Returns what every batch of `schema` keeps free: rows for padding entries to point to, and one graph.
    pub fn least(self, schema: &Schema) -> LeastPadding<MAX_SETS> {
        let rows = |set| if set < schema.sets().len() && schema.has_padding(set) { self.rows() } else { 0 };
        LeastPadding { size: Size(std::array::from_fn(rows)), graphs: 1 }
    }

    /// Returns the shape that holds `packs` packs of `limits` and the least padding; `None` if its numbers overflow.
    pub fn shape(self, schema: &Schema, limits: &Limits, packs: usize) -> Option<Shape> {
        let times = |limit: u32| (limit as usize).checked_mul(packs);
        limits.size.as_slice().iter().copied().try_for_each(|limit| times(limit).map(drop))?;
        let rows = |set| times(limits.size[set]).unwrap_or_default();
        Shape::of(limits.size.sets(), times(limits.graphs)?, rows).padded(&self.least(schema))
    }

    /// Returns the padding row, counted from the first of its set, that entry `row` in column `column` of an index
    /// points to.
    #[inline]
    pub(crate) fn entry(self, row: usize, column: usize) -> usize {
        match self {
            Self::SelfLoops => 0,
            Self::TwoNodes => column % 2,
            Self::Apart => (row + column) % 3,
        }
    }

    /// Whether all positions are the same in padding rows.
    pub(crate) fn is_degenerate(self) -> bool {
        self == Self::SelfLoops
    }

    /// Whether all padding entries in a column of an index are the same.
    pub(crate) fn is_constant(self) -> bool {
        self != Self::Apart
    }

    /// Returns the value of all elements of `field` in padding rows, before positions are set apart.
    pub(crate) fn value(self, field: &Field) -> f64 {
        let length = is_float(field) && field.local_name() == "distance" && field.padding == 0.0;
        if length && !self.is_degenerate() { 1.0 } else { field.padding }
    }

    /// Returns the element of `field` that is 1 more, so that positions are apart, in padding row `row`, counted from the
    /// first; `None` if the row has the padding value in all elements.
    pub(crate) fn apart(self, field: &Field, row: usize) -> Option<usize> {
        let positions = is_float(field) && field.local_name() == "pos";
        (positions && (1..self.rows() as usize).contains(&row)).then(|| row - 1).filter(|&at| at < field.width)
    }
}

/// Whether a field of a set has floating point numbers.
fn is_float(field: &Field) -> bool {
    field.dtype.is_float() && matches!(field.level, Level::Set(_))
}
