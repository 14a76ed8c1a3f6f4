//! [`Partition`]: one part read from its files, as `dgl.distributed.load_partition` reads it.

use super::config::PartitionConfig;
use super::hetero_graph::HeteroGraph;
use super::relation::{Coo, Csr, Relation};
use super::{DglError, load_graphs, load_tensors};
use crate::PartError;
use crate::cut::check;
use crate::{Array, ArrayType, Part, PartitionBook};
use std::path::Path;

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

/// Features of what a part owns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Features {
    /// Features of nodes, named `type/feature`, with a row per node of that type that the part owns.
    pub nodes: Vec<(String, Array)>,
    /// Features of edges, named `source:relation:target/feature`, with a row per edge of that type that the part owns.
    pub edges: Vec<(String, Array)>,
}

/// Reads a part with its features and checks all of it against the ranges of ids in the JSON file.
pub fn load_partition(config: impl AsRef<Path>, part: usize) -> Result<Partition, DglError> {
    let (config, mut partition) = (config.as_ref(), load_partition_graph(config.as_ref(), part)?);
    let Features { nodes, edges } = load_partition_feats(config, part)?;
    (partition.part.node_features, partition.part.edge_features) = (nodes, edges);
    Ok(partition)
}

/// Reads a part without its features, whose files are not opened.
pub fn load_partition_graph(config: impl AsRef<Path>, part: usize) -> Result<Partition, DglError> {
    let path = config.as_ref();
    let config = PartitionConfig::read(path)?;
    let [_, _, graph] = config.files(path, part)?;
    let PartitionConfig { graph_name: name, part_method: method, halo_hops, book, .. } = config;
    let graphs = load_graphs(&graph)?.graphs;
    let part = self::part(graphs, part, &book).map_err(|source| DglError::Part { path: graph, source })?;
    Ok(Partition { name, method, halo_hops, book, part })
}

/// Reads the features of a part. Names without a type, as in files before DGL 0.6, get `_N` or `_N:_E:_N`.
pub fn load_partition_feats(config: impl AsRef<Path>, part: usize) -> Result<Features, DglError> {
    let path = config.as_ref();
    let config = PartitionConfig::read(path)?;
    let [nodes, edges, _] = config.files(path, part)?;
    let features = |path: &Path, only: &str, owned: &[(&str, usize)]| {
        let mut features = load_tensors(path)?;
        for (name, array) in &mut features {
            if !name.contains('/') {
                *name = format!("{only}/{name}");
            }
            let checked = check::feature(name, array.shape().first(), owned.iter().copied());
            checked.map_err(|source| DglError::Part { path: path.to_owned(), source })?;
        }
        Ok(features)
    };
    let owned = check::owned_edges(&config.book, part);
    let owned: Vec<_> = owned.iter().map(|(name, edges)| (name.as_str(), *edges)).collect();
    Ok(Features {
        nodes: features(&nodes, "_N", &check::owned_nodes(&config.book, part))?,
        edges: features(&edges, "_N:_E:_N", &owned)?,
    })
}

/// Reads which part owns which node and edge.
pub fn load_partition_book(config: impl AsRef<Path>) -> Result<PartitionBook, DglError> {
    PartitionConfig::read(config).map(|config| config.book)
}

/// Makes a part of the graphs in its file. There must be one graph with one type of nodes and of edges; the part's
/// types are an array in it.
fn part(mut graphs: Vec<HeteroGraph>, number: usize, book: &PartitionBook) -> Result<Part, PartError> {
    let one = |what, found| if found == 1 { Ok(()) } else { Err(PartError::Count { what, expected: 1, found }) };
    one("graphs in the file", graphs.len())?;
    let mut graph = graphs.swap_remove(0);
    one("types of nodes in the file", graph.node_data.len())?;
    one("types of edges in the file", graph.edge_data.len())?;
    let (mut node_data, mut edge_data) = (graph.node_data.swap_remove(0), graph.edge_data.swap_remove(0));
    let nodes = graph.nodes[0];
    // Arrays are dropped as soon as their numbers are taken.
    let [sources, targets] = edges(graph.relations.swap_remove(0), nodes)?;
    let part = Part {
        number,
        node_ids: integers("_ID", required("_ID", &mut node_data)?)?,
        inner_nodes: leading_ones("inner_node", &required("inner_node", &mut node_data)?)?,
        edge_ids: integers("_ID", required("_ID", &mut edge_data)?)?,
        inner_edges: leading_ones("inner_edge", &required("inner_edge", &mut edge_data)?)?,
        sources,
        targets,
        ..Part::default()
    };
    check::part(&part, book)?;
    // Arrays that repeat what follows from the ids.
    let kind_or_part =
        |name: &'static str, data: &mut Vec<(String, Array)>, expected: &dyn Fn(usize) -> Option<usize>| {
            let Some(array) = take(name, data) else { return Ok(None) };
            let expected = |row| expected(row).map(|number| number as i64);
            let mut numbers = numbers(name, &array)?.enumerate();
            Ok(numbers
                .find(|(row, number)| expected(*row) != Some(*number))
                .map(|(row, found)| (row, expected(row).unwrap_or_default().to_string(), found)))
        };
    let place = |node: usize| book.node(part.node_ids[node]);
    for (what, expected) in [
        ("part_id", &(|node| place(node).map(|place| place.part)) as &dyn Fn(usize) -> Option<usize>),
        ("_TYPE", &|node| place(node).map(|place| place.kind)),
    ] {
        if let Some((node, expected, found)) = kind_or_part(what, &mut node_data, expected)? {
            return Err(PartError::Node { node, what, expected, found });
        }
    }
    let kind = |edge: usize| book.edge(part.edge_ids[edge]).map(|place| place.kind);
    if let Some((edge, expected, found)) = kind_or_part("_TYPE", &mut edge_data, &kind)? {
        return Err(PartError::Edge { edge, what: "_TYPE", expected, found });
    }
    Ok(part)
}

