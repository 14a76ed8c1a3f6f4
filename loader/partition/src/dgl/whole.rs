//! [`load_graph`]: a whole graph that `dgl.save_graphs` wrote.

use super::hetero_graph::HeteroGraph;
use super::numbers::edges;
use super::relation::Relation;
use super::{DglError, load_graphs};
use crate::{EdgeType, LargeGraph, NodeType, PartError};
use std::path::Path;

/// Reads a file with one graph, of any types, in any of DGL's formats of edges. The graph is called as the file; edges
/// are in the order of their ids.
pub fn load_graph(path: impl AsRef<Path>) -> Result<LargeGraph, DglError> {
    let path = path.as_ref();
    let wrong = |source| DglError::Part { path: path.to_owned(), source };
    let mut graphs = load_graphs(path)?.graphs;
    if graphs.len() != 1 {
        return Err(wrong(PartError::Count { what: "graphs in the file", expected: 1, found: graphs.len() }));
    }
    let mut graph = typed(graphs.swap_remove(0)).map_err(wrong)?;
    graph.name = path.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    graph.ends().map_err(|error| {
        let found = error.to_string();
        wrong(PartError::Array { name: "edges".into(), expected: "nodes that exist".into(), found })
    })?;
    Ok(graph)
}

fn typed(graph: HeteroGraph) -> Result<LargeGraph, PartError> {
    let HeteroGraph { metagraph, relations, nodes, node_data, edge_data, node_types, edge_types } = graph;
    let metagraph = Relation { metagraph: metagraph.clone(), allowed: 0, coo: None, csr: Some(metagraph), csc: None };
    let [from, to] = edges(metagraph, [nodes.len(); 2])?;
    let mut all_edges = Vec::new();
    for ((relation, name), ((from, to), features)) in
        relations.into_iter().zip(edge_types).zip(from.into_iter().zip(to).zip(edge_data))
    {
        let end = |kind: i64| {
            let kind = usize::try_from(kind).ok().filter(|&kind| kind < nodes.len());
            kind.ok_or_else(|| PartError::Array {
                name: "metagraph".into(),
                expected: format!("types of nodes from 0 to {} (exclusive)", nodes.len()),
                found: format!("another one at an end of {name:?}"),
            })
        };
        let [from, to] = [end(from)?, end(to)?];
        let [sources, targets] = edges(relation, [nodes[from], nodes[to]])?;
        let name = [node_types[from].clone(), name, node_types[to].clone()];
        all_edges.push(EdgeType { name, sources, targets, features });
    }
    let node_types = node_types.into_iter().zip(nodes).zip(node_data);
    let node_types = node_types.map(|((name, nodes), features)| NodeType { name, nodes, features }).collect();
    Ok(LargeGraph { name: String::new(), node_types, edge_types: all_edges })
}
