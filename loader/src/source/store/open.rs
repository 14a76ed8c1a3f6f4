//! Opens stores in safetensors files, by mapping them.

use super::bytes::Bytes;
use super::description::{Description, KEY};
use super::local_index::LocalIndex;
use super::map::Map;
use super::offsets::Offsets;
use super::store::check_offsets;
use super::{Column, FileError, Store, StoreError, dtypes};
use crate::layout::{Field, Index, Level, MAX_SETS, Schema, SchemaError};
use crate::source::Source;
use safetensors::tensor::{Metadata, TensorInfo};
use safetensors::{Dtype as FileDtype, SafeTensors};
use std::path::Path;
use std::sync::Arc;

impl Store {
    /// Opens a safetensors file. It must have the tensors `ptr_node` and `ptr_edge`, int64 `[graphs + 1]`, and
    /// `edge_index`, `[2, edges]` of uint8, uint16, int32 or int64, with nodes counted within each graph; or, where the
    /// metadata name other sets and indices, `ptr_SET` for each set and `[width, rows]` for each index. Every other
    /// tensor is a field, `[rows]` or `[rows, width]`.
    ///
    /// The file is mapped. This reads and checks the offsets; a batch reads the rest when it needs it, and checks its
    /// indices. The level of a field (a set, or graphs) is in the file's metadata if [`save`](Self::save) wrote it,
    /// otherwise it follows from the number of rows.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        let map = Arc::new(Map::open(path).map_err(|source| FileError::Io { path: path.to_owned(), source })?);
        let format = |source| FileError::Format { path: path.to_owned(), source };
        let (header, metadata) = SafeTensors::read_metadata(map.bytes()).map_err(format)?;
        Opened { path, map: map.clone(), start: 8 + header, metadata: &metadata }.store()
    }

    /// Reads the whole file, checks all indices and compares each tensor with its checksum. Returns the number of tensors
    /// compared: 0 for a store in memory, or a file that [`save`](Self::save) did not write. Errors at the first that
    /// is damaged.
    pub fn verify(&self) -> Result<usize, FileError> {
        let Some(map) = self.map() else { return Ok(0) };
        let path = || map.path().to_owned();
        let (header, metadata) =
            SafeTensors::read_metadata(map.bytes()).map_err(|source| FileError::Format { path: path(), source })?;
        let file = Opened { path: map.path(), map: map.clone(), start: 8 + header, metadata: &metadata };
        let written = file.description()?.crc32;
        if let Some(tensor) =
            metadata.offset_keys().into_iter().find(|name| !written.is_empty() && !written.contains_key(name))
        {
            return Err(FileError::Missing { path: path(), tensor: format!("checksum of {tensor}") });
        }
        for (tensor, expected) in &written {
            let found = crc32fast::hash(file.bytes(tensor)?.0.as_slice());
            if found != *expected {
                return Err(FileError::Damaged { path: path(), tensor: tensor.clone(), expected: *expected, found });
            }
        }
        for graph in 0..self.len() {
            self.check_indices(graph).map_err(|source| FileError::Store { path: path(), source })?;
        }
        Ok(written.len())
    }
}

/// A mapped file and its header.
struct Opened<'a> {
    path: &'a Path,
    map: Arc<Map>,
    /// Where the bytes of the tensors start in the file.
    start: usize,
    metadata: &'a Metadata,
}

