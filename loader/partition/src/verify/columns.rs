//! [`Files`]: the files of a partition and the graph that they are compared with: features and original ids.

use super::VerifyError;
use super::column::Column;
use crate::dgl::{PartitionConfig, map_files, stored_as, tensors_in};
use crate::{ArrayType, ChunkedFeature, ChunkedGraph};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Original ids beside a part, of nodes and of edges.
const NODES: &str = "orig_nids.dgl";
const EDGES: &str = "orig_eids.dgl";

/// The files of a partition, and the graph.
pub(super) struct Files<'a> {
    /// The JSON file.
    pub(super) path: &'a Path,
    pub(super) config: &'a PartitionConfig,
    pub(super) graph: &'a ChunkedGraph,
}

impl Files<'_> {
    /// A path below the folder of the JSON file.
    pub(super) fn file(&self, name: impl AsRef<Path>) -> PathBuf {
        self.path.parent().unwrap_or(Path::new("")).join(name)
    }

    /// Refuses files of original ids that some parts or types have and others lack.
    pub(super) fn originals_of_all(&self) -> Result<(), VerifyError> {
        let beside = |file: &'static str| {
            let parts = self.config.parts.iter();
            parts.map(move |part| self.file(&part.part_graph).with_file_name(file)).collect::<Vec<_>>()
        };
        for paths in [beside(NODES), beside(EDGES)].into_iter().chain(self.maps()) {
            let (found, missing): (Vec<_>, Vec<_>) = paths.into_iter().partition(|path| path.exists());
            if let (Some(found), Some(path)) = (found.first(), missing.into_iter().next()) {
                let expected = format!("there, as {} is", found.display());
                return Err(VerifyError::Differs { path, what: "the file".into(), expected, found: "missing".into() });
            }
        }
        Ok(())
    }

    /// Original ids of the nodes of a part, if `orig_nids.dgl` is there.
    pub(super) fn original_nodes(&self, kind: usize, part: usize) -> Result<Option<Column>, VerifyError> {
        let book = &self.config.book;
        let names: Vec<_> = book.node_types().iter().map(String::as_str).collect();
        self.original(NODES, &names, kind, part, book.node_range(kind, part))
    }

    /// Original ids of the edges of a part, if `orig_eids.dgl` is there.
    pub(super) fn original_edges(&self, kind: usize, part: usize) -> Result<Option<Column>, VerifyError> {
        let book = &self.config.book;
        let names: Vec<_> = book.edge_types().iter().map(|name| name.join(":")).collect();
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        self.original(EDGES, &names, kind, part, book.edge_range(kind, part))
    }

    /// Original ids of the nodes of a part in `node_map.npy`, or in a file per type, if that is there.
    pub(super) fn node_map(&self, kind: usize, part: usize) -> Result<Option<Column>, VerifyError> {
        map(&self.maps()[0][kind], part, self.config.book.parts(), |part| self.config.book.node_range(kind, part))
    }

    /// The same for edges.
    pub(super) fn edge_map(&self, kind: usize, part: usize) -> Result<Option<Column>, VerifyError> {
        map(&self.maps()[1][kind], part, self.config.book.parts(), |part| self.config.book.edge_range(kind, part))
    }

    /// Where the maps of all types are, if there are any: of nodes, and of edges.
    fn maps(&self) -> [Vec<PathBuf>; 2] {
        map_files(self.path.parent().unwrap_or(Path::new("")), &self.config.book)
    }

    fn original(
        &self,
        file: &str,
        names: &[&str],
        kind: usize,
        part: usize,
        ids: Range<i64>,
    ) -> Result<Option<Column>, VerifyError> {
        let graph = self.file(&self.config.parts[part].part_graph);
        let path = graph.with_file_name(file);
        if !path.exists() {
            return Ok(None);
        }
        let arrays = tensors_in(&path)?;
        let found: Vec<_> = arrays.iter().map(|array| array.name.as_str()).collect();
        same(&path, "the list of arrays", names, &found)?;
        let (what, array) = (format!("array {:?}", names[kind]), &arrays[kind]);
        let expected = (ArrayType::I64, vec![ids.count()]);
        same(&path, &what, &expected, &(array.element, array.shape.clone()))?;
        Column::of_tensor(&path, array, 8).map(Some)
    }

    /// The rows of a feature that a part owns; `of` is its type and `level` 0 for nodes, 1 for edges.
    pub(super) fn feature(
        &self,
        level: usize,
        of: &str,
        feature: &ChunkedFeature,
        part: usize,
        rows: usize,
    ) -> Result<Column, VerifyError> {
        let (path, arrays) = self.features(level, part)?;
        let name = format!("{of}/{}", feature.name());
        let found = arrays.iter().find(|array| array.name == name || format!("{of}/{}", array.name) == name);
        let expected = stored_as(feature.element());
        let shape: Vec<usize> = [rows].into_iter().chain(feature.row().iter().copied()).collect();
        let what = format!("feature {name:?}");
        let Some(array) = found else {
            let (expected, found) = (format!("{expected} {shape:?}"), "missing".into());
            return Err(VerifyError::Differs { path, what, expected, found });
        };
        // Files may have uint16 and so on as they are, which only DGL does not read.
        let as_it_is = array.element == feature.element();
        let expected = if as_it_is { array.element } else { expected };
        same(&path, &what, &(expected, shape), &(array.element, array.shape.clone()))?;
        let row_bytes = feature.row_bytes() / feature.element().bytes() * array.element.bytes();
        let column = Column::of_tensor(&path, array, row_bytes)?;
        Ok(if as_it_is { column } else { column.stored_from(feature.element()) })
    }

    /// Refuses features that the graph does not have.
    pub(super) fn only(&self, level: usize, part: usize, known: &[String]) -> Result<(), VerifyError> {
        let (path, arrays) = self.features(level, part)?;
        let mut found: Vec<_> = arrays.into_iter().map(|array| array.name).collect();
        let mut known = known.to_vec();
        found.sort();
        known.sort();
        same(&path, "the list of features", &known, &found)
    }

    fn features(&self, level: usize, part: usize) -> Result<(PathBuf, Vec<crate::dgl::TensorInfo>), VerifyError> {
        let files = &self.config.parts[part];
        let path = self.file([&files.node_feats, &files.edge_feats][level]);
        let arrays = tensors_in(&path)?;
        Ok((path, arrays))
    }
}

/// Original ids of a part in a map, if that is there.
fn map(
    path: &Path,
    part: usize,
    parts: usize,
    ids: impl Fn(usize) -> Range<i64>,
) -> Result<Option<Column>, VerifyError> {
    if !path.exists() {
        return Ok(None);
    }
    let counts: Vec<usize> = (0..parts).map(|part| ids(part).count()).collect();
    let start = counts[..part].iter().sum();
    Column::of_npy(path, start..start + counts[part], counts.iter().sum()).map(Some)
}

/// Compares what a file has with what the graph has.
pub(super) fn same<T: PartialEq + std::fmt::Debug + ?Sized>(
    path: &Path,
    what: &str,
    expected: &T,
    found: &T,
) -> Result<(), VerifyError> {
    if expected == found {
        return Ok(());
    }
    let (expected, found) = (format!("{expected:?}"), format!("{found:?}"));
    Err(VerifyError::Differs { path: path.to_owned(), what: what.to_owned(), expected, found })
}
