//! [`NeighbourIndex`]: what the neighbourhoods of all epochs are drawn from.

use super::chosen::{check_wanted, choose};
use super::rows::{copy_rows, index};
use super::walk::Walk;
use super::{FeatureError, NeighbourOptions};
use crate::graph::InEdges;
use crate::{Array, GraphError, LargeGraph};
use graphpack_loader::fingerprint::mix;
use graphpack_loader::{Dtype, Field, Index, Level, Random, Schema, Size, Slot, SourceError};
use std::sync::Arc;

/// Neighbourhoods that cannot be drawn.
#[derive(Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NeighboursError {
    /// The graph has several types.
    #[error(
        "the graph has {nodes} types of nodes and {edges} of edges, neighbourhoods are drawn where there is one of each: make it homogeneous (LargeGraph::to_homogeneous), with the type as a feature"
    )]
    Types {
        /// Types of nodes.
        nodes: usize,
        /// Types of edges.
        edges: usize,
    },
    /// The graph contradicts itself.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// There are no fan-outs, or one is 0.
    #[error("fan-outs {fan_outs:?}, expected one for each hop, each at least 1")]
    FanOuts {
        /// The fan-outs given.
        fan_outs: Vec<u32>,
    },
    /// A root is no node of the graph.
    #[error("root {place} is node {node}, but the graph has {nodes} nodes")]
    Root {
        /// Its position in the list of roots.
        place: usize,
        /// The node.
        node: i64,
        /// Number of nodes of the graph.
        nodes: usize,
    },
    /// A node is given as a root twice.
    #[error("node {node} is root {place} and root {other}, expected once")]
    Twice {
        /// The node.
        node: i64,
        /// Its first position in the list.
        place: usize,
        /// Another position.
        other: usize,
    },
    /// There are more nodes than batches can number.
    #[error("{count} {what}, at most {}", i32::MAX)]
    TooLarge {
        /// `nodes`.
        what: &'static str,
        /// Their number.
        count: usize,
    },
    /// A feature cannot be a field of a batch.
    #[error(transparent)]
    Feature(#[from] FeatureError),
}

graphpack_core::debug_is_display!(NeighboursError);

/// A large graph, its edges indexed by target, and what is drawn from it.
#[derive(Debug)]
pub(super) struct NeighbourIndex {
    graph: Arc<LargeGraph>,
    options: NeighbourOptions,
    schema: Schema,
    /// Positions among the features of nodes, those of edges, and of nodes for fields of the graph.
    features: [Vec<usize>; 3],
    in_edges: InEdges,
    roots: Vec<u32>,
}

impl NeighbourIndex {
    pub(super) fn new(
        graph: Arc<LargeGraph>,
        roots: &[i64],
        options: NeighbourOptions,
    ) -> Result<Self, NeighboursError> {
        let (nodes, edges) = (graph.node_types.len(), graph.edge_types.len());
        if nodes != 1 || edges > 1 {
            return Err(NeighboursError::Types { nodes, edges });
        }
        graph.check()?;
        if options.fan_outs.is_empty() || options.fan_outs.contains(&0) {
            return Err(NeighboursError::FanOuts { fan_outs: options.fan_outs });
        }
        let nodes = graph.node_types[0].nodes;
        if nodes > i32::MAX as usize {
            return Err(NeighboursError::TooLarge { what: "nodes", count: nodes });
        }
        let roots = check_roots(roots, nodes)?;
        let (schema, features) = fields(&graph, &options)?;
        let edges = graph.edge_types.first();
        let in_edges = InEdges::new(nodes, || {
            let ends = edges.into_iter().flat_map(|edges| edges.sources.iter().zip(&edges.targets));
            ends.map(|(&from, &to)| (from as u32, to as u32))
        });
        Ok(Self { graph, options, schema, features, in_edges, roots })
    }

    pub(super) fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Number of roots.
    pub(super) fn roots(&self) -> usize {
        self.roots.len()
    }

    /// Draws the neighbourhood of a root, given by its position.
    pub(super) fn draw(&self, root: usize, epoch: u64, walk: &mut Walk) -> Size {
        let node = self.roots[root];
        let mut random = Random::of_draw(self.options.seed, epoch, u64::from(node));
        walk.draw(&self.in_edges, node, &self.options.fan_outs, &mut random);
        walk.size()
    }

