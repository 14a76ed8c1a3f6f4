//! [`Field`]: name, level, dtype, width and padding value of one field of a data set.

use super::{Dtype, Level};

/// One field of a data set: `width` elements for each row of a set, or for each graph, as its level says.
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
    /// The value of all elements in padding rows: 0 unless it is set.
    pub padding: f64,
    /// Whether batches have it as a vector `[rows]` and not as `[rows, 1]`, if the width is 1.
    pub vector: bool,
    /// The unit of its numbers, as `eV`, if it is known. Fields that differ in nothing else are equal.
    pub unit: Option<String>,
}

impl PartialEq for Field {
    fn eq(&self, other: &Self) -> bool {
        let all = |of: &Self| (of.level, of.dtype, of.width, of.padding, of.vector);
        self.name == other.name && all(self) == all(other)
    }
}

impl Field {
    /// Returns a field with these properties, whose padding is 0. Its arrays are `[rows, width]`.
    pub fn new(name: impl Into<String>, level: Level, dtype: Dtype, width: usize) -> Self {
        Self { name: name.into(), level, dtype, width, padding: 0.0, vector: false, unit: None }
    }

    /// Sets the value of all elements in padding rows, for example 1 for a length that a model divides by.
    #[must_use]
    pub fn padded(mut self, value: f64) -> Self {
        self.padding = value;
        self
    }

    /// Makes arrays of the field vectors, `[rows]` and not `[rows, 1]`, if its width is 1.
    #[must_use]
    pub fn vector(mut self) -> Self {
        self.vector = true;
        self
    }

    /// Says in which unit its numbers are.
    #[must_use]
    pub fn in_unit(mut self, unit: impl Into<String>) -> Self {
        self.unit = Some(unit.into());
        self
    }

    /// Forgets the unit if the same field of other graphs has another, or none that is known.
    pub(crate) fn agree(&mut self, other: &Self) {
        self.unit = self.unit.take().filter(|unit| other.unit.as_ref() == Some(unit));
    }

    /// Elements per row in the shape of an array `[rows, width]`; `None` for a vector `[rows]`.
    pub fn columns(&self) -> Option<usize> {
        (self.width != 1 || !self.vector).then_some(self.width)
    }

    /// The field `has_NAME` that says which graphs have this one.
    pub(crate) fn mask(&self) -> Self {
        Self::new(format!("has_{}", self.name), Level::Graph, Dtype::Bool, 1)
    }

    /// Whether it says which graphs have the field `name`.
    pub(crate) fn is_mask_of(&self, name: &str) -> bool {
        let kind = (self.level, self.dtype, self.width) == (Level::Graph, Dtype::Bool, 1);
        kind && self.name.strip_prefix("has_") == Some(name)
    }

    /// Bytes per row.
    pub fn row_bytes(&self) -> usize {
        self.width * self.dtype.bytes()
    }

    /// The name without the set that it may begin with: `pos` of `protein.pos`.
    pub(crate) fn local_name(&self) -> &str {
        self.name.rsplit_once('.').map_or(&self.name, |(_, name)| name)
    }
}
