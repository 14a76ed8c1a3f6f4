//! [`Description`]: the metadata of a store's file: what its tensors are.

use crate::layout::{Index, Level, Schema};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The key of graphpack's entry in the metadata of a file.
pub(super) const KEY: &str = "graphpack";
/// The key of the units of fields. They have an entry of their own, which releases before them pass over.
pub(super) const UNITS: &str = "graphpack_units";

/// The entry in the metadata. Levels are `node`, `edge`, `graph` or the name of another set. What is as in a data set of
/// nodes and edges is left out.
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
    /// Values of padding rows that are not 0.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) padding: BTreeMap<String, f64>,
    /// Fields that batches have as vectors.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) vectors: Vec<String>,
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
        let padded = schema.fields().iter().filter(|field| field.padding != 0.0);
        let vectors = schema.fields().iter().filter(|field| field.vector);
        Self {
            sets,
            fields: schema.fields().iter().map(|field| (field.name.clone(), level(field.level))).collect(),
            indices,
            padding: padded.map(|field| (field.name.clone(), field.padding)).collect(),
            vectors: vectors.map(|field| field.name.clone()).collect(),
            crc32,
        }
    }
}