impl Opened<'_> {
    fn store(&self) -> Result<Store, FileError> {
        let invalid = |source: StoreError| FileError::Store { path: self.path.to_owned(), source };
        let Description { sets, fields: described, indices, padding, vectors, .. } = self.description()?;
        let sets = sets.unwrap_or_else(|| self.sets(&described));
        // Sets first, then indices: fields are checked when their tensors are read.
        Schema::from_parts(sets.clone(), vec![], vec![]).map_err(|error| invalid(error.into()))?;
        let level = |of: &str, name: &str| level(&sets, of, name).map_err(|error| invalid(error.into()));
        let indices = match indices {
            None => vec![Index::edge_index()],
            Some(found) => found
                .iter()
                .map(|(name, of, targets)| {
                    let targets = targets.iter().map(|target| match level(name, target)? {
                        Level::Set(set) => Ok(set),
                        Level::Graph => Err(invalid(no_set(&sets, name, target).into())),
                    });
                    Ok(Index::new(name, level(name, of)?, targets.collect::<Result<Vec<u8>, _>>()?))
                })
                .collect::<Result<_, _>>()?,
        };
        let schema =
            Schema::from_parts(sets.clone(), vec![], indices.clone()).map_err(|error| invalid(error.into()))?;
        let tensor_of = |set| format!("ptr_{}", schema.sets().singular(set));
        let ptr = (0..sets.len()).map(|set| self.offsets(&tensor_of(set))).collect::<Result<Vec<_>, _>>()?;
        check_offsets(&schema, &ptr).map_err(invalid)?;
        let local = indices.iter().map(|index| self.index(index, &schema)).collect::<Result<Vec<_>, _>>()?;
        let mut names = self.metadata.offset_keys();
        names.retain(|name| (0..sets.len()).all(|set| *name != tensor_of(set)) && schema.index(name).is_none());
        if let Some((tensor, _)) = described.iter().find(|(name, _)| !names.contains(name)) {
            return Err(FileError::Missing { path: self.path.to_owned(), tensor: tensor.clone() });
        }
        names.sort_unstable();
        if let Some(name) = padding.keys().chain(&vectors).find(|name| !names.contains(name)) {
            return Err(invalid(SchemaError::NoField { name: name.clone(), available: names }.into()));
        }
        let place = |name: &String| described.iter().position(|(other, _)| other == name);
        names.sort_by_key(|name| (place(name).unwrap_or(usize::MAX), name.clone()));
        let counts: Vec<(Level, u64)> = ptr.iter().zip(0..).map(|(ptr, set)| (Level::Set(set), ptr.total())).collect();
        let counts = [counts, vec![(Level::Graph, ptr[0].len() as u64 - 1)]].concat();
        let columns = names.iter().map(|name| {
            let described = place(name).map(|place| level(name, &described[place].1)).transpose()?;
            let column = self.column(name, described, &schema, &counts)?;
            let column = column.padded(padding.get(name).copied().unwrap_or(0.0));
            Ok(if vectors.contains(name) { column.vector() } else { column })
        });
        let columns = columns.collect::<Result<Vec<_>, FileError>>()?;
        let fields = columns.iter().map(|column| column.field().clone()).collect();
        let schema = Schema::from_parts(sets, fields, indices).map_err(|error| invalid(error.into()))?;
        Store::from_parts(schema, ptr, local, columns, Some(self.map.clone())).map_err(invalid)
    }

    /// The sets of a file whose metadata do not name them: nodes, edges and those with offsets, by name. A field may be
    /// named like offsets if it is `described`.
    fn sets(&self, described: &[(String, String)]) -> Vec<String> {
        let mut names = self.metadata.offset_keys();
        names.retain(|name| described.iter().all(|(field, _)| field != name));
        names.sort_unstable();
        let others =
            names.iter().filter_map(|name| name.strip_prefix("ptr_")).filter(|set| !["node", "edge"].contains(set));
        Schema::DEFAULT_SETS.into_iter().chain(others).map(String::from).collect()
    }

    fn description(&self) -> Result<Description, FileError> {
        let text = self.metadata.metadata().as_ref().and_then(|metadata| metadata.get(KEY));
        let parsed = text.map(|text| serde_json::from_str(text)).transpose();
        let parsed = parsed.map_err(|source| FileError::Metadata { path: self.path.to_owned(), source })?;
        Ok(parsed.unwrap_or_default())
    }

    fn bytes(&self, name: &str) -> Result<(Bytes, &TensorInfo), FileError> {
        let missing = || FileError::Missing { path: self.path.to_owned(), tensor: name.to_owned() };
        let info = self.metadata.info(name).ok_or_else(missing)?;
        // The header was checked against the length of the file.
        let (from, to) = info.data_offsets;
        Ok((Bytes::of_file(self.map.clone(), self.start + from..self.start + to), info))
    }

    fn unusable(&self, name: &str, info: &TensorInfo, expected: &str) -> FileError {
        let expected = expected.to_owned();
        let found = format!("{:?} {:?}", info.dtype, info.shape);
        FileError::Tensor { path: self.path.to_owned(), tensor: name.to_owned(), expected, found }
    }

    fn offsets(&self, name: &str) -> Result<Offsets, FileError> {
        let (bytes, info) = self.bytes(name)?;
        match (info.dtype, info.shape.as_slice()) {
            (FileDtype::I64 | FileDtype::U64, &[length]) if length > 0 => Ok(Offsets::from_bytes(bytes)),
            _ => Err(self.unusable(name, info, "int64 [graphs + 1]")),
        }
    }

    fn index(&self, index: &Index, schema: &Schema) -> Result<LocalIndex, FileError> {
        let (_, info) = self.bytes(&index.name)?;
        match (dtypes::index(info.dtype), info.shape.as_slice()) {
            (Some(width), &[columns, _]) if columns == index.width() => {
                let (from, to) = info.data_offsets;
                let len = (to - from) / columns;
                let start = |column: usize| self.start + from + column * len;
                let column = |column| Bytes::of_file(self.map.clone(), start(column)..start(column) + len);
                Ok(LocalIndex::new(width, (0..columns).map(column).collect()))
            }
            _ => {
                let shape = format!("[{}, {}]", index.width(), schema.level_name(index.level));
                Err(self.unusable(&index.name, info, &format!("uint8, uint16, int32 or int64 {shape}")))
            }
        }
    }

    fn column(
        &self,
        name: &str,
        level: Option<Level>,
        schema: &Schema,
        counts: &[(Level, u64)],
    ) -> Result<Column, FileError> {
        let (bytes, info) = self.bytes(name)?;
        let Some(dtype) = dtypes::field(info.dtype) else {
            return Err(self.unusable(name, info, "float32, float64, int64, int32, uint8 or bool"));
        };
        let (rows, width) = match *info.shape.as_slice() {
            [rows] => (rows, 1),
            [rows, width] => (rows, width),
            _ => return Err(self.unusable(name, info, "[rows] or [rows, width]")),
        };
        let level = level.map_or_else(|| self.level(name, info, rows as u64, schema, counts), Ok)?;
        Ok(Column::from_parts(Field::new(name, level, dtype, width), bytes))
    }

    /// Returns the level of a field from its number of rows. If that fits several levels, the set that its name begins
    /// with or PyTorch Geometric's names decide.
    fn level(
        &self,
        name: &str,
        info: &TensorInfo,
        rows: u64,
        schema: &Schema,
        counts: &[(Level, u64)],
    ) -> Result<Level, FileError> {
        let fitting: Vec<Level> = counts.iter().filter(|(_, count)| *count == rows).map(|(level, _)| *level).collect();
        let set = |set: &str| schema.set(set).map(|set| Level::Set(set as u8));
        let usual = match name.split_once('.') {
            Some((of, _)) => set(of),
            None => match name {
                "x" | "pos" | "z" => set("nodes"),
                "edge_attr" | "edge_weight" | "distance" | "shift" => set("edges"),
                "y" => Some(Level::Graph),
                _ => None,
            },
        };
        match (fitting.as_slice(), usual) {
            ([only], _) => Ok(*only),
            ([_, ..], Some(usual)) if fitting.contains(&usual) => Ok(usual),
            ([], _) => {
                let sets = schema.sets().join(", ");
                Err(self.unusable(name, info, &format!("as many rows as there are {sets} or graphs")))
            }
            _ => Err(self.unusable(name, info, "a level in the metadata: it has rows for more than one")),
        }
    }
}

/// Returns the level that a file calls `level`, of the field or index `name`.
fn level(sets: &[String], name: &str, level: &str) -> Result<Level, SchemaError> {
    let set = match level {
        "graph" => return Ok(Level::Graph),
        "node" => "nodes",
        "edge" => "edges",
        other => other,
    };
    let found = sets.iter().take(MAX_SETS).position(|other| other == set);
    found.map(|set| Level::Set(set as u8)).ok_or_else(|| no_set(sets, name, level))
}

fn no_set(sets: &[String], name: &str, set: &str) -> SchemaError {
    SchemaError::NoSet { name: name.to_owned(), set: format!("{set:?}"), sets: sets.to_vec() }
}
