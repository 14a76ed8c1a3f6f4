//! [`Assignment`]: the part that owns each node.

use crate::graph::GraphError;
use crate::problem::problem;
use crate::{Array, LargeGraph};
use graphpack_loader::{Error, ErrorKind, Random};

/// The part that owns each node, in 2 bytes per node. An edge belongs to the part that owns its target.
///
/// ```
/// use graphpack_partition::{Assignment, LargeGraph, NodeType};
///
/// let user = NodeType { name: "user".into(), nodes: 10, ..NodeType::default() };
/// let graph = LargeGraph { node_types: vec![user], ..LargeGraph::default() };
/// let assignment = Assignment::random(&graph, 4, 7)?;
/// assert_eq!(assignment.counts(0), [3, 3, 2, 2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    parts: usize,
    owners: Vec<Vec<u16>>,
}

/// DGL's name of the feature that tells the trainer.
const TRAINER_ID: &str = "trainer_id";

impl Assignment {
    /// The largest number of parts.
    pub const MOST_PARTS: usize = 1 << 16;

    /// Makes an assignment from the part of each node, `[type][node]`.
    pub fn new(parts: usize, owners: Vec<Vec<u16>>) -> Result<Self, Error> {
        check_parts(parts)?;
        for (kind, owners) in owners.iter().enumerate() {
            if let Some(node) = owners.iter().position(|&part| usize::from(part) >= parts) {
                let part = owners[node];
                let node = format!("node {node} of type number {kind}");
                let text = format!("{node} is assigned to part {part}, but there are {parts} parts");
                return Err(problem(ErrorKind::Options, text));
            }
        }
        Ok(Self { parts, owners })
    }

    /// Assigns nodes by chance to parts of equal size: any two parts differ by at most 1 in nodes of each type and in
    /// all nodes. (DGL draws the part of each node independently, so its parts differ more.) The same seed gives the
    /// same parts on every platform. Edges and features are ignored.
    pub fn random(graph: &LargeGraph, parts: usize, seed: u64) -> Result<Self, Error> {
        // A type is shuffled with 32-bit numbers. All types together may have more nodes: `Dispatch` takes such graphs.
        if let Some(kind) = graph.node_types.iter().find(|kind| kind.nodes > u32::MAX as usize) {
            let (nodes, of, most) = (kind.nodes, &kind.name, u32::MAX);
            let text = format!("{nodes} nodes of type {of}, at most {most} can be assigned by chance");
            return Err(problem(ErrorKind::TooLarge, text));
        }
        Self::dealt(graph, parts, |kind, owners| Random::new(seed, kind as u64).shuffle(owners))
    }

