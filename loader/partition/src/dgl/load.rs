//! [`PartReader`]: the files of a partition, part by part; [`Partition`]: one part, as `dgl.distributed.load_partition`
//! reads it.

use super::config::PartitionConfig;
use super::graphs::HeteroGraph;
use super::relation::{Metagraph, integers, numbers};
use super::tensors::TensorFile;
use super::{DglError, load_graphs, load_tensors};
use crate::cut::{PartError, check};
use crate::{Array, Part, PartitionBook};
use graphpack_loader::Error;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// One part, and what the JSON file says of the partition.
#[derive(Clone, Debug, PartialEq)]
pub struct Partition {
    /// Name of the graph.
    pub name: String,
    /// How it was cut: `metis`, `random`.
    pub method: String,
    /// Hops of the HALO.
    pub halo_hops: usize,
    /// The ids of each part.
    pub book: PartitionBook,
    /// Nodes, edges and features of the part.
    pub part: Part,
}

/// The files of a partition, which are opened when their part is wanted.
#[derive(Clone, Debug)]
pub(crate) struct PartReader {
    /// The JSON file.
    pub(crate) path: PathBuf,
    pub(crate) config: PartitionConfig,
}

/// Original ids beside the files of a part.
pub(crate) const ORIGINAL_NODES: &str = "orig_nids.dgl";
pub(crate) const ORIGINAL_EDGES: &str = "orig_eids.dgl";

impl PartReader {
    /// Reads `NAME.json`.
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        Ok(Self { config: PartitionConfig::read(path)?, path: path.to_owned() })
    }

    /// The file with nodes and edges of a part.
    pub(crate) fn graph_path(&self, part: usize) -> Result<PathBuf, Error> {
        let [.., graph] = self.config.files(&self.path, part)?;
        Ok(graph)
    }

    /// Reads nodes and edges of a part and checks them.
    pub(crate) fn graph(&self, part: usize) -> Result<Part, Error> {
        let path = self.graph_path(part)?;
        let graphs = load_graphs(&path)?.graphs;
        let Self { config: PartitionConfig { book, halo_hops, .. }, .. } = self;
        self::part(graphs, part, book, *halo_hops).map_err(|source| Error::from(DglError::Part { path, source }))
    }

    /// Opens the features of the nodes of a part, or of its edges. Only headers are read.
    pub(crate) fn features(&self, part: usize, of_edges: bool) -> Result<TensorFile, Error> {
        let [nodes, edges, _] = self.config.files(&self.path, part)?;
        TensorFile::open(if of_edges { &edges } else { &nodes })
    }

    /// The path of a file beside those of a part.
    pub(crate) fn beside(&self, part: usize, file: &str) -> Result<PathBuf, Error> {
        Ok(self.graph_path(part)?.with_file_name(file))
    }

    fn partition(self, part: Part) -> Partition {
        let PartitionConfig { graph_name: name, part_method: method, halo_hops, book, .. } = self.config;
        Partition { name, method, halo_hops, book, part }
    }
}

/// Reads a part with its features and checks all of it against the ranges of ids in the JSON file.
pub fn load_partition(config: impl AsRef<Path>, part: usize) -> Result<Partition, Error> {
    let reader = PartReader::open(config.as_ref())?;
    let graph = reader.graph(part)?;
    let [nodes, edges, _] = reader.config.files(&reader.path, part)?;
    let node_features = features(&nodes, &check::owned_nodes(&reader.config.book, part))?;
    let edge_features = features(&edges, &check::owned_edges(&reader.config.book, part))?;
    Ok(reader.partition(Part { node_features, edge_features, ..graph }))
}

/// Reads features, each of which must have a row for each node or edge of one of the types that a part owns.
fn features(path: &Path, owned: &[(&str, usize)]) -> Result<Vec<(String, Array)>, Error> {
    let features = load_tensors(path)?;
    for (name, array) in &features {
        let checked = check::feature(name, array.shape().first(), owned.iter().copied());
        checked.map_err(|source| DglError::Part { path: path.to_owned(), source })?;
    }
    Ok(features)
}

/// Reads a part without its features, whose files are not opened.
pub fn load_partition_graph(config: impl AsRef<Path>, part: usize) -> Result<Partition, Error> {
    let reader = PartReader::open(config.as_ref())?;
    let part = reader.graph(part)?;
    Ok(reader.partition(part))
}

/// Reads which part owns which node and edge.
pub fn load_partition_book(config: impl AsRef<Path>) -> Result<PartitionBook, Error> {
    PartitionConfig::read(config).map(|config| config.book)
}

/// Says what keeps DGL's servers from opening a partition, a line for each feature; an empty list if nothing does. The
/// servers put the feature of each part into shared memory, which cannot be empty, split `type/feature` at slashes, and
/// join names by `~`. Reads the headers of all files of features.
pub fn not_served(config: impl AsRef<Path>) -> Result<Vec<String>, Error> {
    let reader = PartReader::open(config.as_ref())?;
    // The parts in which a feature is empty.
    let mut features: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for part in 0..reader.config.book.parts() {
        for of_edges in [false, true] {
            for array in reader.features(part, of_edges)?.arrays {
                let is_empty = array.shape.contains(&0);
                features.entry(array.name).or_default().extend(is_empty.then_some(part));
            }
        }
    }
    let mut lines = Vec::new();
    for (name, empty) in features {
        if name.matches('/').count() > 1 || name.contains('~') {
            lines.push(format!("feature {name:?} has a type or a name with \"/\" or \"~\""));
        }
        if let [first, others @ ..] = &empty[..] {
            let others = match others.len() {
                0 => String::new(),
                1 => " and 1 other".into(),
                others => format!(" and {others} others"),
            };
            lines.push(format!("feature {name:?} has no rows in part {first}{others}"));
        }
    }
    Ok(lines)
}

