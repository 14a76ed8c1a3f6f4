//! [`NeighbourIndex`]: what the neighbourhoods of all epochs are drawn from.

use super::IndexedGraph;
use super::fields::{Fields, Wanted, choose};
use super::tables::{Place, Tables};
use super::walk::Walk;
use crate::problem::problem;
use graphpack_loader::extend::mix;
use graphpack_loader::{BoxError, Dtype, Error, ErrorKind, Random, Schema, Size, Slot};
use std::sync::Arc;

/// How neighbourhoods are drawn, and what they have besides nodes and edges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NeighbourOptions {
    /// The most edges of each type drawn into a node, for each hop from the root: `[10, 5]` draws ten edges into the
    /// root, and five into each of their sources.
    pub fan_outs: Vec<u32>,
    /// Other fan-outs for some types of edges, `("author:writes:paper", [5, 0])`: one for each hop, which may be 0.
    pub fan_outs_of: Vec<(String, Vec<u32>)>,
    /// The type of the roots; `None` where there is only one type of nodes.
    pub root_type: Option<String>,
    /// The random seed.
    pub seed: u64,
    /// Names of the features of nodes and edges that become fields, `x` or with the type `paper/x`; `None` for all that
    /// are not in `of_roots`.
    pub features: Option<Vec<String>>,
    /// Names of the features of nodes that only the root needs, such as its label: they become fields of the graph.
    pub of_roots: Vec<String>,
}

/// A graph, and what is drawn from it.
#[derive(Debug)]
pub(super) struct NeighbourIndex {
    graph: Arc<IndexedGraph>,
    tables: Tables,
    seed: u64,
    /// For each hop, the fan-out of each type of edges.
    fan_outs: Vec<Vec<u32>>,
    /// The type of the roots.
    root_type: usize,
    /// Numbers within the type, and what `node_id` says, which draws depend on.
    roots: Vec<(u32, i64)>,
    /// A hash of samples of the graph.
    sample: u64,
}

/// About the most nodes of a type that are sampled, and the most edges of a type into each.
const NODES: usize = 1024;
const EDGES: usize = 8;

impl NeighbourIndex {
    pub(super) fn new(graph: Arc<IndexedGraph>, roots: &[i64], options: &NeighbourOptions) -> Result<Self, Error> {
        let NeighbourOptions { seed, features, of_roots, root_type, .. } = options;
        let fan_outs = fan_outs(&graph, options)?;
        let types = graph.book.node_types();
        let found = match root_type {
            Some(name) => graph.sets.node_type(name),
            None => (types.len() == 1).then_some(0),
        };
        let no_type =
            || problem(ErrorKind::Options, format!("roots are nodes of type {root_type:?}, expected one of {types:?}"));
        let root = found.ok_or_else(no_type)?;
        let roots = check_roots(&graph, root, roots)?;
        let wanted = Wanted { features: features.as_deref(), of_roots, root };
        let chosen = choose(graph.found(), &graph.sets, &wanted)?;
        let own = |kind| {
            let mask = (kind == root).then_some(("root", Dtype::Bool));
            mask.into_iter().chain([("node_id", Dtype::I64)]).collect()
        };
        let fields = Fields::new(&graph.sets, chosen, own)?;
        let tables = graph.tables(fields)?;
        let sample = sample(&graph, &tables)?;
        Ok(Self { graph, tables, seed: *seed, fan_outs, root_type: root, roots, sample })
    }

    pub(super) fn schema(&self) -> &Schema {
        &self.tables.fields.schema
    }

    /// Number of roots.
    pub(super) fn roots(&self) -> usize {
        self.roots.len()
    }

