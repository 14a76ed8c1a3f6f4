//! [`PartitionWriter`]: writes a partition part by part.

use super::config::{PartitionConfig, map_files};
use super::graphs;
use super::keys::PartFiles;
use super::output::{Elements, FeatureRows, save};
use super::{DglError, tensors};
use crate::cut::{PartError, check};
use crate::files::{FileSum, is_file_name};
use crate::{ArrayType, Part, PartitionBook};
use graphpack_formats::npy::Header;
use graphpack_loader::Error;
use graphpack_loader::extend::file_error;
use std::fs;
use std::path::{Path, PathBuf};

/// Name, shape and elements of a feature.
type Feature<'a> = (&'a str, &'a [usize], Elements<'a>);

/// A file of a part that was written.
pub(crate) type Written = (&'static str, FileSum);

/// Writes a partition into a folder, as DGL reads it. Parts may come in any order, also from several processes, each
/// with its own writer; one of them writes the JSON file. The same part gives the same bytes.
#[derive(Clone, Debug)]
pub struct PartitionWriter {
    folder: PathBuf,
    config: PartitionConfig,
}

impl PartitionWriter {
    /// Creates the folder if it does not exist. The JSON file gets the name of the graph; `method` is DGL's
    /// `part_method`.
    pub fn create(
        folder: impl AsRef<Path>,
        graph_name: &str,
        method: &str,
        halo_hops: usize,
        book: PartitionBook,
    ) -> Result<Self, Error> {
        let folder = folder.as_ref().to_owned();
        Self::check_name(&folder, graph_name)?;
        check_names(&folder, &book)?;
        fs::create_dir_all(&folder).map_err(file_error(&folder))?;
        let files = |part| PartFiles {
            node_feats: format!("part{part}/node_feat.dgl"),
            edge_feats: format!("part{part}/edge_feat.dgl"),
            part_graph: format!("part{part}/graph.dgl"),
        };
        let parts = (0..book.parts()).map(files).collect();
        let (graph_name, part_method) = (graph_name.to_owned(), method.to_owned());
        let config = PartitionConfig { graph_name, part_method, halo_hops, book, parts };
        Ok(Self { folder, config })
    }

    /// Refuses a name that cannot be that of a file, as [`PartitionWriter::create`] does, before there is a book.
    pub fn check_name(folder: impl AsRef<Path>, graph_name: &str) -> Result<(), Error> {
        if is_file_name(graph_name) {
            return Ok(());
        }
        let (path, key) = (folder.as_ref().to_owned(), "graph_name".to_owned());
        let (expected, found) = ("a name for a file".to_owned(), format!("{graph_name:?}"));
        Err(DglError::Key { path, key, expected, found }.into())
    }

    /// The path of the JSON file.
    pub fn config_path(&self) -> PathBuf {
        self.folder.join(format!("{}.json", self.config.graph_name))
    }

    /// Writes the JSON file and returns its path.
    pub fn write_config(&self) -> Result<PathBuf, Error> {
        let path = self.config_path();
        self.config.write(&path)?;
        Ok(path)
    }

    /// Checks a part against the book and writes its files.
    pub fn write_part(&self, part: &Part) -> Result<(), Error> {
        let features = [&part.node_features, &part.edge_features];
        self.write(
            part,
            features.map(|features| {
                features.iter().map(|(name, array)| (name.as_str(), array.shape(), Elements::Array(array))).collect()
            }),
        )
        .map(drop)
    }

    /// Checks a part against the book and writes its files with `features`, which need not be in memory, in place of its
    /// own. Returns what was written.
    pub(crate) fn write_part_with(
        &self,
        part: &Part,
        features: [&[FeatureRows<'_>]; 2],
    ) -> Result<Vec<Written>, Error> {
        self.write(
            part,
            features.map(|features| {
                features.iter().map(|rows| (rows.name.as_str(), &rows.shape[..], Elements::Rows(rows))).collect()
            }),
        )
    }

    fn write(&self, part: &Part, features: [Vec<Feature<'_>>; 2]) -> Result<Vec<Written>, Error> {
        let [node_features, edge_features] = features;
        let book = &self.config.book;
        let path = self.part_file(part.number, "graph.dgl")?;
        let wrong = |source| Error::from(DglError::Part { path: path.clone(), source });
        let (what, expected, found) = ("hops of the HALO", self.config.halo_hops, part.halo_hops);
        if expected != found {
            return Err(wrong(PartError::Count { what, expected, found }.into()));
        }
        check::part(part, book).map_err(wrong)?;
        let (nodes, edges) = (check::owned_nodes(book, part.number), check::owned_edges(book, part.number));
        for (name, shape, _) in &node_features {
            check::feature(name, shape.first(), nodes.iter().copied()).map_err(wrong)?;
        }
        for (name, shape, _) in &edge_features {
            check::feature(name, shape.first(), edges.iter().copied()).map_err(wrong)?;
        }

        let typed = book.node_types().len() > 1 || book.edge_types().len() > 1;
        let node_part = |id| book.node(id).map_or(0, |place| place.part as i64);
        let node_type = |id| book.node(id).map_or(0, |place| place.kind as i64);
        let edge_type = |id| book.edge(id).map_or(0, |place| place.kind as i64);
        let flags = |ones: usize, all: usize| Elements::Flags(ones, all - ones);
        // DGL's order.
        let mut node_data = vec![
            ("_TYPE", Elements::Each(&part.node_ids, ArrayType::I32, &node_type)),
            ("part_id", Elements::Each(&part.node_ids, ArrayType::I64, &node_part)),
            ("inner_node", flags(part.inner_nodes, part.node_ids.len())),
            ("_ID", Elements::I64(&part.node_ids)),
        ];
        let mut edge_data = vec![
            ("_TYPE", Elements::Each(&part.edge_ids, ArrayType::I32, &edge_type)),
            ("inner_edge", flags(part.inner_edges, part.edge_ids.len())),
            ("_ID", Elements::I64(&part.edge_ids)),
        ];
        if !typed {
            node_data.remove(0);
            edge_data.remove(0);
        }
        let ends = [&part.sources[..], &part.targets];
        let graph = graphs::write(&path, part.node_ids.len(), ends, [&node_data, &edge_data])?;
        let mut written = vec![("graph.dgl", graph)];
        for (file, features) in [("node_feat.dgl", node_features), ("edge_feat.dgl", edge_features)] {
            let named: Vec<_> = features.iter().map(|&(name, _, elements)| (name, elements)).collect();
            written.push((file, tensors::write(&self.part_file(part.number, file)?, &named)?));
        }
        Ok(written)
    }

    /// Writes `orig_nids.dgl`: for each type, the original ids of the nodes that a part owns, in the order of their new
    /// ids.
    pub fn write_orig_nids(&self, part: usize, ids: &[impl AsRef<[i64]>]) -> Result<(), Error> {
        self.write_nids(part, ids).map(drop)
    }

    pub(crate) fn write_nids(&self, part: usize, ids: &[impl AsRef<[i64]>]) -> Result<Written, Error> {
        self.write_orig(part, "orig_nids.dgl", &check::owned_nodes(&self.config.book, part), ids)
    }

    /// Writes `orig_eids.dgl`: for each type, the original ids of the edges that a part owns, in the order of their new
    /// ids.
    pub fn write_orig_eids(&self, part: usize, ids: &[impl AsRef<[i64]>]) -> Result<(), Error> {
        self.write_eids(part, ids).map(drop)
    }

    pub(crate) fn write_eids(&self, part: usize, ids: &[impl AsRef<[i64]>]) -> Result<Written, Error> {
        self.write_orig(part, "orig_eids.dgl", &check::owned_edges(&self.config.book, part), ids)
    }

    /// Writes what DGL's `return_mapping` returns, the original id of each node and edge by its new id within its type,
    /// as npy files: `node_map.npy` and `edge_map.npy` if there is one type, else `node_map/TYPE.npy` and
    /// `edge_map/SOURCE+RELATION+TARGET.npy`.
    pub fn write_maps(&self, nodes: &[Vec<i64>], edges: &[Vec<i64>]) -> Result<Vec<PathBuf>, Error> {
        let book = &self.config.book;
        let of_nodes: Vec<usize> = (0..book.node_types().len()).map(|kind| book.nodes_of(kind)).collect();
        let of_edges: Vec<usize> = (0..book.edge_types().len()).map(|kind| book.edges_of(kind)).collect();
        for (expected, ids) in [(of_nodes, nodes), (of_edges, edges)] {
            same_count(&self.folder, "types of original ids", expected.len(), ids.len())?;
            for (expected, ids) in expected.into_iter().zip(ids) {
                same_count(&self.folder, "original ids of a type", expected, ids.len())?;
            }
        }
        let mut written = Vec::new();
        for (paths, ids) in map_files(&self.folder, book).into_iter().zip([nodes, edges]) {
            for (path, ids) in paths.into_iter().zip(ids) {
                let folder = path.parent().unwrap_or(Path::new(""));
                fs::create_dir_all(folder).map_err(file_error(folder))?;
                save(&path, |output| {
                    Header::write(output, ArrayType::I64, &[ids.len()])?;
                    output.bytes(bytemuck::cast_slice(ids))
                })?;
                written.push(path);
            }
        }
        Ok(written)
    }

    fn write_orig(
        &self,
        part: usize,
        file: &'static str,
        owned: &[(&str, usize)],
        ids: &[impl AsRef<[i64]>],
    ) -> Result<Written, Error> {
        let path = self.part_file(part, file)?;
        same_count(&path, "types of original ids", owned.len(), ids.len())?;
        for ((_, owned), ids) in owned.iter().zip(ids) {
            same_count(&path, "original ids of a type", *owned, ids.as_ref().len())?;
        }
        let named: Vec<_> =
            owned.iter().zip(ids).map(|((name, _), ids)| (*name, Elements::I64(ids.as_ref()))).collect();
        Ok((file, tensors::write(&path, &named)?))
    }

    /// The path of a part's file, in a folder that is created if the part exists.
    fn part_file(&self, part: usize, file: &str) -> Result<PathBuf, Error> {
        let parts = self.config.book.parts();
        if part >= parts {
            return Err(DglError::NoPart { path: self.config_path(), part, parts }.into());
        }
        let folder = self.folder.join(format!("part{part}"));
        fs::create_dir_all(&folder).map_err(file_error(&folder))?;
        Ok(folder.join(file))
    }
}

fn same_count(path: &Path, what: &'static str, expected: usize, found: usize) -> Result<(), Error> {
    let source = PartError::Count { what, expected, found }.into();
    if expected == found { Ok(()) } else { Err(DglError::Part { path: path.to_owned(), source }.into()) }
}

/// Refuses names that could not be read back.
fn check_names(folder: &Path, book: &PartitionBook) -> Result<(), Error> {
    let wrong = |key: &str, expected: &str, found: String| {
        let (path, key, expected) = (folder.to_owned(), key.to_owned(), expected.to_owned());
        Err(DglError::Key { path, key, expected, found }.into())
    };
    if book.parts() == 0 {
        return wrong("num_parts", "at least one part", "0".into());
    }
    let nodes = book.node_types();
    if let Some(twice) = (1..nodes.len()).find(|&kind| nodes[..kind].contains(&nodes[kind])) {
        return wrong("ntypes", "each name once", format!("{:?} again", nodes[twice]));
    }
    let edges = book.edge_types();
    if let Some(twice) = (1..edges.len()).find(|&kind| edges[..kind].contains(&edges[kind])) {
        return wrong("etypes", "each name once", format!("{:?} again", edges[twice].join(":")));
    }
    match edges.iter().flatten().find(|name| name.contains(':')) {
        Some(name) => wrong("etypes", "names without colons", format!("{name:?}")),
        None => Ok(()),
    }
}
