//! [`SchemaError`]: why sets, fields and indices do not make a schema.

use super::{Dtype, Field};
use crate::error::{Cause, ErrorKind, listed};

/// Sets, fields and indices do not make a schema.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum SchemaError {
    #[error("a graph has 1 to 8 sets, found {}: {sets:?}", .sets.len())]
    Sets { sets: Vec<String> },
    #[error("set name {name:?} is {}", if *.reserved { "empty or reserved" } else { "used twice" })]
    Set { name: String, reserved: bool },
    #[error("{name:?} names the set {set}, but the sets are {sets:?}")]
    NoSet { name: String, set: String, sets: Vec<String> },
    #[error(
        "name {name:?} is {}",
        if *.reserved { "reserved for the batch itself or its file" } else { "used twice" }
    )]
    Name { name: String, reserved: bool },
    #[error("field {name:?} has {width} elements per row; a row may have at most 1 GiB")]
    Width { name: String, width: usize },
    #[error("field {name:?} has rows of {row:?}; expected [] for one value, or [n] for n values")]
    Row { name: String, row: Vec<usize> },
    #[error("there is no field {name:?}; there {}", listed(.available))]
    NoField { name: String, available: Vec<String> },
    #[error("the padding value {value} of field {name:?} is not a finite value of {dtype}")]
    Padding { name: String, dtype: Dtype, value: f64 },
    #[error("index {name:?} has {columns} columns, expected 1 to 8")]
    Columns { name: String, columns: usize },
    #[error("the data set has {fields} fields and indices, at most 128 are supported")]
    Fields { fields: usize },
}

impl Cause for SchemaError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Data
    }
}

impl SchemaError {
    /// The error that none of `fields` has this name.
    pub(crate) fn no_field(name: &str, fields: &[Field]) -> Self {
        Self::NoField { name: name.to_owned(), available: fields.iter().map(|field| field.name.clone()).collect() }
    }
}