/// Makes a part of the graphs in its file. There must be one graph with one type of nodes and of edges; the part's
/// types are an array in it.
fn part(mut graphs: Vec<HeteroGraph>, number: usize, book: &PartitionBook, halo_hops: usize) -> Result<Part, Error> {
    let one = |what, found| match found {
        1 => Ok(()),
        _ => Err(PartError::Count { what, expected: 1, found }),
    };
    one("graphs in the file", graphs.len())?;
    let mut graph = graphs.swap_remove(0);
    one("types of nodes in the file", graph.node_data.len())?;
    one("types of edges in the file", graph.edge_data.len())?;
    if [&graph.metagraph, &graph.relations[0].metagraph].iter().any(|metagraph| **metagraph != Metagraph::one()) {
        let (expected, found) = ("one edge between one type of nodes".into(), "another graph".into());
        return Err(PartError::Array { name: "metagraph".into(), expected, found }.into());
    }
    let (mut node_data, mut edge_data) = (graph.node_data.swap_remove(0), graph.edge_data.swap_remove(0));
    let nodes = graph.nodes[0];
    // Arrays are dropped as soon as their numbers are taken.
    let [sources, targets] = graph.relations.swap_remove(0).ends([nodes; 2])?;
    let part = Part {
        number,
        node_ids: integers("_ID", required("_ID", &mut node_data)?)?,
        inner_nodes: leading_ones("inner_node", &required("inner_node", &mut node_data)?)?,
        edge_ids: integers("_ID", required("_ID", &mut edge_data)?)?,
        inner_edges: leading_ones("inner_edge", &required("inner_edge", &mut edge_data)?)?,
        sources,
        targets,
        halo_hops,
        ..Part::default()
    };
    check::part(&part, book)?;
    // Arrays that repeat what follows from the ids: types where there are several, and owners, which parts of DGL's
    // dispatch lack.
    let typed = book.node_types().len() > 1 || book.edge_types().len() > 1;
    let differs = |name: &'static str, data: &mut Vec<(String, Array)>, expected: &dyn Fn(usize) -> Option<usize>| {
        let array = if name == "_TYPE" && typed { Some(required(name, data)?) } else { take(name, data) };
        let Some(array) = array else { return Ok::<_, Error>(None) };
        let expected = |row| expected(row).map(|number| number as i64);
        let mut numbers = numbers(name, &array)?.enumerate();
        let wrong = numbers.find(|(row, number)| expected(*row) != Some(*number));
        Ok(wrong.map(|(row, found)| (row, expected(row).unwrap_or_default().to_string(), found)))
    };
    let place = |node: usize| book.node(part.node_ids[node]);
    for (what, expected) in [
        ("part_id", &(|node| place(node).map(|place| place.part)) as &dyn Fn(usize) -> Option<usize>),
        ("_TYPE", &|node| place(node).map(|place| place.kind)),
    ] {
        if let Some((node, expected, found)) = differs(what, &mut node_data, expected)? {
            return Err(PartError::Node { node, what, expected, found }.into());
        }
    }
    let kind = |edge: usize| book.edge(part.edge_ids[edge]).map(|place| place.kind);
    if let Some((edge, expected, found)) = differs("_TYPE", &mut edge_data, &kind)? {
        return Err(PartError::Edge { edge, what: "_TYPE", expected, found }.into());
    }
    Ok(part)
}

fn take(name: &str, data: &mut Vec<(String, Array)>) -> Option<Array> {
    let place = data.iter().position(|(found, _)| found == name)?;
    Some(data.swap_remove(place).1)
}

fn required(name: &str, data: &mut Vec<(String, Array)>) -> Result<Array, Error> {
    let missing =
        || Error::from(PartError::Array { name: name.into(), expected: "an array".into(), found: "missing".into() });
    take(name, data).ok_or_else(missing)
}

/// Returns the number of ones, which must come before the zeros.
fn leading_ones(name: &str, array: &Array) -> Result<usize, Error> {
    let mut flags = numbers(name, array)?;
    let ones = flags.by_ref().take_while(|&flag| flag == 1).count();
    // The iterator has consumed the first zero.
    let rest = array.rows() - ones;
    let zeros = numbers(name, array)?.skip(ones).take_while(|&flag| flag == 0).count();
    if zeros == rest {
        return Ok(ones);
    }
    let row = ones + zeros;
    let found = numbers(name, array)?.nth(row).unwrap_or_default();
    let (expected, found) =
        ("ones, then zeros".into(), format!("{found} at {row} after {ones} ones and {zeros} zeros"));
    Err(PartError::Array { name: name.into(), expected, found }.into())
}
