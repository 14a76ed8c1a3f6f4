//! What each graph has: a [`Field`] or an [`Index`] of a [`Level`], sets with their [`SetNames`].

use super::{Builtin, Dtype, Level, PaddingValue};
use graphpack_core::collate::singular;
use std::fmt::Display;
use std::ops::Deref;
use std::sync::Arc;

/// One field of a data set: `width` elements for each row of a set, or for each graph, as its level says.
///
/// ```
/// use graphpack_loader::schema::Field;
/// use graphpack_loader::{Dtype, Level, Schema};
///
/// // In batches `length` is `[edges, 1]`, with 1 in padding rows.
/// let length = Field::new("length", Level::EDGE, Dtype::F32, 1).padded(1.0).in_unit("angstrom");
/// assert_eq!(Schema::default().with_field(length).fields()[0].padding, 1.0.into());
/// ```
#[derive(Clone, Debug)]
pub struct Field {
    /// Name of the field and of its array, unique in the schema; PyTorch Geometric's if it has one: `x`, `edge_attr`,
    /// `pos`, `y`. Fields of other sets than nodes and edges begin with their set by convention: `protein.x`.
    pub name: String,
    /// What it has rows for: a set, or graphs.
    pub level: Level,
    /// Element type.
    pub dtype: Dtype,
    /// Elements per row.
    pub width: usize,
    /// What padding rows hold: 0 unless it is set.
    pub padding: PaddingValue,
    /// The lengths of the axes that a row has in batches: `[]` in an array `[rows]`, `[9]`, or `[3, 3]` in an array
    /// `[rows, 3, 3]`. Their product is the width.
    pub row: Vec<usize>,
    /// The unit of its numbers, as `eV`, if it is known. Fields that differ only in units and labels are equal.
    pub unit: Option<String>,
    /// What its numbers stand for if they are codes of texts: `labels[code]`; otherwise empty.
    pub labels: Arc<[String]>,
}

impl PartialEq for Field {
    fn eq(&self, other: &Self) -> bool {
        let all = |of: &Self| (of.level, of.dtype, of.width, of.padding);
        self.name == other.name && all(self) == all(other) && self.row == other.row
    }
}

impl Field {
    /// Returns a field with these properties, whose padding is 0. Its arrays are `[rows, width]`.
    pub fn new(name: impl Into<String>, level: Level, dtype: Dtype, width: usize) -> Self {
        let (name, padding, row) = (name.into(), PaddingValue::default(), vec![width]);
        Self { name, level, dtype, width, padding, row, unit: None, labels: Arc::default() }
    }

    /// Sets what padding rows hold, for example `PaddingValue::Length` or -100.0.
    #[must_use]
    pub fn padded(mut self, value: impl Into<PaddingValue>) -> Self {
        self.padding = value.into();
        self
    }

    /// Sets the lengths of the axes of a row, whose product must be the width: `&[]` makes arrays `[rows]` and not
    /// `[rows, 1]`, `&[3, 3]` makes them `[rows, 3, 3]` and not `[rows, 9]`.
    #[must_use]
    pub fn shaped(mut self, row: &[usize]) -> Self {
        self.row = row.to_vec();
        self
    }

    /// Says in which unit its numbers are.
    #[must_use]
    pub fn in_unit(mut self, unit: impl Into<String>) -> Self {
        self.unit = Some(unit.into());
        self
    }

    /// Says what its numbers stand for: 0 for the first of `labels`, and so on.
    #[must_use]
    pub fn labelled(mut self, labels: impl Into<Arc<[String]>>) -> Self {
        self.labels = labels.into();
        self
    }

    /// The shape of its array of this many rows.
    pub fn shape(&self, rows: usize) -> Vec<usize> {
        [&[rows], &*self.row].concat()
    }

    /// The field `has_NAME` that says which graphs have this one. It has as many axes, of length 1, and so broadcasts
    /// against a field of graphs.
    pub fn mask(&self) -> Self {
        Self::new(format!("has_{}", self.name), Level::Graph, Dtype::Bool, 1).shaped(&vec![1; self.row.len()])
    }

    /// Whether it says which graphs have `field`, or which of its columns.
    pub(crate) fn is_mask_of(&self, field: &Self) -> bool {
        let kind = (self.level, self.dtype) == (Level::Graph, Dtype::Bool) && [1, field.width].contains(&self.width);
        kind && self.name.strip_prefix("has_") == Some(&*field.name)
    }

    /// Whether it says which numbers of a field of rows are there, which some graphs lack in part.
    pub(crate) fn is_mask_of_rows(&self, field: &Self) -> bool {
        let kind = (Dtype::Bool, field.level, field.width);
        let is_mask = field.level != Level::Graph && (self.dtype, self.level, self.width) == kind;
        is_mask && self.name.strip_prefix("has_") == Some(&*field.name)
    }

    /// Whether it says what graphs have of `field`: all of it, some of its columns, or some numbers of its rows.
    pub(crate) fn masks(&self, field: &Self) -> bool {
        self.is_mask_of(field) || self.is_mask_of_rows(field)
    }

    /// Bytes per row.
    pub fn row_bytes(&self) -> usize {
        self.width * self.dtype.bytes()
    }

