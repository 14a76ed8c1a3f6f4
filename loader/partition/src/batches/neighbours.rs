//! [`Neighbours`]: sampled neighbourhoods of some nodes of a large graph as graphs of a loader.

use super::columns::{check_wanted, choose};
use super::scratch::Scratch;
use super::walk::Walk;
use super::{FeatureError, NeighbourEpoch, NeighboursError};
use crate::in_edges::InEdges;
use crate::{Array, LargeGraph};
use graphpack_core::Limits;
use graphpack_loader::{Draw, Dtype, Field, Level, Schema};
use std::sync::Arc;

/// How neighbourhoods are drawn, and what they have beside nodes and edges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NeighbourOptions {
    /// The most edges into a node that are drawn in each hop from the seed node on: `[10, 5]` are ten into the seed, and five into each of their
    /// sources.
    pub fan_outs: Vec<u32>,
    /// What draws depend on, beside epoch and node.
    pub seed: u64,
    /// Features of nodes and edges to carry, `x` or with the type `_N/x`; none: all that are not in `of_seeds`.
    pub features: Option<Vec<String>>,
    /// Features of nodes that only the seed node needs, such as its label: fields of the graph.
    pub of_seeds: Vec<String>,
}

/// One graph for each of some seed nodes: the node and a sample of its neighbourhood, against the direction of edges, drawn anew each epoch; as
/// PyTorch Geometric's `NeighborLoader` with `disjoint=True` and TF-GNN's sampler. For graphs with one type of nodes and edges; of several,
/// [`LargeGraph::to_homogeneous`] makes one.
///
/// | field | level | |
/// |---|---|---|
/// | features of nodes | node | |
/// | `seed` | node | bool: true for the seed node, which is the first |
/// | `node_id` | node | int64: numbers in the large graph |
/// | features of edges | edge | |
/// | `of_seeds` | graph | features of the seed node: what the loss needs is one row per graph |
///
/// A neighbourhood has each node once. With fan-outs f1, f2, ... it has at most 1 + f1 + f1 f2 + ... nodes, and as many edges less one. A node
/// with no more edges than the fan-out has all of them. What is drawn depends on (seed, epoch, node) alone. The final embedding of the seed nodes
/// of a batch are rows `ptr[..graphs]`.
///
/// ```
/// use graphpack_loader::{Batching, DrawnLoader};
/// use graphpack_partition::{Array, EdgeType, LargeGraph, NeighbourOptions, Neighbours, NodeType};
/// use std::sync::Arc;
///
/// let y = ("y".to_owned(), Array::of_i64(&(0..100).collect::<Vec<_>>()));
/// let node = NodeType { name: "_N".into(), nodes: 100, features: vec![y] };
/// let name = ["_N".into(), "_E".into(), "_N".into()];
/// let (sources, targets) = (0..1000).map(|edge| (edge * 7 % 100, edge / 10)).unzip();
/// let edge = EdgeType { name, sources, targets, features: Vec::new() };
/// let graph = LargeGraph { name: "g".into(), node_types: vec![node], edge_types: vec![edge] };
///
/// let options = NeighbourOptions { fan_outs: vec![4, 2], of_seeds: vec!["y".into()], ..NeighbourOptions::default() };
/// let neighbours = Neighbours::new(Arc::new(graph), &[3, 14, 15, 92], options)?;
/// let limits = neighbours.limits(2);
/// let loader = DrawnLoader::new(neighbours).batching(Batching::Dynamic).limits(limits).shuffle(1).build()?;
/// for epoch in 0..2 {
///     for batch in loader.epoch(epoch) {
///         let batch = batch?;
///         let (first, labels) = (batch.ptr::<i64>()?[0] as usize, batch.get::<i64>("y")?);
///         assert_eq!((batch.real().graphs(), batch.get::<i64>("node_id")?[first]), (2, labels[0]));
///     }
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// [`Batching::Dynamic`](graphpack_loader::Batching::Dynamic) takes shuffled seeds as they come. A plan
/// ([`Batching::Packed`](graphpack_loader::Batching::Packed)) fills batches better, but seeds with large neighbourhoods are then with those that have small
/// ones.
///
/// The index of edges by target takes 8 bytes per edge and node beside the graph.
#[derive(Clone, Debug)]
pub struct Neighbours(Arc<Shared>);

#[derive(Debug)]
pub(super) struct Shared {
    pub(super) graph: Arc<LargeGraph>,
    pub(super) options: NeighbourOptions,
    pub(super) schema: Schema,
    /// Positions among the features of nodes and edges, and of nodes for fields of the graph.
    pub(super) features: [Vec<usize>; 3],
    pub(super) in_edges: InEdges,
    pub(super) seeds: Vec<u32>,
}

impl Neighbours {
    /// Checks the graph and takes an index of its edges; `seeds` are the nodes that have a graph each, such as those to train on.
    pub fn new(graph: Arc<LargeGraph>, seeds: &[i64], options: NeighbourOptions) -> Result<Self, NeighboursError> {
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
        let seeds = check_seeds(seeds, nodes)?;
        let (schema, features) = fields(&graph, &options)?;
        let ends = |kind: usize| graph.edge_types.get(kind).map(|kind| (&kind.sources, &kind.targets));
        let in_edges = InEdges::new(nodes, || {
            ends(0).into_iter().flat_map(|(from, to)| from.iter().zip(to).map(|(&from, &to)| (from as u32, to as u32)))
        });
        Ok(Self(Arc::new(Shared { graph, options, schema, features, in_edges, seeds })))
    }

