//! [`Field`]: name, level, dtype, width and padding value of one field of a data set.

use super::{Dtype, Level};

/// One field of a data set: `width` elements for each row of a set, or for each graph, as its level says.
#[derive(Clone, Debug, PartialEq)]
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
}

impl Field {
    /// Returns a field with these properties, whose padding is 0.
    pub fn new(name: impl Into<String>, level: Level, dtype: Dtype, width: usize) -> Self {
        Self { name: name.into(), level, dtype, width, padding: 0.0 }
    }

    /// Sets the value of all elements in padding rows, for example 1 for a length that a model divides by.
    #[must_use]
    pub fn padded(mut self, value: f64) -> Self {
        self.padding = value;
        self
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
