//! [`Schema`]: names, levels, dtypes and widths of the fields of a data set.

use crate::Dtype;

/// What a field has one row for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// One row per node.
    Node,
    /// One row per directed edge.
    Edge,
    /// One row per graph.
    Graph,
}

/// One field: `rows x width` elements, rows as many as its level has.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    /// Its name; PyTorch Geometric's where there is one: `x`, `edge_attr`, `pos`, `y`.
    pub name: String,
    /// What it has rows for.
    pub level: Level,
    /// Element type.
    pub dtype: Dtype,
    /// Elements per row.
    pub width: usize,
}

impl Field {
    /// A field.
    pub fn new(name: impl Into<String>, level: Level, dtype: Dtype, width: usize) -> Self {
        Self { name: name.into(), level, dtype, width }
    }

    /// Bytes per row.
    pub fn row_bytes(&self) -> usize {
        self.width * self.dtype.bytes()
    }
}

/// Names that every batch has of itself and that a field cannot take.
pub const RESERVED: [&str; 7] = ["edge_index", "batch", "ptr", "node_mask", "edge_mask", "graph_mask", "graph_ids"];

/// The fields of a data set, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Schema {
    fields: Vec<Field>,
}

impl Schema {
    /// Fields in the given order. Errors if a name is taken twice or reserved ([`RESERVED`]).
    pub fn new(fields: Vec<Field>) -> Result<Self, SchemaError> {
        for (i, field) in fields.iter().enumerate() {
            let reserved = RESERVED.contains(&field.name.as_str());
            if reserved || fields[..i].iter().any(|other| other.name == field.name) {
                return Err(SchemaError { name: field.name.clone(), reserved });
            }
        }
        Ok(Self { fields })
    }

    /// The fields.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// The position of the field `name`.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.name == name)
    }
}

/// A field name that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("field name {name:?} is {}", if *.reserved { "reserved for the batch itself" } else { "used twice" })]
pub struct SchemaError {
    /// The name.
    pub name: String,
    /// Whether every batch has an array of that name anyway.
    pub reserved: bool,
}
