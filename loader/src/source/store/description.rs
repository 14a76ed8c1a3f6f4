//! [`Description`]: the metadata of a store's file, which says what its tensors are; which of safetensors' dtypes they
//! have.

use crate::layout::{Dtype, Index, IndexWidth, Level, PaddingValue, Schema};
use safetensors::Dtype as FileDtype;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The key of graphpack's entry in the metadata of a file.
pub(super) const KEY: &str = "graphpack";
/// The key of the units of fields. They have an entry of their own, which releases before them pass over.
pub(super) const UNITS: &str = "graphpack_units";

/// The entry in the metadata. Levels are `node`, `edge`, `graph` or the name of another set. What is as in a data set
/// of nodes and edges is left out.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Description {
    /// Names of the sets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sets: Option<Vec<String>>,
    /// Names and levels of the fields, in the order of the schema.
    pub(super) fields: Vec<(String, String)>,
    /// Names and levels of the indices, and what each column points into.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) indices: Option<Vec<(String, String, Vec<String>)>>,
    /// What padding rows of fields hold where it is not 0: a number, `positions`, `length` or `cell`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) padding: BTreeMap<String, PaddingValue>,
    /// What the numbers of fields that are codes stand for.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) labels: BTreeMap<String, Vec<String>>,
    /// In older files, the fields with one axis, which the shapes of their tensors say.
    #[serde(skip_serializing)]
    vectors: IgnoredAny,
    /// Checksum of the bytes of each tensor.
    pub(super) crc32: BTreeMap<String, u32>,
}

/// The units of fields, by name.
pub(super) type Units = BTreeMap<String, String>;

impl Description {
    /// Describes tensors of `schema` with these checksums.
    pub(super) fn new(schema: &Schema, crc32: BTreeMap<String, u32>) -> Self {
        let level = |level: Level| match level {
            Level::Set(set) => schema.sets().singular(usize::from(set)).to_owned(),
            Level::Graph => "graph".to_owned(),
        };
        let default = Schema::default();
        let sets = (schema.sets() != default.sets()).then(|| schema.sets().to_vec());
        let targets = |index: &Index| index.targets.iter().map(|&set| level(Level::Set(set))).collect();
        let indices = schema.indices().iter().map(|index| (index.name.clone(), level(index.level), targets(index)));
        let indices = (schema.indices() != default.indices()).then(|| indices.collect());
        let labelled = schema.fields().iter().filter(|field| !field.labels.is_empty());
        let padded = schema.fields().iter().filter(|field| field.padding != PaddingValue::default());
        Self {
            sets,
            fields: schema.fields().iter().map(|field| (field.name.clone(), level(field.level))).collect(),
            indices,
            padding: padded.map(|field| (field.name.clone(), field.padding)).collect(),
            labels: labelled.map(|field| (field.name.clone(), field.labels.to_vec())).collect(),
            vectors: IgnoredAny,
            crc32,
        }
    }
}

const FIELDS: [(Dtype, FileDtype); 7] = [
    (Dtype::F16, FileDtype::F16),
    (Dtype::F32, FileDtype::F32),
    (Dtype::F64, FileDtype::F64),
    (Dtype::I64, FileDtype::I64),
    (Dtype::I32, FileDtype::I32),
    (Dtype::U8, FileDtype::U8),
    (Dtype::Bool, FileDtype::BOOL),
];

const INDICES: [(IndexWidth, FileDtype); 4] = [
    (IndexWidth::U8, FileDtype::U8),
    (IndexWidth::U16, FileDtype::U16),
    (IndexWidth::I32, FileDtype::I32),
    (IndexWidth::I64, FileDtype::I64),
];

/// Returns the dtype of a field whose tensor has dtype `of`; `None` if batches cannot have it.
pub(super) fn field_dtype(of: FileDtype) -> Option<Dtype> {
    FIELDS.iter().find(|(_, file)| *file == of).map(|(dtype, _)| *dtype)
}

/// Returns the type of node numbers whose tensor has dtype `of`; `None` unless it is uint8, uint16, int32 or int64.
pub(super) fn index_width(of: FileDtype) -> Option<IndexWidth> {
    INDICES.iter().find(|(_, file)| *file == of).map(|(width, _)| *width)
}

/// Returns the dtype that a field is written with.
pub(super) fn file_dtype(dtype: Dtype) -> FileDtype {
    FIELDS.iter().find(|(field, _)| *field == dtype).map_or(FileDtype::U8, |(_, file)| *file)
}

/// Returns the dtype that node numbers are written with.
pub(super) fn file_dtype_of_index(width: IndexWidth) -> FileDtype {
    INDICES.iter().find(|(index, _)| *index == width).map_or(FileDtype::I64, |(_, file)| *file)
}