    /// Returns what padding rows hold of a field that a reader has found in a file, by its usual name: `Positions` for
    /// `pos` and `SET.pos`, `Length` for `distance` and `SET.distance`, `Cell` for `cell`, if the field may have it;
    /// otherwise 0.
    pub fn usual_padding(&self) -> PaddingValue {
        let name = self.name.rsplit_once('.').map_or(&*self.name, |(_, name)| name);
        let value = match name {
            "pos" => PaddingValue::Positions,
            "distance" => PaddingValue::Length,
            "cell" if self.name == name => PaddingValue::Cell,
            _ => PaddingValue::default(),
        };
        if self.may_have(value) { value } else { PaddingValue::default() }
    }

    /// Whether its padding rows can hold this.
    pub(super) fn may_have(&self, padding: PaddingValue) -> bool {
        padding.suits(self.level, self.dtype, self.width)
    }
}

/// The unit of a field that has `units` in several data sets: none if one of them states none. Errors with the places
/// of two that state different ones.
pub(crate) fn common_unit<'a>(units: impl Iterator<Item = Option<&'a str>>) -> Result<Option<String>, [usize; 2]> {
    let (mut stated, mut everywhere) = (None, true);
    for (place, unit) in units.enumerate() {
        match (stated, unit) {
            (Some((first, before)), Some(unit)) if before != unit => return Err([first, place]),
            (None, Some(unit)) => stated = Some((place, unit)),
            (_, None) => everywhere = false,
            _ => {}
        }
    }
    Ok(stated.filter(|_| everywhere).map(|(_, unit)| unit.to_owned()))
}

/// A field whose values number rows of other sets of the same graph, as `edge_index` numbers nodes. A batch holds it as
/// `[width, rows]`: one line per column, and as `[rows]` if it has one column. Collation adds to each column the place
/// where the graph's rows begin in the set that the column points into.
///
/// ```
/// use graphpack_loader::Schema;
///
/// // The fragment of each atom, `[atoms]` in batches.
/// let schema = Schema::of(&["atoms", "fragments"]).index("fragment_of", "atoms", &["fragments"]);
/// assert_eq!(schema.indices()[0].targets, [1]); // into the second set
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Index {
    /// Name of the index and of its array: `edge_index`, `triplet_index`.
    pub name: String,
    /// What it has entries for: the rows of a set, or graphs.
    pub level: Level,
    /// The set that each column points into, by its position in [`Schema::sets`](crate::Schema::sets).
    pub targets: Vec<u8>,
}

impl Index {
    /// The name of the index of the default schema.
    pub const EDGE_INDEX: &str = "edge_index";

    /// Returns an index with these properties.
    pub fn new(name: impl Into<String>, level: Level, targets: impl Into<Vec<u8>>) -> Self {
        Self { name: name.into(), level, targets: targets.into() }
    }

    /// Returns `edge_index` of the default schema: sources and targets of the edges, both nodes.
    pub fn edge_index() -> Self {
        Self::new(Self::EDGE_INDEX, Level::EDGE, [0, 0])
    }

    /// Number of columns.
    pub fn width(&self) -> usize {
        self.targets.len()
    }
}

/// The names of the sets of a schema, in their order. Errors carry them to say what they count.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SetNames(Arc<[String]>);

impl SetNames {
    pub(crate) fn new(names: impl IntoIterator<Item = String>) -> Self {
        Self(names.into_iter().collect())
    }

    /// What names of arrays and files call a set: `node` and `edge` for `nodes` and `edges`, otherwise its name.
    pub(crate) fn singular(&self, set: usize) -> &str {
        singular(&self.0[set])
    }

    /// Whether batches of these sets have a built-in array without asking for it.
    pub(super) fn has_array(&self, of: Builtin) -> bool {
        match (of, of.of()) {
            (Builtin::Pool(_), _) => false,
            (_, Level::Graph) => true,
            (Builtin::Mask(_), Level::Set(set)) => ["nodes", "edges"].contains(&&*self.0[usize::from(set)]),
            (_, Level::Set(set)) => self.0[usize::from(set)] == "nodes",
        }
    }

    /// The name that a file gives to the offsets of a set.
    pub(crate) fn offsets(&self, set: usize) -> String {
        format!("ptr_{}", self.singular(set))
    }

    /// Returns numbers with the names of the sets: `3 nodes and 4 edges`, or `3 nodes, 4 edges and 2 triplets`.
    pub fn counts(&self, rows: impl IntoIterator<Item = impl Display>) -> String {
        let counted: Vec<String> = rows.into_iter().zip(&*self.0).map(|(rows, set)| format!("{rows} {set}")).collect();
        match counted.split_last() {
            Some((last, [])) => last.clone(),
            Some((last, others)) => format!("{} and {last}", others.join(", ")),
            None => String::new(),
        }
    }

    /// Returns the rows of a batch with the names of the sets: `6 nodes, 5 edges, 4 graphs`.
    pub fn shape(&self, shape: &super::Shape) -> String {
        let counted = shape.sets().iter().zip(&*self.0).map(|(rows, set)| format!("{rows} {set}, "));
        format!("{}{} graphs", counted.collect::<String>(), shape.graphs())
    }
}

impl Deref for SetNames {
    type Target = [String];

    fn deref(&self) -> &[String] {
        &self.0
    }
}
