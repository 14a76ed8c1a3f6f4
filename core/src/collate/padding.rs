//! The padding rule. [`Padding`]: which rows padding entries of an index point to, and so how many rows a batch keeps
//! free; [`PaddingValue`]: what padding rows of a field hold.

use super::dtype::{cast, fill};
use super::numbers::BatchInteger;
use super::{Dtype, Level};
use crate::{LeastPadding, Size};
use core::fmt;
use core::ops::Range;

/// How far padding positions are apart, and how long padding edges are: beyond cutoffs, while half precision holds the
/// square of it, and single precision a polynomial of a cutoff of degree 10.
const FAR: f64 = 100.0;

/// What padding rows of a field hold, whatever the field is called. Python, files and `graphpack inspect` write it as a
/// number, or as `positions`, `length` or `cell`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(all(feature = "serde", feature = "alloc"), derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    all(feature = "serde", feature = "alloc"),
    serde(rename_all = "lowercase", expecting = "expected a number, positions, length or cell for padding rows")
)]
pub enum PaddingValue {
    /// For positions, numbers of a set: 0, and where padding edges connect two or three padding nodes,
    /// these are 100 apart ([`Padding`]), which is beyond the cutoff of a model in angstrom, nanometres or bohr.
    Positions,
    /// For lengths, numbers of a set: 100, so that a model may divide by them and cuts them off; 0 with
    /// [`Padding::Jraph`].
    Length,
    /// For the three vectors of a cell, 9 numbers of a graph: unit vectors, so that a model may divide by the volume; 0
    /// with [`Padding::Jraph`].
    Cell,
    /// This number in all elements, of any field; by default 0. It must be a finite value of the field's dtype.
    #[cfg_attr(all(feature = "serde", feature = "alloc"), serde(untagged))]
    Number(f64),
}

impl Default for PaddingValue {
    fn default() -> Self {
        Self::Number(0.0)
    }
}

impl From<f64> for PaddingValue {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl fmt::Display for PaddingValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Positions => f.write_str("positions"),
            Self::Length => f.write_str("length"),
            Self::Cell => f.write_str("cell"),
            Self::Number(number) => number.fmt(f),
        }
    }
}

impl PaddingValue {
    /// Whether padding rows of a field of this level, dtype and number of elements per row can hold it.
    pub const fn suits(self, level: Level, dtype: Dtype, width: usize) -> bool {
        let (of_graphs, is_bool) = (matches!(level, Level::Graph), matches!(dtype, Dtype::Bool));
        match self {
            Self::Number(number) => dtype.holds(number),
            Self::Positions | Self::Length => !is_bool && !of_graphs,
            Self::Cell => !is_bool && of_graphs && width == 9,
        }
    }
}

/// Decides which rows the padding entries of an index point to, such as the nodes of padding edges. As in jraph, all
/// padding rows belong to the first padding graph, and further padding graphs are empty. Every batch has at least one
/// padding graph, and padding rows of `nodes` and of each set that an index or [`Neighbours`](super::Neighbours) point
/// into; other sets may have none.
///
/// | | padding rows at least | padding edges | padding triplets |
/// |---|---|---|---|
/// | [`SelfLoops`](Self::SelfLoops) | 1 | 0 to 0, 1 to 1, 2 to 2, ... | edges 0 and 0, 1 and 1, ... |
/// | [`TwoNodes`](Self::TwoNodes) | 2 | 0 to 1, 1 to 0, 2 to 3, 3 to 2, ... | edges 0 and 1, 1 and 0, ... |
/// | [`Beyond`](Self::Beyond) | 3 | 0 to 1, 1 to 2, 2 to 0, 3 to 4, ... | edges 0 and 1, 1 and 2, ... |
/// | [`Jraph`](Self::Jraph) | 1 | 0 to 0, 0 to 0, ... | edges 0 and 0, ... |
///
/// After the last padding row, entries begin again at the first. If all pointed to one row, a sum over neighbours would
/// grow a hundredfold per layer there, beyond half precision.
///
/// Padding rows of a field hold its [`PaddingValue`], which is 0 unless the schema says otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Padding {
    /// All columns of a padding entry point to the same padding row: padding edges are self-loops.
    #[default]
    SelfLoops,
    /// Padding edges connect the two padding nodes of a pair, for models that divide by the length of an edge or
    /// differentiate it, but have no angles. In every second padding row, the first coordinate of
    /// [positions](PaddingValue::Positions) is 100, and so is the length of these edges.
    TwoNodes,
    /// Padding edges go around three padding nodes and are beyond the cutoff, for models of positions: lengths, angles
    /// and their gradients are finite. [Positions](PaddingValue::Positions) of at least two coordinates are (0, 0),
    /// (100, 0) and (0, 100) in turn, so that no edge is shorter than 100 and the three are not on a line.
    Beyond,
    /// All padding entries point to the first padding row, as in jraph: for comparisons with it. Sums over neighbours
    /// are then large in that row.
    Jraph,
}

