//! [`PartFiles`]: the files of a partition, read part by part.

use super::ClustersError;
use super::chosen::Found;
use super::column::Column;
use super::sets::Sets;
use super::tables::{NodeIds, PartRows, owned};
use crate::dgl::{DglError, PartitionConfig, TensorInfo, tensors_in};
use crate::{ArrayType, Part, PartError};
use graphpack_loader::SharedFile;
use std::path::{Path, PathBuf};

/// DGL's files of a partition, which are opened when their part is wanted.
#[derive(Debug)]
pub(super) struct PartFiles {
    path: PathBuf,
    pub(super) config: PartitionConfig,
}

impl PartFiles {
    /// Reads `NAME.json`.
    pub(super) fn open(path: &Path) -> Result<Self, DglError> {
        Ok(Self { config: PartitionConfig::read(path)?, path: path.to_owned() })
    }

    /// Reads nodes and edges of a part and checks them.
    pub(super) fn graph(&self, part: usize) -> Result<Part, DglError> {
        self.config.graph(&self.path, part)
    }

    /// The file with nodes and edges of a part.
    pub(super) fn graph_path(&self, part: usize) -> Result<PathBuf, DglError> {
        let [.., graph] = self.config.files(&self.path, part)?;
        Ok(graph)
    }

    /// Finds the features of a part, and original ids where they are wanted. Only headers are read.
    pub(super) fn rows(&self, sets: &Sets, part: usize, ids: &NodeIds) -> Result<PartRows, ClustersError> {
        let book = &self.config.book;
        let [nodes, edges, graph] = self.config.files(&self.path, part)?;
        let rows: Vec<usize> = (0..sets.len()).map(|set| owned(book, sets, set, part)).collect();
        let mut of_part = PartRows::default();
        for (path, edges, only) in [(nodes, false, "_N"), (edges, true, "_N:_E:_N")] {
            for (info, column) in columns(&path, &mut of_part.files)? {
                // Before DGL 0.6 names had no type.
                let name = if info.name.contains('/') { info.name } else { format!("{only}/{}", info.name) };
                let found = Found::new(sets, &rows, edges, (name, info.element, &info.shape), column);
                let wrong = |source| DglError::Part { path: path.clone(), source };
                of_part.features.push(found.map_err(wrong)?);
            }
        }
        if *ids == NodeIds::Files {
            let path = graph.with_file_name("orig_nids.dgl");
            let mut found = columns(&path, &mut of_part.files)?;
            for (kind, &nodes) in rows.iter().enumerate().take(sets.node_types()) {
                let name = sets.type_of(kind).unwrap_or_default();
                let at = found.iter().position(|(info, _)| info.name == name);
                let (info, column) = at.map(|at| found.swap_remove(at)).ok_or_else(|| {
                    let (expected, found) = (format!("original ids of {nodes} nodes"), "missing".into());
                    let source = PartError::Array { name: name.into(), expected, found };
                    DglError::Part { path: path.clone(), source }
                })?;
                if (info.element, &*info.shape) != (ArrayType::I64, &[nodes]) {
                    let (expected, found) = (format!("int64 [{nodes}]"), format!("{} {:?}", info.element, info.shape));
                    let source = PartError::Array { name: info.name, expected, found };
                    return Err(DglError::Part { path, source }.into());
                }
                of_part.node_ids.push(column);
            }
        }
        Ok(of_part)
    }
}

/// Opens a file of arrays, after all of its headers were checked against its length.
fn columns(path: &Path, files: &mut Vec<SharedFile>) -> Result<Vec<(TensorInfo, Column)>, ClustersError> {
    let infos = tensors_in(path)?;
    let file = SharedFile::open(path)?;
    files.push(file.clone());
    let column = |info: TensorInfo| {
        let end = info.element.bytes_of(&info.shape).and_then(|bytes| info.start.checked_add(bytes as u64));
        // The file may have been cut since.
        let end = end.filter(|&end| end <= file.bytes());
        let end = end.ok_or_else(|| ClustersError::Changed { path: path.to_owned() })?;
        let bytes = info.start..end;
        Ok((info, Column::File { file: file.clone(), bytes, kept: None }))
    };
    infos.into_iter().map(column).collect()
}