    /// Assigns nodes to parts of the same sizes in the order of their ids: of each type, the first ones to part 0 and
    /// so on. Few edges are cut where they join nodes of near ids, as those of meshes, roads and crawled pages do.
    /// Edges and features are ignored.
    ///
    /// ```
    /// use graphpack_partition::{Assignment, LargeGraph, NodeType};
    ///
    /// let node_types = ["a", "b"].map(|name| NodeType { name: name.into(), nodes: 3, ..NodeType::default() }).into();
    /// let graph = LargeGraph { node_types, ..LargeGraph::default() };
    /// assert_eq!(Assignment::contiguous(&graph, 2)?.owners(), [[0, 0, 1], [0, 1, 1]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn contiguous(graph: &LargeGraph, parts: usize) -> Result<Self, Error> {
        Self::dealt(graph, parts, |_, owners| owners.sort_unstable())
    }

    /// Deals the nodes of all types to the parts in turn; `arrange` gives a type's another order.
    fn dealt(graph: &LargeGraph, parts: usize, arrange: impl Fn(usize, &mut Vec<u16>)) -> Result<Self, Error> {
        check_parts(parts)?;
        for (at, kind) in graph.node_types.iter().enumerate() {
            if graph.node_types[..at].iter().any(|other| other.name == kind.name) {
                return Err(GraphError::Twice { name: kind.name.clone() }.into());
            }
        }
        let mut dealt = 0;
        let deal = |(kind, nodes): (usize, usize)| {
            let mut owners: Vec<u16> = (dealt..dealt + nodes).map(|node| (node % parts) as u16).collect();
            dealt += nodes;
            arrange(kind, &mut owners);
            owners
        };
        let owners = graph.node_types.iter().map(|kind| kind.nodes).enumerate().map(deal).collect();
        Ok(Self { parts, owners })
    }

    /// Number of parts, including any that own nothing.
    pub fn parts(&self) -> usize {
        self.parts
    }

    /// The part of each node, `[type][node]`.
    pub fn owners(&self) -> &[Vec<u16>] {
        &self.owners
    }

    /// Makes parts for several training processes per machine, as DGL's `num_trainers_per_machine` does: nodes are
    /// assigned to trainers, and those of trainers `per_machine * part` and the following are one part. All types get
    /// the feature `trainer_id` (int64), in place of any that has the name: the trainer of each node, and that of each
    /// edge's target.
    ///
    /// ```
    /// use graphpack_partition::{Assignment, EdgeType, LargeGraph, NodeType};
    ///
    /// let node = NodeType { name: "_N".into(), nodes: 4, ..NodeType::default() };
    /// let name = ["_N", "_E", "_N"].map(String::from);
    /// let edge = EdgeType { name, sources: vec![0, 1], targets: vec![3, 2], features: Vec::new() };
    /// let mut graph = LargeGraph { name: "g".into(), node_types: vec![node], edge_types: vec![edge] };
    /// let trainers = Assignment::new(4, vec![vec![0, 1, 2, 3]])?;
    /// let parts = Assignment::of_trainers(2, &trainers, &mut graph)?;
    /// assert_eq!(parts.owners(), [[0, 0, 1, 1]]);
    /// assert_eq!(graph.edge_types[0].features[0].0, "trainer_id");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_trainers(per_machine: usize, trainers: &Self, graph: &mut LargeGraph) -> Result<Self, Error> {
        let all = trainers.parts;
        if per_machine == 0 || !all.is_multiple_of(per_machine) {
            let text = format!("{all} trainers, expected a multiple of {per_machine} per machine");
            return Err(problem(ErrorKind::Options, text));
        }
        trainers.check(graph)?;
        let ends = graph.ends()?;
        let add = |features: &mut Vec<(String, Array)>, trainers: &mut dyn Iterator<Item = u16>| {
            features.retain(|(name, _)| name != TRAINER_ID);
            features.push((TRAINER_ID.to_owned(), Array::of_i64(&trainers.map(i64::from).collect::<Vec<_>>())));
        };
        for (kind, owners) in graph.node_types.iter_mut().zip(&trainers.owners) {
            add(&mut kind.features, &mut owners.iter().copied());
        }
        for (edges, [_, to]) in graph.edge_types.iter_mut().zip(ends) {
            let owners = &trainers.owners[to];
            add(&mut edges.features, &mut edges.targets.iter().map(|&target| owners[target as usize]));
        }
        let part = |&trainer: &u16| (usize::from(trainer) / per_machine) as u16;
        let owners = trainers.owners.iter().map(|owners| owners.iter().map(part).collect()).collect();
        Self::new(all / per_machine, owners)
    }

    /// The part of a node, if the node exists.
    pub fn owner(&self, kind: usize, node: usize) -> Option<usize> {
        Some((*self.owners.get(kind)?.get(node)?).into())
    }

    /// Number of nodes of a type that each part owns.
    pub fn counts(&self, kind: usize) -> Vec<usize> {
        let mut counts = vec![0; self.parts];
        let owners = self.owners.get(kind).map_or(&[][..], Vec::as_slice);
        owners.iter().for_each(|&part| counts[usize::from(part)] += 1);
        counts
    }

    /// Checks that it has a part for each node of the graph and for no others.
    pub fn check(&self, graph: &LargeGraph) -> Result<(), Error> {
        self.check_types(graph.node_types.iter().map(|kind| (&*kind.name, kind.nodes)))
    }

    /// Checks that it has a part for each node of types with these names and numbers of nodes, and no others.
    pub(crate) fn check_types<'a>(&self, types: impl ExactSizeIterator<Item = (&'a str, usize)>) -> Result<(), Error> {
        let (expected, found) = (types.len(), self.owners.len());
        if expected != found {
            let text = format!("the assignment is for {found} types of nodes, the graph has {expected}");
            return Err(problem(ErrorKind::Options, text));
        }
        for ((kind, expected), owners) in types.zip(&self.owners) {
            let found = owners.len();
            if expected != found {
                let text = format!("the assignment has {found} nodes of type {kind}, the graph has {expected}");
                return Err(problem(ErrorKind::Options, text));
            }
        }
        Ok(())
    }

    /// Number of edges whose ends are in different parts, which determines what is sent over a network.
    pub fn edge_cut(&self, graph: &LargeGraph) -> Result<usize, Error> {
        self.check(graph)?;
        let ends = graph.ends()?;
        let cut = graph.edge_types.iter().zip(ends).map(|(edges, [from, to])| {
            let (from, to) = (&self.owners[from], &self.owners[to]);
            let ends = edges.sources.iter().zip(&edges.targets);
            ends.filter(|&(&source, &target)| from[source as usize] != to[target as usize]).count()
        });
        Ok(cut.sum())
    }
}

pub(super) fn check_parts(parts: usize) -> Result<(), Error> {
    const MOST: usize = Assignment::MOST_PARTS;
    match parts {
        1..=MOST => Ok(()),
        _ => Err(problem(ErrorKind::Options, format!("{parts} parts, expected 1 to {MOST}"))),
    }
}