impl fmt::Display for Padding {
    /// Writes the word that messages and Python have for it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Self::WORDS.iter().find(|(_, value)| value == self).map_or("", |(word, _)| word))
    }
}

impl Padding {
    /// Each value and its word in messages and in Python.
    pub const WORDS: &[(&'static str, Self)] = &[
        ("self_loops", Self::SelfLoops),
        ("two_nodes", Self::TwoNodes),
        ("beyond", Self::Beyond),
        ("jraph", Self::Jraph),
    ];

    /// Number of padding rows that refer to each other: the padding rows of a set are divided into such groups.
    pub const fn group(self) -> usize {
        match self {
            Self::SelfLoops | Self::Jraph => 1,
            Self::TwoNodes => 2,
            Self::Beyond => 3,
        }
    }

    /// Whether entries of an index are spread over all padding rows.
    pub const fn is_spread(self) -> bool {
        !matches!(self, Self::Jraph)
    }

    /// Returns what every batch of `sets` sets keeps free: a group of rows of each set that `has_padding`, for padding
    /// entries to point to, and one graph.
    pub fn least(self, sets: usize, has_padding: impl Fn(usize) -> bool) -> LeastPadding {
        let rows = |set| if has_padding(set) { self.group() as u32 } else { 0 };
        LeastPadding { size: Size::of(sets, rows), graphs: 1 }
    }

    /// Writes all padding rows of a field with `width` elements per row. `rows` are their bytes.
    pub fn write_rows(self, rows: &mut [u8], dtype: Dtype, width: usize, value: PaddingValue) {
        let all = match value {
            PaddingValue::Number(number) => number,
            PaddingValue::Length if self.is_spread() => FAR,
            PaddingValue::Length | PaddingValue::Positions | PaddingValue::Cell => 0.0,
        };
        fill(rows, dtype, all);
        if matches!(value, PaddingValue::Number(_) | PaddingValue::Length) {
            return;
        }
        // Positions are apart, and a cell has a volume.
        for (number, row) in rows.chunks_exact_mut((width * dtype.bytes()).max(1)).enumerate() {
            let (elements, number): (&[usize], f64) = match (value, number % self.group()) {
                (PaddingValue::Positions, 1) => (&[0], FAR),
                (PaddingValue::Positions, 2) => (&[1], FAR),
                (PaddingValue::Cell, _) if self.is_spread() => (&[0, 4, 8], 1.0),
                _ => continue,
            };
            for element in elements {
                let bytes = element * dtype.bytes()..(element + 1) * dtype.bytes();
                fill(row.get_mut(bytes).unwrap_or_default(), dtype, number);
            }
        }
    }

    /// Writes all padding entries of a column of an index, which point to the padding rows `targets`: to whole groups
    /// in turn, but to at least one row. `entries` are their bytes, integers of type `index`.
    pub fn write_entries(self, entries: &mut [u8], index: Dtype, column: usize, targets: Range<usize>) {
        match index {
            Dtype::I32 => self.point(cast::<i32>(entries), column, targets),
            _ => self.point(cast::<i64>(entries), column, targets),
        }
    }

    /// How many of `rows` padding rows entries point to in turn: whole groups, but at least one row.
    pub(super) fn turn(self, rows: usize) -> usize {
        if self.is_spread() { (rows - rows % self.group()).max(1) } else { 1 }
    }

    fn point<T: BatchInteger>(self, entries: &mut [T], column: usize, targets: Range<usize>) {
        let group = self.group();
        let mut written = self.turn(targets.len()).min(entries.len());
        let mut first = targets.start;
        for entries in entries[..written].chunks_mut(group) {
            let mut place = column % group;
            for entry in entries {
                *entry = T::of(first + place);
                place = if place + 1 == group { 0 } else { place + 1 };
            }
            first += group;
        }
        while written < entries.len() {
            let again = written.min(entries.len() - written);
            entries.copy_within(..again, written);
            written += again;
        }
    }
}
