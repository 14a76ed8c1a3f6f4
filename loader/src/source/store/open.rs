//! Opens stores in safetensors files, by mapping them.

use super::bytes::Bytes;
use super::edges::LocalEdges;
use super::map::Map;
use super::offsets::Offsets;
use super::store::check_offsets;
use super::{Column, FileError, Store, StoreError, dtypes};
use crate::layout::{Field, Level};
use crate::source::Source;
use safetensors::tensor::{Metadata, TensorInfo};
use safetensors::{Dtype as FileDtype, SafeTensors};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

/// The key of graphpack's entry in the metadata of a file.
pub(super) const KEY: &str = "graphpack";

/// The entry in the metadata: what a file says about its tensors.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Description {
    /// Names and levels of the fields, in the order of the schema.
    pub(super) fields: Vec<(String, Level)>,
    /// Checksum of the bytes of each tensor.
    pub(super) crc32: BTreeMap<String, u32>,
}

impl Store {
    /// Opens a safetensors file. It must have the tensors `ptr_node` and `ptr_edge`, int64 `[graphs + 1]`, and
    /// `edge_index`, `[2, edges]` of uint8, uint16, int32 or int64, with nodes counted within each graph. Every other
    /// tensor is a field, `[rows]` or `[rows, width]`.
    ///
    /// The file is mapped. This reads and checks the offsets; a batch reads the rest when it needs it, and checks its
    /// edges. The level of a field (node, edge or graph) is in the file's metadata if [`save`](Self::save) wrote it,
    /// otherwise it follows from the number of rows.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        let map = Arc::new(Map::open(path).map_err(|source| FileError::Io { path: path.to_owned(), source })?);
        let format = |source| FileError::Format { path: path.to_owned(), source };
        let (header, metadata) = SafeTensors::read_metadata(map.bytes()).map_err(format)?;
        Opened { path, map: map.clone(), start: 8 + header, metadata: &metadata }.store()
    }

    /// Reads the whole file, checks all edges and compares each tensor with its checksum. Returns the number of tensors
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
            let (sources, targets) = self.edges(graph);
            let nodes = self.size(graph).0[0];
            let edges = sources.iter().zip(&targets).enumerate();
            let mut outside = edges.flat_map(|(edge, (from, to))| [(edge, *from), (edge, *to)]);
            if let Some((edge, node)) = outside.find(|(_, node)| !(0..i64::from(nodes)).contains(node)) {
                let source =
                    StoreError::Node { graph, edge, row: self.edge_ptr().span(graph).start + edge, node, nodes };
                return Err(FileError::Store { path: path(), source });
            }
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
        let (node_ptr, edge_ptr) = (self.offsets("ptr_node")?, self.offsets("ptr_edge")?);
        let invalid = |source| FileError::Store { path: self.path.to_owned(), source };
        check_offsets(&node_ptr, &edge_ptr).map_err(invalid)?;
        let edges = self.edges()?;
        let levels: HashMap<String, Level> = self.description()?.fields.iter().cloned().collect();
        let order: Vec<String> = self.description()?.fields.into_iter().map(|(name, _)| name).collect();
        let mut names = self.metadata.offset_keys();
        names.retain(|name| !["ptr_node", "ptr_edge", "edge_index"].contains(&name.as_str()));
        names.sort_by_key(|name| (order.iter().position(|other| other == name).unwrap_or(usize::MAX), name.clone()));
        let counts = [node_ptr.total(), edge_ptr.total(), node_ptr.len() as u64 - 1];
        let columns = names.iter().map(|name| self.column(name, levels.get(name).copied(), counts));
        let columns = columns.collect::<Result<_, _>>()?;
        Store::from_parts(node_ptr, edge_ptr, edges, columns, Some(self.map.clone())).map_err(invalid)
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

    fn unusable(&self, name: &str, info: &TensorInfo, expected: &'static str) -> FileError {
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

    fn edges(&self) -> Result<LocalEdges, FileError> {
        let (_, info) = self.bytes("edge_index")?;
        match (dtypes::index(info.dtype), info.shape.as_slice()) {
            (Some(width), [2, _]) => {
                let (from, to) = info.data_offsets;
                let len = (to - from) / 2;
                let row = |start: usize| Bytes::of_file(self.map.clone(), self.start + start..self.start + start + len);
                Ok(LocalEdges::new(width, [row(from), row(from + len)]))
            }
            _ => Err(self.unusable("edge_index", info, "uint8, uint16, int32 or int64 [2, edges]")),
        }
    }

    fn column(&self, name: &str, level: Option<Level>, counts: [u64; 3]) -> Result<Column, FileError> {
        let (bytes, info) = self.bytes(name)?;
        let Some(dtype) = dtypes::field(info.dtype) else {
            return Err(self.unusable(name, info, "float32, float64, int64, int32, uint8 or bool"));
        };
        let (rows, width) = match *info.shape.as_slice() {
            [rows] => (rows, 1),
            [rows, width] => (rows, width),
            _ => return Err(self.unusable(name, info, "[rows] or [rows, width]")),
        };
        let level = level.map_or_else(|| self.level(name, info, rows as u64, counts), Ok)?;
        Ok(Column::from_parts(Field::new(name, level, dtype, width), bytes))
    }

    /// Returns the level of a field from its number of rows. If that fits several levels, PyTorch Geometric's names
    /// decide.
    fn level(&self, name: &str, info: &TensorInfo, rows: u64, counts: [u64; 3]) -> Result<Level, FileError> {
        let fitting: Vec<Level> =
            Level::ALL.into_iter().zip(counts).filter(|(_, count)| *count == rows).map(|(level, _)| level).collect();
        let usual = match name {
            "x" | "pos" | "z" => Some(Level::Node),
            "edge_attr" | "edge_weight" | "distance" | "shift" => Some(Level::Edge),
            "y" => Some(Level::Graph),
            _ => None,
        };
        match (fitting.as_slice(), usual) {
            ([only], _) => Ok(*only),
            ([_, ..], Some(usual)) if fitting.contains(&usual) => Ok(usual),
            ([], _) => Err(self.unusable(name, info, "as many rows as there are nodes, edges or graphs")),
            _ => Err(self.unusable(name, info, "a level in the metadata: it has rows for more than one")),
        }
    }
}
