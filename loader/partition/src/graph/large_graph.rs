//! [`LargeGraph`]: one graph in memory, before it is cut.

use crate::Array;

/// A directed graph with one or several types of nodes and edges. Ids count from 0 within each type.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LargeGraph {
    /// Its name, which DGL's files carry.
    pub name: String,
    /// Types of nodes. DGL numbers them in this order.
    pub node_types: Vec<NodeType>,
    /// Types of edges, likewise.
    pub edge_types: Vec<EdgeType>,
}

/// All nodes of one type.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeType {
    /// Its name; `_N` where there is only one and DGL was not told otherwise.
    pub name: String,
    /// Number of nodes.
    pub nodes: usize,
    /// Features by name, each with a row per node.
    pub features: Vec<(String, Array)>,
}

/// All edges of one type. Ids are positions in the lists.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EdgeType {
    /// Type of sources, relation, type of targets; `_N`, `_E`, `_N` where there is only one.
    pub name: [String; 3],
    /// Source of each edge.
    pub sources: Vec<i64>,
    /// Target of each edge.
    pub targets: Vec<i64>,
    /// Features by name, each with a row per edge.
    pub features: Vec<(String, Array)>,
}

/// A graph that contradicts itself.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GraphError {
    /// Two types have one name.
    #[error("two types are called {name}")]
    Twice {
        /// The name.
        name: String,
    },
    /// Edges end at nodes of a type that there is not.
    #[error("edges {edges} end at nodes of type {nodes}, which does not exist")]
    NodeType {
        /// The type of edges, as in files.
        edges: String,
        /// The type of nodes.
        nodes: String,
    },
    /// As many sources as targets are needed.
    #[error("edges {edges} have {sources} sources and {targets} targets")]
    Ends {
        /// The type of edges, as in files.
        edges: String,
        /// Number of sources.
        sources: usize,
        /// Number of targets.
        targets: usize,
    },
    /// An edge ends at a node that there is not.
    #[error("edge {edge} of {edges} ends at node {node} of type {node_type}, which has {nodes} nodes")]
    Node {
        /// The type of edges, as in files.
        edges: String,
        /// Its number.
        edge: usize,
        /// The node.
        node: i64,
        /// The type of the node.
        node_type: String,
        /// Nodes of the type.
        nodes: usize,
    },
    /// A feature must have a row for each node or edge.
    #[error("feature {feature} has shape {shape:?}, expected {rows} rows")]
    Rows {
        /// Its name, behind that of the type.
        feature: String,
        /// Its shape.
        shape: Vec<usize>,
        /// Nodes or edges of the type.
        rows: usize,
    },
    /// More nodes or edges than numbers of 32 bits.
    #[error("{count} {what}, at most {} can be cut in memory", u32::MAX)]
    TooLarge {
        /// `nodes` or `edges`.
        what: &'static str,
        /// How many there are.
        count: usize,
    },
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

    /// Types of nodes and of edges in alphabetical order, which `dgl.heterograph` brings them into. DGL's chunked format keeps its own.
    pub fn sort_types(&mut self) {
        self.node_types.sort_by(|a, b| a.name.cmp(&b.name));
        self.edge_types.sort_by(|a, b| a.name.cmp(&b.name));
    }

    /// Whether types are distinct, edges end at nodes that exist, and features have a row for each of what they belong to.
    pub fn check(&self) -> Result<(), GraphError> {
        self.ends().map(drop)
    }

    /// Where the nodes of each type start if all are numbered type by type, and the number of all.
    pub(crate) fn offsets(&self) -> Vec<usize> {
        let mut offsets = vec![0];
        offsets.extend(self.node_types.iter().scan(0_usize, |sum, kind| {
            *sum = sum.saturating_add(kind.nodes);
            Some(*sum)
        }));
        offsets
    }

    /// What [`LargeGraph::check`] checks; then the types of the sources and targets of each type of edges.
    pub(crate) fn ends(&self) -> Result<Vec<[usize; 2]>, GraphError> {
        for (what, count) in [("nodes", self.nodes()), ("edges", self.edges())] {
            if count > u32::MAX as usize {
                return Err(GraphError::TooLarge { what, count });
            }
        }
        for (at, kind) in self.node_types.iter().enumerate() {
            if self.node_types[..at].iter().any(|other| other.name == kind.name) {
                return Err(GraphError::Twice { name: kind.name.clone() });
            }
            check_rows(&kind.name, kind.nodes, &kind.features)?;
        }
        let mut ends = Vec::with_capacity(self.edge_types.len());
        for (at, kind) in self.edge_types.iter().enumerate() {
            if self.edge_types[..at].iter().any(|other| other.name == kind.name) {
                return Err(GraphError::Twice { name: kind.file_name() });
            }
            ends.push(self.ends_of(kind)?);
            check_rows(&kind.file_name(), kind.targets.len(), &kind.features)?;
        }
        Ok(ends)
    }

    fn ends_of(&self, kind: &EdgeType) -> Result<[usize; 2], GraphError> {
        let edges = || kind.file_name();
        let (sources, targets) = (kind.sources.len(), kind.targets.len());
        if sources != targets {
            return Err(GraphError::Ends { edges: edges(), sources, targets });
        }
        let mut types = [0; 2];
        for (found, (name, nodes)) in types.iter_mut().zip([(0, &kind.sources), (2, &kind.targets)]) {
            let name = &kind.name[name];
            let Some(position) = self.node_types.iter().position(|kind| kind.name == *name) else {
                return Err(GraphError::NodeType { edges: edges(), nodes: name.clone() });
            };
            let count = self.node_types[position].nodes;
            // Negative numbers are huge without a sign. One comparison for all is several times as fast as looking for the first.
            if nodes.iter().fold(0, |most, &node| most.max(node as u64)) >= count as u64 && !nodes.is_empty() {
                let edge = nodes.iter().position(|&node| node as u64 >= count as u64).unwrap_or_default();
                let node_type = name.clone();
                return Err(GraphError::Node { edges: edges(), edge, node: nodes[edge], node_type, nodes: count });
            }
            *found = position;
        }
        Ok(types)
    }
}

fn check_rows(kind: &str, rows: usize, features: &[(String, Array)]) -> Result<(), GraphError> {
    match features.iter().find(|(_, array)| array.shape().first() != Some(&rows)) {
        Some((name, array)) => {
            Err(GraphError::Rows { feature: format!("{kind}/{name}"), shape: array.shape().to_vec(), rows })
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