    /// Draws the neighbourhood of a root, given by its position.
    pub(super) fn draw(&self, root: usize, epoch: u64, walk: &mut Walk) -> Size {
        let (node, id) = self.roots[root];
        let (ends, in_edges) = (self.tables.sets.ends(), &self.graph.in_edges);
        let mut random = Random::of_draw(self.seed, epoch, id as u64);
        walk.draw(in_edges, ends, self.root_type, node, &self.fan_outs, &mut random);
        let sets = &self.tables.sets;
        sets.size(|set| match set.checked_sub(sets.node_types()) {
            None => walk.nodes(set).len(),
            Some(kind) => walk.edges(kind).len(),
        })
    }

    /// Writes a neighbourhood as a graph of a batch.
    pub(super) fn write(&self, walk: &Walk, slot: &mut Slot<'_>) -> Result<(), BoxError> {
        let (tables, sets) = (&self.tables, &self.tables.sets);
        let places = |set: usize, numbers: &[u32]| -> Vec<Place> {
            numbers.iter().map(|&number| tables.place(set, number)).collect()
        };
        for kind in 0..sets.node_types() {
            let places = places(kind, walk.nodes(kind));
            tables.write(slot, kind, false, &[], &places)?;
            let mut field = tables.fields.own[kind];
            if kind == self.root_type {
                let name = &slot.schema().fields()[field].name;
                let mask = slot.bytes(name)?;
                mask.fill(0);
                mask.iter_mut().take(1).for_each(|root| *root = 1);
                tables.write(slot, kind, true, &[], &places[..1])?;
                field += 1;
            }
            tables.write_ids(slot, field, kind, places.iter().copied())?;
        }
        for kind in 0..sets.ends().len() {
            let set = sets.of_edges(kind);
            // Finding the places of edges takes time even where there is nothing to copy.
            if tables.has_fields(set) {
                tables.write(slot, set, false, &[], &places(set, walk.edges(kind)))?;
            }
            let [sources, targets] = walk.ends(kind);
            slot.set_index(&slot.schema().indices()[kind].name, &[sources, targets])?;
        }
        Ok(())
    }

    /// The most rows of each set that a neighbourhood can have.
    pub(super) fn most(&self) -> Size {
        let sets = &self.tables.sets;
        let (mut nodes, mut edges) = (vec![0_usize; sets.node_types()], vec![0_usize; sets.ends().len()]);
        let mut hop = nodes.clone();
        (nodes[self.root_type], hop[self.root_type]) = (1, 1);
        let degrees: Vec<usize> = self.graph.in_edges.iter().map(|in_edges| in_edges.most()).collect();
        for fan_outs in &self.fan_outs {
            let mut next = vec![0_usize; sets.node_types()];
            for (kind, &[from, to]) in sets.ends().iter().enumerate() {
                let each = (fan_outs[kind] as usize).min(degrees[kind]);
                let drawn = hop[to].saturating_mul(each).min(self.graph.in_edges[kind].edges());
                edges[kind] = edges[kind].saturating_add(drawn);
                next[from] = next[from].saturating_add(drawn);
            }
            nodes.iter_mut().zip(&next).for_each(|(nodes, next)| *nodes = nodes.saturating_add(*next));
            hop = next;
        }
        Size::of(sets.len(), |set| {
            let most = match set.checked_sub(sets.node_types()) {
                None => nodes[set].min(self.graph.book.nodes_of(set)),
                Some(kind) => edges.get(kind).map_or(0, |&edges| edges.min(self.graph.in_edges[kind].edges())),
            };
            u32::try_from(most).unwrap_or(u32::MAX)
        })
    }

    /// Errors if a file of a part changed.
    pub(super) fn check(&self) -> Result<(), BoxError> {
        Ok((0..self.graph.book.parts()).try_for_each(|part| self.tables.check(part))?)
    }

    /// Adds samples of the graph, roots, fan-outs and seed to a fingerprint.
    pub(super) fn mix_into(&self, hash: u64) -> u64 {
        let hash = mix(mix(hash, self.sample), self.root_type as u64);
        let hash = self.roots.iter().fold(hash, |hash, (_, id)| mix(hash, *id as u64));
        let hash = self.fan_outs.iter().flatten().fold(hash, |hash, number| mix(hash, u64::from(*number)));
        mix(hash, self.seed)
    }
}

