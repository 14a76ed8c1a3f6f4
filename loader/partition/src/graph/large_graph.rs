//! [`LargeGraph`]: one graph in memory, before it is cut.

use crate::Array;
use graphpack_loader::extend::Cause;
use graphpack_loader::{Error, ErrorKind};
use std::collections::HashSet;

/// A directed graph with one or more types of nodes and edges. Ids count from 0 within each type.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LargeGraph {
    /// Name of the graph, which DGL's files contain.
    pub name: String,
    /// Types of nodes. DGL numbers them in this order.
    pub node_types: Vec<NodeType>,
    /// Types of edges, numbered in the same way.
    pub edge_types: Vec<EdgeType>,
}

/// All nodes of one type.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeType {
    /// Name of the type; `_N` is DGL's name where there is only one.
    pub name: String,
    /// Number of nodes.
    pub nodes: usize,
    /// Features by name, with a row per node.
    pub features: Vec<(String, Array)>,
}

/// All edges of one type. The id of an edge is its position in the lists.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EdgeType {
    /// Type of the sources, relation, type of the targets; `_N`, `_E`, `_N` are DGL's names where there is only one.
    pub name: [String; 3],
    /// Source of each edge.
    pub sources: Vec<i64>,
    /// Target of each edge.
    pub targets: Vec<i64>,
    /// Features by name, with a row per edge.
    pub features: Vec<(String, Array)>,
}

/// A graph that contradicts itself.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GraphError {
    #[error("two types are called {name}")]
    Twice { name: String },
    #[error("edges {edges} end at nodes of type {nodes}, which does not exist")]
    NodeType { edges: String, nodes: String },
    #[error("edges {edges} have {sources} sources and {targets} targets")]
    Ends { edges: String, sources: usize, targets: usize },
    #[error("edge {edge} of {edges} ends at node {node} of type {node_type}, which has {nodes} nodes")]
    Node { edges: String, edge: usize, node: i64, node_type: String, nodes: usize },
    #[error("feature {feature} has shape {shape:?}, expected {rows} rows")]
    Rows { feature: String, shape: Vec<usize>, rows: usize },
    #[error("there are two features {feature}")]
    FeatureTwice { feature: String },
    #[error("{count} {what}, at most {} can be cut in memory", u32::MAX)]
    TooLarge { what: &'static str, count: usize },
}

impl Cause for GraphError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::TooLarge { .. } => ErrorKind::TooLarge,
            _ => ErrorKind::Data,
        }
    }
}

impl LargeGraph {
    /// Number of nodes of all types.
    pub fn nodes(&self) -> usize {
        self.node_types.iter().fold(0, |nodes, kind| nodes.saturating_add(kind.nodes))
    }

    /// Number of edges of all types.
    pub fn edges(&self) -> usize {
        self.edge_types.iter().map(|kind| kind.targets.len()).sum()
    }

    /// Checks that types and the features of each are distinct, that edges end at nodes that exist, and that features
    /// have a row for each node or edge of their type.
    pub fn check(&self) -> Result<(), Error> {
        self.ends().map(drop)
    }

    /// The first node of each type if all nodes are numbered type by type; then the number of all nodes.
    pub(crate) fn offsets(&self) -> Vec<usize> {
        starts(self.node_types.iter().map(|kind| kind.nodes))
    }

    /// Checks what [`LargeGraph::check`] does and returns, for each type of edges, the types of its sources and
    /// targets.
    pub(crate) fn ends(&self) -> Result<Vec<[usize; 2]>, Error> {
        for (what, count) in [("nodes", self.nodes()), ("edges", self.edges())] {
            if count > u32::MAX as usize {
                return Err(GraphError::TooLarge { what, count }.into());
            }
        }
        for (at, kind) in self.node_types.iter().enumerate() {
            if self.node_types[..at].iter().any(|other| other.name == kind.name) {
                return Err(GraphError::Twice { name: kind.name.clone() }.into());
            }
            check_features(&kind.name, kind.nodes, &kind.features)?;
        }
        let mut ends = Vec::with_capacity(self.edge_types.len());
        for (at, kind) in self.edge_types.iter().enumerate() {
            if self.edge_types[..at].iter().any(|other| other.name == kind.name) {
                return Err(GraphError::Twice { name: kind.file_name() }.into());
            }
            ends.push(self.ends_of(kind)?);
            check_features(&kind.file_name(), kind.targets.len(), &kind.features)?;
        }
        Ok(ends)
    }

    fn ends_of(&self, kind: &EdgeType) -> Result<[usize; 2], Error> {
        let edges = || kind.file_name();
        let (sources, targets) = (kind.sources.len(), kind.targets.len());
        if sources != targets {
            return Err(GraphError::Ends { edges: edges(), sources, targets }.into());
        }
        let mut types = [0; 2];
        for (found, (name, nodes)) in types.iter_mut().zip([(0, &kind.sources), (2, &kind.targets)]) {
            let name = &kind.name[name];
            let Some(position) = self.node_types.iter().position(|kind| kind.name == *name) else {
                return Err(GraphError::NodeType { edges: edges(), nodes: name.clone() }.into());
            };
            let count = self.node_types[position].nodes;
            // Negative numbers are huge without a sign. Comparing the maximum is several times as fast as searching for
            // the first.
            if nodes.iter().fold(0, |most, &node| most.max(node as u64)) >= count as u64 && !nodes.is_empty() {
                let edge = nodes.iter().position(|&node| node as u64 >= count as u64).unwrap_or_default();
                let node_type = name.clone();
                return Err(
                    GraphError::Node { edges: edges(), edge, node: nodes[edge], node_type, nodes: count }.into()
                );
            }
            *found = position;
        }
        Ok(types)
    }
}

/// Where each of several ranges with these lengths starts, if they follow each other, and the end of the last.
pub(crate) fn starts(lengths: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut starts = vec![0];
    starts.extend(lengths.scan(0_usize, |end, length| {
        *end = end.saturating_add(length);
        Some(*end)
    }));
    starts
}

fn check_features(kind: &str, rows: usize, features: &[(String, Array)]) -> Result<(), Error> {
    let mut before = HashSet::new();
    if let Some((name, _)) = features.iter().find(|(name, _)| !before.insert(name)) {
        return Err(GraphError::FeatureTwice { feature: format!("{kind}/{name}") }.into());
    }
    match features.iter().find(|(_, array)| array.shape().first() != Some(&rows)) {
        Some((name, array)) => {
            Err(GraphError::Rows { feature: format!("{kind}/{name}"), shape: array.shape().to_vec(), rows }.into())
        }
        None => Ok(()),
    }
}

impl EdgeType {
    /// The name in files: `source:relation:target`.
    pub fn file_name(&self) -> String {
        self.name.join(":")
    }
}
