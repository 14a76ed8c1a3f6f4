//! [`ArrayInfo`]: name, dtype, shape and place of one array of a batch; [`ArrayError`]: why it cannot be read;
//! [`Carried`]: which arrays batches carry.

use super::{Builtin, Dtype, Element, Field, Schema};
use crate::error::{Cause, Error, ErrorKind, listed};
use std::ops::Range;

/// Describes one array of a batch: `rows x width` elements, row by row, from byte `start` of the batch's memory on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayInfo {
    /// Name of the array.
    pub name: String,
    /// Element type.
    pub dtype: Dtype,
    /// Number of rows, padding included; the number of columns for an index, which lies column after column.
    pub rows: usize,
    /// Elements per row; `None` in an array `[rows]`. [`shape`](Self::shape) divides a row further where it has several
    /// axes.
    pub width: Option<usize>,
    /// The lengths of the axes of a row, whose product is the width.
    pub(super) row: Vec<usize>,
    /// Offset of the first byte in the memory of the batch.
    pub start: usize,
    /// Whether this is a field or an index of the data set, or an array that batches have beside them.
    pub kind: ArrayKind,
}

/// What an array of a batch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArrayKind {
    /// The field at this position of the schema.
    Field(usize),
    /// The index at this position of the schema.
    Index(usize),
    /// An array that batches have beside fields and indices.
    Builtin(Builtin),
}

impl ArrayKind {
    /// Whether the array holds indices, of the type that
    /// [`Options::index`](field@crate::Options::index) asks for.
    pub const fn is_index(self) -> bool {
        match self {
            Self::Field(_) => false,
            Self::Index(_) => true,
            Self::Builtin(builtin) => builtin.is_index(),
        }
    }
}

impl ArrayInfo {
    /// The lengths of its axes: `[rows]`, `[rows, width]`, `[rows, 3, 3]` where a row has two axes, or `[rows, most]` and
    /// the axes of a row in a field of neighbours. An index is `[columns, rows]`, or `[rows]` if it has one column.
    pub fn shape(&self) -> impl Iterator<Item = usize> {
        let is_column = matches!(self.kind, ArrayKind::Index(_)) && self.rows == 1;
        (!is_column).then_some(self.rows).into_iter().chain(self.row.iter().copied())
    }

    /// Bytes per row.
    #[inline]
    pub fn row_bytes(&self) -> usize {
        self.width.unwrap_or(1) * self.dtype.bytes()
    }

    /// The range of bytes that the array takes in the memory of the batch.
    pub fn range(&self) -> Range<usize> {
        self.bytes_of(0..self.rows)
    }

    /// The range of bytes that `rows` take in the memory of the batch.
    #[inline]
    pub(crate) fn bytes_of(&self, rows: Range<usize>) -> Range<usize> {
        self.start + rows.start * self.row_bytes()..self.start + rows.end * self.row_bytes()
    }

    /// The range of bytes that `rows` of a column of this index take in the memory of the batch.
    pub(crate) fn column_bytes(&self, column: usize, rows: Range<usize>) -> Range<usize> {
        let (start, width) = (self.start + column * self.row_bytes(), self.dtype.bytes());
        start + width * rows.start..start + width * rows.end
    }

    /// Whether the entries in `rows` of a column of this index are sorted.
    pub(super) fn is_sorted(&self, bytes: &[u8], column: usize, rows: Range<usize>) -> bool {
        let bytes = &bytes[self.column_bytes(column, rows)];
        match self.dtype {
            Dtype::I32 => bytemuck::cast_slice::<_, i32>(bytes).is_sorted(),
            _ => bytemuck::cast_slice::<_, i64>(bytes).is_sorted(),
        }
    }

    /// Appends the entries in `rows` of a column of this index to `numbers`, counted from `first`. `bytes` is the
    /// memory of the batch.
    pub(crate) fn read_column(
        &self,
        bytes: &[u8],
        column: usize,
        rows: Range<usize>,
        first: i64,
        numbers: &mut Vec<i64>,
    ) {
        let bytes = &bytes[self.column_bytes(column, rows)];
        match self.dtype {
            Dtype::I32 => numbers.extend(bytemuck::cast_slice(bytes).iter().map(|&row: &i32| i64::from(row) - first)),
            _ => numbers.extend(bytemuck::cast_slice(bytes).iter().map(|row: &i64| row - first)),
        }
    }
}

/// An array of a batch cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ArrayError {
    #[error("there is no array {name:?}; there {}", listed(.available))]
    Missing { name: String, available: Vec<String> },
    #[error("array {name:?} has dtype {expected}, asked for {found}")]
    Dtype { name: String, expected: Dtype, found: Dtype },
    #[error("array {name:?} is bool: expected bytes 0 and 1, found {found}")]
    Invalid { name: String, found: u8 },
}

impl Cause for ArrayError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Missing { .. } => ErrorKind::Missing,
            _ => ErrorKind::Data,
        }
    }
}

