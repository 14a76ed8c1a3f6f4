//! [`Schema`]: names, levels, dtypes and widths of the fields of a data set.

use super::{Builtin, Dtype, Level};
use crate::fingerprint::{mix, mix_bytes};

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

/// Names that files of stores have for themselves.
const OF_FILES: [&str; 3] = ["ptr_node", "ptr_edge", "__metadata__"];

/// Most bytes of one row.
const MAX_ROW_BYTES: usize = 1 << 30;

/// Most fields of a data set: a slot has one bit of 128 for each that was written, and one for the edges.
pub(super) const MAX_FIELDS: usize = 127;

/// The fields of a data set, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Schema {
    fields: Vec<Field>,
}

impl Schema {
    /// Fields in the given order. Errors if a name occurs twice or is that of a [`Builtin`], a row is larger than 1 GiB, or
    /// there are more than 127 fields.
    pub fn new(fields: Vec<Field>) -> Result<Self, SchemaError> {
        for (i, field) in fields.iter().enumerate() {
            if field.width.checked_mul(field.dtype.bytes()).is_none_or(|bytes| bytes > MAX_ROW_BYTES) {
                return Err(SchemaError::Width { name: field.name.clone(), width: field.width });
            }
            let name = field.name.as_str();
            let reserved = Builtin::ALL.iter().any(|builtin| builtin.name() == name) || OF_FILES.contains(&name);
            if reserved || fields[..i].iter().any(|other| other.name == field.name) {
                return Err(SchemaError::Name { name: field.name.clone(), reserved });
            }
        }
        if fields.len() > MAX_FIELDS {
            return Err(SchemaError::Fields { fields: fields.len() });
        }
        Ok(Self { fields })
    }

    /// The fields.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// A number that differs between different names, levels, dtypes or widths.
    pub(crate) fn fingerprint(&self) -> u64 {
        self.fields.iter().fold(0, |hash, field| {
            let kind = [field.level as u64, field.dtype as u64, field.width as u64];
            kind.into_iter().fold(mix_bytes(hash, field.name.as_bytes()), mix)
        })
    }

    /// The position of the field `name`.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.name == name)
    }
}

/// Fields that a data set cannot have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// A name cannot be used.
    #[error("field name {name:?} is {}", if *.reserved { "reserved for the batch itself or its file" } else { "used twice" })]
    Name {
        /// The name.
        name: String,
        /// Whether every batch or file has an array of that name anyway.
        reserved: bool,
    },
    /// Rows are too large.
    #[error("field {name:?} has {width} elements per row; a row may have at most 1 GiB")]
    Width {
        /// The name.
        name: String,
        /// Elements per row.
        width: usize,
    },
    /// There are too many fields.
    #[error("{fields} fields, at most 127 are supported")]
    Fields {
        /// Their number.
        fields: usize,
    },
}
