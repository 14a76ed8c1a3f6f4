//! [`SchemaError`]: why sets, fields and indices do not make a schema.

use super::{Dtype, Field};
use crate::error::listed;

/// Sets, fields and indices do not make a schema.
#[derive(Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// There is no set, or there are too many.
    #[error("a graph has 1 to 8 sets, found {}: {sets:?}", .sets.len())]
    Sets {
        /// The names of the sets.
        sets: Vec<String>,
    },
    /// The name of a set is reserved or used twice.
    #[error("set name {name:?} is {}", if *.reserved { "empty or reserved" } else { "used twice" })]
    Set {
        /// The name.
        name: String,
        /// Whether the name is reserved; otherwise it is used twice.
        reserved: bool,
    },
    /// A field or index belongs to or points into a set that does not exist.
    #[error("{name:?} names the set {set}, but the sets are {sets:?}")]
    NoSet {
        /// The field or index.
        name: String,
        /// The set that it names.
        set: String,
        /// The sets that there are.
        sets: Vec<String>,
    },
    /// The name of a field or index is reserved or used twice.
    #[error(
        "name {name:?} is {}",
        if *.reserved { "reserved for the batch itself or its file" } else { "used twice" }
    )]
    Name {
        /// The name.
        name: String,
        /// Whether the name is reserved; otherwise it is used twice.
        reserved: bool,
    },
    /// A row has more than 1 GiB.
    #[error("field {name:?} has {width} elements per row; a row may have at most 1 GiB")]
    Width {
        /// The name.
        name: String,
        /// Elements per row.
        width: usize,
    },
    /// A row of a field has more dimensions than a list of values.
    #[error("field {name:?} has rows of {row:?}; expected [] for one value, or [n] for n values")]
    Row {
        /// The name.
        name: String,
        /// The shape of a row.
        row: Vec<usize>,
    },
    /// A padding value is declared for a field that does not exist.
    #[error("there is no field {name:?}; there {}", listed(.available))]
    NoField {
        /// The name.
        name: String,
        /// The fields that were added before.
        available: Vec<String>,
    },
    /// A padding value is not a finite value of the field's dtype.
    #[error("the padding value {value} of field {name:?} is not a finite value of {dtype}")]
    Padding {
        /// The name.
        name: String,
        /// The dtype of the field.
        dtype: Dtype,
        /// The padding value.
        value: f64,
    },
    /// An index has no column, or too many.
    #[error("index {name:?} has {columns} columns, expected 1 to 8")]
    Columns {
        /// The name.
        name: String,
        /// Number of columns.
        columns: usize,
    },
    /// There are more than 128 fields and indices.
    #[error("the data set has {fields} fields and indices, at most 128 are supported")]
    Fields {
        /// Number of fields and indices.
        fields: usize,
    },
}

graphpack_core::debug_is_display!(SchemaError);

impl SchemaError {
    /// The error that none of `fields` has this name.
    pub(crate) fn no_field(name: &str, fields: &[Field]) -> Self {
        Self::NoField { name: name.to_owned(), available: fields.iter().map(|field| field.name.clone()).collect() }
    }
}