    /// Writes a neighbourhood as a graph of a batch.
    pub(super) fn write(&self, walk: &Walk, slot: &mut Slot<'_>) -> Result<(), SourceError> {
        let nodes = &self.graph.node_types[0].features;
        let edges = self.graph.edge_types.first().map_or(&[][..], |edges| &edges.features);
        let copy = |slot: &mut Slot<'_>, field: usize, array: &Array, rows: &[u32]| {
            let rows = rows.iter().map(|&row| row as usize);
            slot.rows_mut(field).map(|to| copy_rows(to, array.bytes(), array.row_bytes(), rows))
        };
        let mut field = 0;
        for &feature in &self.features[0] {
            copy(slot, field, &nodes[feature].1, walk.nodes())?;
            field += 1;
        }
        let mask = slot.rows_mut(field)?;
        mask.fill(0);
        mask[0] = 1;
        for (to, &node) in slot.rows_mut(field + 1)?.chunks_exact_mut(8).zip(walk.nodes()) {
            to.copy_from_slice(&i64::from(node).to_ne_bytes());
        }
        field += 2;
        for &feature in &self.features[1] {
            copy(slot, field, &edges[feature].1, walk.edges())?;
            field += 1;
        }
        for &feature in &self.features[2] {
            copy(slot, field, &nodes[feature].1, &walk.nodes()[..1])?;
            field += 1;
        }
        let [sources, targets] = walk.ends();
        Ok(slot.write_index(Index::EDGE_INDEX, &[index(sources), index(targets)])?)
    }

    /// The most nodes and edges that a neighbourhood can have.
    pub(super) fn most(&self) -> [u32; 2] {
        let (nodes, edges) = (self.in_edges.nodes(), self.in_edges.edges());
        let degree = self.in_edges.most();
        let mut hop = 1_usize;
        let sum = self.options.fan_outs.iter().fold(0_usize, |sum, &fan_out| {
            hop = hop.saturating_mul((fan_out as usize).min(degree)).min(edges);
            sum.saturating_add(hop)
        });
        [sum.saturating_add(1).min(nodes), sum.min(edges)].map(|most| u32::try_from(most).unwrap_or(u32::MAX))
    }

    /// Adds roots, fan-outs and seed to a fingerprint.
    pub(super) fn mix_into(&self, hash: u64) -> u64 {
        let numbers = self.roots.iter().chain(&self.options.fan_outs);
        mix(numbers.fold(hash, |hash, number| mix(hash, u64::from(*number))), self.options.seed)
    }
}

/// Returns roots as numbers of nodes, each of which must be given once.
fn check_roots(roots: &[i64], nodes: usize) -> Result<Vec<u32>, NeighboursError> {
    let wrong = |node: &i64| usize::try_from(*node).map_or(true, |node| node >= nodes);
    if let Some(place) = roots.iter().position(wrong) {
        return Err(NeighboursError::Root { place, node: roots[place], nodes });
    }
    let mut sorted: Vec<(i64, usize)> = roots.iter().copied().zip(0..).collect();
    sorted.sort_unstable();
    if let Some(pair) = sorted.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(NeighboursError::Twice { node: pair[0].0, place: pair[0].1, other: pair[1].1 });
    }
    Ok(roots.iter().map(|&root| root as u32).collect())
}

/// Returns the fields, and which features of nodes, of edges and of the root they are.
fn fields(graph: &LargeGraph, options: &NeighbourOptions) -> Result<(Schema, [Vec<usize>; 3]), FeatureError> {
    let none = Vec::new();
    let node = &graph.node_types[0];
    let (edge_kind, edge_features) =
        graph.edge_types.first().map_or((String::new(), &none), |edges| (edges.file_name(), &edges.features));
    let full = |kind: &str, features: &[(String, Array)]| -> Vec<String> {
        features.iter().map(|(name, _)| format!("{kind}/{name}")).collect()
    };
    let (nodes, edges) = (full(&node.name, &node.features), full(&edge_kind, edge_features));
    let known = nodes.iter().map(|name| (name.as_str(), node.name.as_str()));
    check_wanted(&options.of_roots, known.clone())?;
    if let Some(wanted) = &options.features {
        let edges = edges.iter().map(|name| (name.as_str(), edge_kind.as_str()));
        check_wanted(wanted, known.chain(edges))?;
    }
    let mut schema = Vec::new();
    let mut add = |names: &[String], features: &[(String, Array)], kind: &str, level, wanted: Option<&[String]>| {
        let named = || names.iter().map(String::as_str).zip(features.iter().map(|(_, array)| array));
        let chosen = choose(named(), kind, level, wanted)?;
        let position = |full: &str| names.iter().position(|name| name == full);
        let positions = chosen.iter().filter_map(|chosen| position(chosen.full_name())).collect();
        schema.extend(chosen.iter().map(|chosen| chosen.field().clone()));
        if level == Level::NODE {
            schema.push(Field::new("root", Level::NODE, Dtype::Bool, 1));
            schema.push(Field::new("node_id", Level::NODE, Dtype::I64, 1));
        }
        Ok::<Vec<usize>, FeatureError>(positions)
    };
    let mut others: Option<Vec<String>> = options.features.clone();
    if others.is_none() {
        let of_roots = |name: &&String| {
            let short = &name[node.name.len() + 1..];
            options.of_roots.iter().any(|wanted| wanted == *name || wanted == short)
        };
        others = Some(nodes.iter().filter(|name| !of_roots(name)).cloned().collect());
    }
    let positions = [
        add(&nodes, &node.features, &node.name, Level::NODE, others.as_deref())?,
        add(&edges, edge_features, &edge_kind, Level::EDGE, options.features.as_deref())?,
        add(&nodes, &node.features, &node.name, Level::Graph, Some(&options.of_roots))?,
    ];
    Ok((Schema::new(schema)?, positions))
}
