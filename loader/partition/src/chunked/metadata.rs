//! [`Metadata`]: the contents of metadata.json, unchecked.

use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::marker::PhantomData;

/// The name of the file.
pub(super) const FILE: &str = "metadata.json";

/// The keys of the file. DGL 2.1 reads numbers per type, its guide and `chunk_graph.py` have numbers per chunk; one of
/// the two is required.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Metadata {
    pub(super) graph_name: String,
    pub(super) node_type: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) num_nodes_per_chunk: Option<Vec<Vec<u64>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) num_nodes_per_type: Option<Vec<u64>>,
    pub(super) edge_type: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) num_edges_per_chunk: Option<Vec<Vec<u64>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) num_edges_per_type: Option<Vec<u64>>,
    pub(super) edges: Entries<FileSpec>,
    #[serde(deserialize_with = "or_null")]
    pub(super) node_data: Entries<Entries<FileSpec>>,
    #[serde(deserialize_with = "or_null")]
    pub(super) edge_data: Entries<Entries<FileSpec>>,
}

/// The files of the edges of a type, or of a feature.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct FileSpec {
    pub(super) format: FormatSpec,
    pub(super) data: Vec<String>,
    /// Number of rows of each file, which GraphStorm writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) row_counts: Option<Vec<u64>>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct FormatSpec {
    pub(super) name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) delimiter: Option<String>,
}

/// An object whose keys keep their order. A key that occurs twice is refused.
#[derive(Debug)]
pub(super) struct Entries<V>(pub(super) Vec<(String, V)>);

impl<V> Entries<V> {
    pub(super) fn get(&self, key: &str) -> Option<&V> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }
}

impl<V> Default for Entries<V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<V: Serialize> Serialize for Entries<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Entries<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(InOrder(PhantomData))
    }
}

struct InOrder<V>(PhantomData<V>);

impl<'de, V: Deserialize<'de>> Visitor<'de> for InOrder<V> {
    type Value = Entries<V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries = Entries::default();
        let mut seen = std::collections::HashSet::new();
        while let Some((key, value)) = map.next_entry::<String, V>()? {
            if !seen.insert(key.clone()) {
                return Err(A::Error::custom(format!("{key:?} occurs twice")));
            }
            entries.0.push((key, value));
        }
        Ok(entries)
    }
}

fn or_null<'de, D: Deserializer<'de>, V: Deserialize<'de>>(deserializer: D) -> Result<Entries<V>, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}