impl ArrayError {
    /// Errors unless elements of `dtype` are of type `T`.
    pub(crate) fn check<T: Element>(name: &str, dtype: Dtype) -> Result<(), Self> {
        if dtype == T::DTYPE {
            return Ok(());
        }
        Err(Self::Dtype { name: name.to_owned(), expected: dtype, found: T::DTYPE })
    }

    pub(crate) fn missing<'a>(name: &str, available: impl IntoIterator<Item = &'a String>) -> Error {
        Self::Missing { name: name.to_owned(), available: available.into_iter().cloned().collect() }.into()
    }

    /// The error that not all `bytes` of an array are bools.
    pub(crate) fn invalid(name: &str, bytes: &[u8]) -> Error {
        Self::Invalid { name: name.to_owned(), found: no_bool(bytes) }.into()
    }
}

/// The first byte that is not a bool.
pub(super) fn no_bool(bytes: &[u8]) -> u8 {
    bytes.iter().copied().find(|&byte| byte > 1).unwrap_or_default()
}

/// Which fields, indices and built-in arrays batches carry. Others are neither written nor copied.
#[derive(Clone, Debug)]
pub(crate) struct Carried {
    /// By position in the schema.
    pub(super) fields: Vec<bool>,
    pub(super) indices: Vec<bool>,
    pub(super) builtins: Vec<Builtin>,
}

impl Carried {
    /// All fields and indices, and no built-in arrays.
    pub(crate) fn all(schema: &Schema) -> Self {
        let [fields, indices] = [schema.fields().len(), schema.indices().len()].map(|count| vec![true; count]);
        Self { fields, indices, builtins: Vec::new() }
    }

    /// Chooses from what there is: of fields and indices those in `chosen`, the masks of those with labels, those that
    /// arrays of indices need, and those that these follow from, or all if that is `None`; of built-in arrays the usual
    /// ones, those of indices and those in `also`.
    /// `derived` are sets, each with a field or an index that its rows follow from. Errors with the first unknown name,
    /// and all known names.
    pub(crate) fn new(
        schema: &Schema,
        chosen: Option<&[String]>,
        derived: &[(&str, &str)],
        also: &[String],
    ) -> Result<Self, (String, Vec<String>)> {
        let names = || {
            let fields = schema.fields().iter().map(|field| &field.name);
            fields.chain(schema.indices().iter().map(|index| &index.name))
        };
        let (builtins, of_indices) = (|| Builtin::all(schema.sets().len()), schema.index_arrays());
        if let Some(name) = chosen.into_iter().flatten().find(|&name| names().all(|other| other != name)) {
            return Err((name.clone(), names().cloned().collect()));
        }
        if let Some(name) = also.iter().find(|&name| builtins().all(|builtin| schema.array_name(builtin) != *name)) {
            return Err((name.clone(), builtins().map(|builtin| schema.array_name(builtin)).collect()));
        }
        let mut carried: Option<Vec<&str>> = chosen.map(|chosen| chosen.iter().map(String::as_str).collect());
        if let Some(carried) = &mut carried {
            // A mix writes its code of a label only where there is one.
            let labelled: Vec<&Field> = schema.fields().iter().filter(|of| !of.labels.is_empty()).collect();
            let chosen = |mask: &&Field| labelled.iter().any(|of| mask.masks(of) && carried.contains(&&*of.name));
            let masks: Vec<&str> = schema.fields().iter().filter(chosen).map(|mask| &*mask.name).collect();
            carried.extend(masks);
            carried.extend(of_indices.iter().filter_map(|array| match array {
                Builtin::NeighbourField(of) => Some(&*schema.fields()[usize::from(of.field)].name),
                array => Some(&*schema.indices()[usize::from(array.index()?)].name),
            }));
            let of_set = |name: &str, set: &str| {
                let field = schema.fields().iter().find(|field| field.name == name).map(|field| field.level);
                let level = field.or_else(|| schema.find_index(name).map(|index| schema.indices()[index].level));
                level.is_some_and(|level| schema.level_name(level) == set)
            };
            // What rows follow from may be of a derived set itself.
            while let Some(&(_, input)) = derived
                .iter()
                .find(|(set, input)| !carried.contains(input) && carried.iter().any(|name| of_set(name, set)))
            {
                carried.push(input);
            }
        }
        let carries = |name: &String| carried.as_ref().is_none_or(|carried| carried.contains(&name.as_str()));
        let asked =
            |builtin: &Builtin| schema.sets().has_array(*builtin) || also.contains(&schema.array_name(*builtin));
        Ok(Self {
            fields: schema.fields().iter().map(|field| carries(&field.name)).collect(),
            indices: schema.indices().iter().map(|index| carries(&index.name)).collect(),
            builtins: builtins().filter(asked).chain(of_indices.iter().copied()).collect(),
        })
    }
}