    /// Number of seed nodes.
    pub fn seeds(&self) -> usize {
        self.0.seeds.len()
    }

    /// The neighbourhoods of epoch `epoch`, a graph for each seed in the order given. Each is drawn here for its size, and again when it is
    /// written.
    pub fn epoch(&self, epoch: u64) -> NeighbourEpoch {
        let mut this = NeighbourEpoch { shared: self.0.clone(), epoch, sizes: Vec::new(), scratch: Scratch::default() };
        let seeds = 0..self.seeds();
        this.sizes = this.scratch.with(|walk| seeds.map(|seed| this.draw(seed, walk)).collect());
        this
    }

    /// Limits that every epoch fits, for about `seeds` graphs in a batch and never more: three standard deviations above the mean of so many,
    /// as 1,024 of the seeds in epoch 0 have it, and never below the largest neighbourhood there can be.
    pub fn limits(&self, seeds: u32) -> Limits<2> {
        let most = self.0.most();
        let (count, scratch) = (self.seeds(), Scratch::<Walk>::default());
        let first = NeighbourEpoch { shared: self.0.clone(), epoch: 0, sizes: Vec::new(), scratch: Scratch::default() };
        let chosen = (0..count).step_by(count.div_ceil(1024).max(1));
        let sizes: Vec<_> = scratch.with(|walk| chosen.map(|seed| first.draw(seed, walk).0.map(f64::from)).collect());
        let size = std::array::from_fn(|k| {
            let number = sizes.len().max(1) as f64;
            let mean = sizes.iter().map(|size| size[k]).sum::<f64>() / number;
            let variance = sizes.iter().map(|size| (size[k] - mean).powi(2)).sum::<f64>() / number;
            let wanted = mean * f64::from(seeds) + 3.0 * (variance * f64::from(seeds)).sqrt();
            // Beyond 32 bits `as` stays at the largest number there is.
            let wanted = (wanted.ceil() as u32).max(most[k]).max(1);
            wanted.checked_next_multiple_of(64).unwrap_or(wanted)
        });
        Limits::new(size).graphs(seeds.max(1))
    }
}

impl Draw for Neighbours {
    type Graphs = NeighbourEpoch;

    fn draw(&self, epoch: u64) -> NeighbourEpoch {
        self.epoch(epoch)
    }
}

impl Shared {
    /// The most nodes and edges that a neighbourhood can have.
    fn most(&self) -> [u32; 2] {
        let (nodes, edges) = (self.in_edges.nodes(), self.in_edges.edges());
        let degree = self.in_edges.most();
        let mut hop = 1_usize;
        let sum = self.options.fan_outs.iter().fold(0_usize, |sum, &fan_out| {
            hop = hop.saturating_mul((fan_out as usize).min(degree)).min(edges);
            sum.saturating_add(hop)
        });
        [sum.saturating_add(1).min(nodes), sum.min(edges)].map(|most| u32::try_from(most).unwrap_or(u32::MAX))
    }
}

/// Seeds as numbers of nodes, none twice.
fn check_seeds(seeds: &[i64], nodes: usize) -> Result<Vec<u32>, NeighboursError> {
    let wrong = |node: &i64| usize::try_from(*node).map_or(true, |node| node >= nodes);
    if let Some(place) = seeds.iter().position(wrong) {
        return Err(NeighboursError::Seed { place, node: seeds[place], nodes });
    }
    let mut sorted: Vec<(i64, usize)> = seeds.iter().copied().zip(0..).collect();
    sorted.sort_unstable();
    if let Some(pair) = sorted.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(NeighboursError::Twice { node: pair[0].0, place: pair[0].1, other: pair[1].1 });
    }
    Ok(seeds.iter().map(|&seed| seed as u32).collect())
}

/// The fields, and where their rows are.
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
    check_wanted(&options.of_seeds, known.clone())?;
    if let Some(wanted) = &options.features {
        let edges = edges.iter().map(|name| (name.as_str(), edge_kind.as_str()));
        check_wanted(wanted, known.chain(edges))?;
    }
    let mut schema = Vec::new();
    let mut add = |names: &[String], features: &[(String, Array)], kind: &str, level, wanted: Option<&[String]>| {
        let named = || names.iter().map(String::as_str).zip(features.iter().map(|(_, array)| array));
        let chosen = choose(named(), kind, level, wanted)?;
        let position = |full: &String| names.iter().position(|name| name == full);
        let positions = chosen.iter().filter_map(|chosen| position(&chosen.full)).collect();
        schema.extend(chosen.into_iter().map(|chosen| chosen.field));
        if level == Level::Node {
            schema.push(Field::new("seed", Level::Node, Dtype::Bool, 1));
            schema.push(Field::new("node_id", Level::Node, Dtype::I64, 1));
        }
        Ok::<Vec<usize>, FeatureError>(positions)
    };
    let mut others: Option<Vec<String>> = options.features.clone();
    if others.is_none() {
        let of_seeds = |name: &&String| {
            let short = &name[node.name.len() + 1..];
            options.of_seeds.iter().any(|wanted| wanted == *name || wanted == short)
        };
        others = Some(nodes.iter().filter(|name| !of_seeds(name)).cloned().collect());
    }
    let positions = [
        add(&nodes, &node.features, &node.name, Level::Node, others.as_deref())?,
        add(&edges, edge_features, &edge_kind, Level::Edge, options.features.as_deref())?,
        add(&nodes, &node.features, &node.name, Level::Graph, Some(&options.of_seeds))?,
    ];
    Ok((Schema::new(schema)?, positions))
}