/// Returns sources and targets in the order of ids, from the first format present.
fn edges(relation: Relation, nodes: usize) -> Result<[Vec<i64>; 2], PartError> {
    let size = |found: [usize; 2]| {
        let wrong = found.into_iter().find(|&found| found != nodes);
        wrong.map_or(Ok(()), |found| Err(PartError::Count { what: "rows or columns of edges", expected: nodes, found }))
    };
    match relation {
        Relation { coo: Some(Coo { columns, rows, row, column, data, .. }), .. } => {
            size([rows, columns])?;
            in_order([integers("row", row)?, integers("col", column)?], data)
        }
        Relation { csr: Some(Csr { columns, rows, indptr, indices, data, .. }), .. } => {
            size([rows, columns])?;
            in_order([expanded(&indptr, indices.rows())?, integers("indices", indices)?], data)
        }
        Relation { csc: Some(Csr { columns, rows, indptr, indices, data, .. }), .. } => {
            size([rows, columns])?;
            let targets = expanded(&indptr, indices.rows())?;
            in_order([integers("indices", indices)?, targets], data)
        }
        _ => Err(PartError::Count { what: "formats of edges", expected: 1, found: 0 }),
    }
}

/// Returns the row of each edge.
fn expanded(indptr: &Array, edges: usize) -> Result<Vec<i64>, PartError> {
    let mut rows = Vec::with_capacity(edges);
    let wrong = |found: i64, before: usize| {
        let (expected, found) = (format!("from 0 up to {edges}"), format!("{found} after {before}"));
        PartError::Array { name: "indptr".into(), expected, found }
    };
    let mut ends = numbers("indptr", indptr)?;
    if let Some(start) = ends.next().filter(|&start| start != 0) {
        return Err(wrong(start, 0));
    }
    for (row, found) in (0..).zip(ends) {
        let end = usize::try_from(found).ok().filter(|end| (rows.len()..=edges).contains(end));
        rows.resize(end.ok_or_else(|| wrong(found, rows.len()))?, row);
    }
    let last = rows.len();
    if last < edges { Err(wrong(last as i64, last)) } else { Ok(rows) }
}

/// Orders edges by their ids in `data`; without ids they are in order.
fn in_order(edges: [Vec<i64>; 2], data: Array) -> Result<[Vec<i64>; 2], PartError> {
    let count = edges[0].len();
    if data.rows() == 0 {
        return Ok(edges);
    }
    let ids = integers("data", data)?;
    let mut seen = vec![false; count];
    for (edge, &id) in ids.iter().enumerate() {
        match usize::try_from(id).ok().and_then(|id| seen.get_mut(id)) {
            Some(seen) if !*seen => *seen = true,
            _ => {
                let expected = format!("each number from 0 to {count} (exclusive) once");
                return Err(PartError::Edge { edge, what: "position", expected, found: id });
            }
        }
    }
    Ok(edges.map(|column| {
        let mut ordered = vec![0; count];
        ids.iter().zip(column).for_each(|(&id, node)| ordered[id as usize] = node);
        ordered
    }))
}

fn take(name: &str, data: &mut Vec<(String, Array)>) -> Option<Array> {
    let place = data.iter().position(|(found, _)| found == name)?;
    Some(data.swap_remove(place).1)
}

fn required(name: &str, data: &mut Vec<(String, Array)>) -> Result<Array, PartError> {
    let missing = || PartError::Array { name: name.into(), expected: "an array".into(), found: "missing".into() };
    take(name, data).ok_or_else(missing)
}

/// Returns the numbers of an array and drops it.
fn integers(name: &str, array: Array) -> Result<Vec<i64>, PartError> {
    Ok(numbers(name, &array)?.collect())
}

/// Returns the number of ones, which must come before the zeros.
fn leading_ones(name: &str, array: &Array) -> Result<usize, PartError> {
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
    Err(PartError::Array { name: name.into(), expected, found })
}

/// Iterates over the numbers of an array of one dimension.
fn numbers<'a>(name: &str, array: &'a Array) -> Result<Box<dyn Iterator<Item = i64> + 'a>, PartError> {
    let bytes = array.bytes();
    let wrong = || PartError::Array {
        name: name.into(),
        expected: "whole numbers, [rows]".into(),
        found: format!("{} {:?}", array.element(), array.shape()),
    };
    if array.shape().len() != 1 {
        return Err(wrong());
    }
    Ok(match array.element() {
        ArrayType::I8 => Box::new(bytes.iter().map(|&byte| i64::from(byte as i8))),
        ArrayType::U8 | ArrayType::Bool => Box::new(bytes.iter().map(|&byte| i64::from(byte))),
        ArrayType::I16 => Box::new(bytes.as_chunks().0.iter().map(|&bytes| i64::from(i16::from_le_bytes(bytes)))),
        ArrayType::I32 => Box::new(bytes.as_chunks().0.iter().map(|&bytes| i64::from(i32::from_le_bytes(bytes)))),
        ArrayType::I64 => Box::new(bytes.as_chunks().0.iter().map(|&bytes| i64::from_le_bytes(bytes))),
        _ => return Err(wrong()),
    })
}
