//! [`Schema`]: names, levels, dtypes and widths of the fields of a data set.

use super::{Builtin, Dtype, Level};
use crate::fingerprint::{mix, mix_bytes};

/// One field of a data set: `width` elements for each node, edge or graph, as its level says.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    /// Name of the field; PyTorch Geometric's if it has one: `x`, `edge_attr`, `pos`, `y`.
    pub name: String,
    /// Whether it has rows for nodes, edges or graphs.
    pub level: Level,
    /// Element type.
    pub dtype: Dtype,
    /// Elements per row.
    pub width: usize,
}

impl Field {
    /// Returns a field with these properties.
    pub fn new(name: impl Into<String>, level: Level, dtype: Dtype, width: usize) -> Self {
        Self { name: name.into(), level, dtype, width }
    }

    /// Bytes per row.
    pub fn row_bytes(&self) -> usize {
        self.width * self.dtype.bytes()
    }
}

/// Names that files of stores need for something else.
const OF_FILES: [&str; 3] = ["ptr_node", "ptr_edge", "__metadata__"];

/// The most bytes that one row may have.
const MAX_ROW_BYTES: usize = 1 << 30;

/// The most fields of a data set: a slot marks each written field with one of 128 bits, and the edges with the last.
pub(super) const MAX_FIELDS: usize = 127;

/// The fields of a data set, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Schema {
    fields: Vec<Field>,
}

impl Schema {
    /// Returns a schema of these fields, in their order. Errors if a name occurs twice or is reserved (that of a
    /// [`Builtin`], `ptr_node`, `ptr_edge` or `__metadata__`), if a row is larger than 1 GiB, or if there are more than
    /// 127 fields.
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

    /// Returns a hash of the names, levels, dtypes and widths.
    pub(crate) fn fingerprint(&self) -> u64 {
        self.fields.iter().fold(0, |hash, field| {
            let kind = [field.level as u64, field.dtype as u64, field.width as u64];
            kind.into_iter().fold(mix_bytes(hash, field.name.as_bytes()), mix)
        })
    }

    /// The position of the field named `name`; `None` if there is none.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.name == name)
    }
}

/// A data set cannot have these fields.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// A name is reserved or used twice.
    #[error(
        "field name {name:?} is {}",
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
    /// There are more than 127 fields.
    #[error("the data set has {fields} fields, at most 127 are supported")]
    Fields {
        /// Number of fields.
        fields: usize,
    },
}