/// Hashes features of nodes and of edges into them. Ids pick the nodes, and their order does not count, so that a graph
/// in memory and its parts have the same hash.
fn sample(graph: &IndexedGraph, tables: &Tables) -> Result<u64, Error> {
    let sets = &graph.sets;
    let mut sum = 0_u64;
    for kind in 0..sets.node_types() {
        let most = u64::MAX / graph.book.nodes_of(kind).div_ceil(NODES).max(1) as u64;
        let mut numbers = 0..;
        for part in 0..graph.book.parts() {
            for ((row, id), number) in (0..).zip(tables.ids(kind, part)?).zip(&mut numbers) {
                let mut hash = mix(kind as u64, id as u64);
                if hash > most {
                    continue;
                }
                hash = tables.mix_row(hash, kind, [part as u32, row]);
                for (edges, &[from, _]) in sets.ends().iter().enumerate().filter(|(_, [_, to])| *to == kind) {
                    for &[source, edge] in graph.in_edges[edges].of(number).iter().take(EDGES) {
                        hash = mix(hash, tables.node_id(from, tables.place(from, source))? as u64);
                        let set = sets.of_edges(edges);
                        hash = tables.mix_row(hash, set, tables.place(set, edge));
                    }
                }
                sum = sum.wrapping_add(hash);
            }
        }
    }
    Ok(sum)
}

/// For each hop, the fan-out of each type of edges.
fn fan_outs(graph: &IndexedGraph, options: &NeighbourOptions) -> Result<Vec<Vec<u32>>, Error> {
    let NeighbourOptions { fan_outs, fan_outs_of, .. } = options;
    if fan_outs.is_empty() || fan_outs.contains(&0) {
        let text = format!("fan-outs {fan_outs:?}, expected one for each hop, each at least 1");
        return Err(problem(ErrorKind::Options, text));
    }
    let mut all: Vec<Vec<u32>> = fan_outs.iter().map(|&most| vec![most; graph.sets.ends().len()]).collect();
    for (at, (name, of_type)) in fan_outs_of.iter().enumerate() {
        let wrong = |expected: String| {
            problem(ErrorKind::Options, format!("fan-outs {of_type:?} of edges {name}, expected {expected}"))
        };
        let names = graph.book.edge_names();
        let kind = names.iter().position(|found| found == name).ok_or_else(|| wrong(format!("edges of {names:?}")))?;
        if fan_outs_of[..at].iter().any(|(before, _)| before == name) {
            return Err(wrong("them once for each type".into()));
        }
        if of_type.len() != fan_outs.len() {
            return Err(wrong(format!("{} of them, one for each hop", fan_outs.len())));
        }
        all.iter_mut().zip(of_type).for_each(|(all, &most)| all[kind] = most);
    }
    Ok(all)
}

/// Returns roots as numbers of nodes, each of which must be given once.
fn check_roots(graph: &IndexedGraph, kind: usize, roots: &[i64]) -> Result<Vec<(u32, i64)>, Error> {
    let numbers = graph.find(kind, roots)?;
    if let Some(place) = numbers.iter().position(Option::is_none) {
        let (node, name, expected) = (roots[place], &graph.book.node_types()[kind], graph.expected(kind));
        let text = format!("root {place} is node {node} of type {name}, expected {expected}");
        return Err(problem(ErrorKind::Options, text));
    }
    let mut sorted: Vec<(i64, usize)> = roots.iter().copied().zip(0..).collect();
    sorted.sort_unstable();
    if let Some(pair) = sorted.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        let [(node, place), (_, other)] = [pair[0], pair[1]];
        let text = format!("node {node} is root {place} and root {other}, expected once");
        return Err(problem(ErrorKind::Options, text));
    }
    Ok(numbers.into_iter().flatten().zip(roots.iter().copied()).collect())
}
