//! [`Balance`]: what the parts should have equal amounts of, and how good an assignment is; [`Weights`]: the numbers of
//! each node that a balance adds up.

use super::Assignment;
use crate::problem::problem;
use crate::{Array, ArrayType, LargeGraph};
use graphpack_loader::{Error, ErrorKind};

/// What the parts should have equal amounts of: nodes of each type, or nodes of each value of a feature such as
/// `train_mask`; and edges.
///
/// In DGL's `partition_graph`, `balance_ntypes` is [`Balance::field`] and `balance_edges` is [`Balance::edges`]. As
/// there, METIS does not balance nodes of a graph with one type of nodes and one of edges if edges are balanced and no
/// field is given: a field that has one value balances both, at the price of more edges between parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Balance {
    field: Option<String>,
    edges: bool,
}

/// How good an assignment is.
#[derive(Clone, Debug, PartialEq)]
pub struct Quality {
    /// Edges whose ends are in different parts.
    pub edge_cut: usize,
    /// All edges.
    pub edges: usize,
    /// What is balanced (the nodes of each type or value and, if edges are balanced, in-edges), each with the largest
    /// amount of a part divided by the mean of all parts.
    pub imbalance: Vec<(String, f64)>,
}

impl Balance {
    /// The most types of nodes, or groups of nodes, that can be balanced.
    /// METIS does poorly with that many.
    pub const MOST: usize = 32;

    /// Balances the nodes of each type, not edges.
    pub fn new() -> Self {
        Self::default()
    }

    /// Balances the nodes of each value of a feature that has one bool or integer per node. Types of nodes without the
    /// feature are balanced as a whole.
    #[must_use]
    pub fn field(mut self, name: impl Into<String>) -> Self {
        self.field = Some(name.into());
        self
    }

    /// Balances edges (default: false), and nodes as well unless there is but one type of both and no field. An edge
    /// counts for the part of its target, separately for each type or value of targets.
    #[must_use]
    pub fn edges(mut self, balanced: bool) -> Self {
        self.edges = balanced;
        self
    }

    /// The weights of each node, whose sums over the parts METIS makes equal.
    #[cfg(feature = "metis")]
    pub(super) fn constraints(&self, graph: &LargeGraph) -> Result<Weights, Error> {
        let mut weights = self.weights(graph)?;
        let one_type = graph.node_types.len() == 1 && graph.edge_types.len() == 1;
        // DGL's rule. Without edges, nodes are all there is.
        if self.edges && self.field.is_none() && one_type && weights.len() > 1 {
            weights.keep(|constraint| constraint > 0);
        }
        Ok(weights)
    }

    /// The weights of each node, whose sums over the parts are measured.
    fn weights(&self, graph: &LargeGraph) -> Result<Weights, Error> {
        let ends = graph.ends()?;
        let Groups { mut names, of_nodes: group_of } = Groups::new(graph, self.field.as_deref())?;
        let groups = names.len();
        let constraints = if self.edges { 2 * groups } else { groups };
        if self.edges {
            names.extend_from_within(..);
            for (place, name) in names.iter_mut().enumerate() {
                *name = if place < groups { format!("nodes{name}") } else { format!("in-edges{name}") };
            }
        } else {
            names.iter_mut().for_each(|name| *name = format!("nodes{name}"));
        }
        let mut rows = vec![0; group_of.len() * constraints];
        for (weights, &group) in rows.chunks_exact_mut(constraints.max(1)).zip(&group_of) {
            weights[usize::from(group)] = 1;
        }
        if self.edges {
            let offsets = graph.offsets();
            for (edges, [_, to]) in graph.edge_types.iter().zip(ends) {
                for &target in &edges.targets {
                    let node = offsets[to] + target as usize;
                    rows[node * constraints + groups + usize::from(group_of[node])] += 1;
                }
            }
        }
        let mut totals = vec![0; constraints];
        for weights in rows.chunks_exact(constraints.max(1)) {
            totals.iter_mut().zip(weights).for_each(|(total, &weight)| *total += u64::from(weight));
        }
        let used: Vec<bool> = totals.iter().map(|&total| total > 0).collect();
        let mut weights = Weights { names, rows, totals };
        weights.keep(|constraint| used[constraint]);
        Ok(weights)
    }

    /// Measures an assignment.
    pub fn quality(&self, graph: &LargeGraph, assignment: &Assignment) -> Result<Quality, Error> {
        assignment.check(graph)?;
        let weights = self.weights(graph)?;
        let owners: Vec<u16> = assignment.owners().concat();
        let imbalance = weights.imbalance(&owners, assignment.parts());
        Ok(Quality {
            edge_cut: assignment.edge_cut(graph)?,
            edges: graph.edges(),
            imbalance: weights.names.into_iter().zip(imbalance).collect(),
        })
    }
}

impl Quality {
    /// The largest imbalance; 1 is perfect.
    pub fn worst(&self) -> f64 {
        self.imbalance.iter().fold(1.0, |worst, &(_, imbalance)| worst.max(imbalance))
    }
}

/// Numbers of each node (constraints of METIS), whose sums over the nodes of each part should be equal.
pub(crate) struct Weights {
    /// Names of the constraints.
    names: Vec<String>,
    /// `[node][constraint]`
    pub(super) rows: Vec<u32>,
    /// Sums over all nodes.
    pub(super) totals: Vec<u64>,
}

impl Weights {
    fn keep(&mut self, is_kept: impl Fn(usize) -> bool) {
        let kept: Vec<usize> = (0..self.totals.len()).filter(|&c| is_kept(c)).collect();
        if kept.len() < self.totals.len() {
            let rows = self.rows.chunks_exact(self.totals.len());
            self.rows = rows.flat_map(|row| kept.iter().map(|&c| row[c])).collect();
            self.names = kept.iter().map(|&c| self.names[c].clone()).collect();
            self.totals = kept.iter().map(|&c| self.totals[c]).collect();
        }
    }

    /// Number of constraints.
    pub(super) fn len(&self) -> usize {
        self.totals.len()
    }

    /// `[part][constraint]`
    pub(super) fn sums(&self, owners: &[u16], parts: usize) -> Vec<u64> {
        let mut sums = vec![0; parts * self.len()];
        for (row, &part) in self.rows.chunks_exact(self.len().max(1)).zip(owners) {
            let sums = &mut sums[usize::from(part) * self.len()..][..self.len()];
            sums.iter_mut().zip(row).for_each(|(sum, &weight)| *sum += u64::from(weight));
        }
        sums
    }

    /// For each constraint, the largest sum of a part divided by the mean.
    pub(super) fn imbalance(&self, owners: &[u16], parts: usize) -> Vec<f64> {
        let sums = self.sums(owners, parts);
        let most = |c| sums.iter().skip(c).step_by(self.len()).copied().max().unwrap_or(0);
        let ratio = |(c, &total): (usize, &u64)| most(c) as f64 * parts as f64 / total as f64;
        self.totals.iter().enumerate().map(ratio).collect()
    }
}

/// What METIS reads.
#[cfg(feature = "metis")]
impl Weights {
    /// The largest ratio of what a part has to what it may have: `tolerance` times the mean, or the mean rounded up.
    pub(super) fn fullest(&self, owners: &[u16], parts: usize, tolerance: f64) -> f64 {
        let most = |&total: &u64| (total as f64 / parts as f64 * tolerance).max(total.div_ceil(parts as u64) as f64);
        let most: Vec<f64> = self.totals.iter().map(most).collect();
        let ratios = self.sums(owners, parts).into_iter().zip(most.iter().cycle()).map(|(sum, most)| sum as f64 / most);
        ratios.fold(0.0, f64::max)
    }
}

/// Groups of nodes that are balanced separately.
#[derive(Default)]
struct Groups {
    /// As they follow the word `nodes`.
    names: Vec<String>,
    /// The group of each node.
    of_nodes: Vec<u8>,
}

impl Groups {
    /// A group for each type of nodes, or for each value where the type has the feature `field`.
    fn new(graph: &LargeGraph, field: Option<&str>) -> Result<Self, Error> {
        let types = graph.node_types.len();
        if types > Balance::MOST {
            let text = format!("{types} types of nodes to balance, at most {}", Balance::MOST);
            return Err(problem(ErrorKind::Options, text));
        }
        let (mut groups, mut found) = (Self::default(), false);
        for kind in &graph.node_types {
            let of_type = if types > 1 { format!(" of {}", kind.name) } else { String::new() };
            match field.and_then(|field| kind.features.iter().find(|(name, _)| name == field)) {
                None => groups.add_type(of_type, kind.nodes),
                Some((name, array)) => {
                    groups.add_values(&of_type, &format!("{}/{name}", kind.name), name, array)?;
                    found = true;
                }
            }
        }
        match field {
            Some(field) if !found => {
                Err(problem(ErrorKind::Options, format!("no type of nodes has a feature {field}")))
            }
            _ => Ok(groups),
        }
    }

    fn add_type(&mut self, name: String, nodes: usize) {
        self.of_nodes.resize(self.of_nodes.len() + nodes, self.names.len() as u8);
        self.names.push(name);
    }

    /// Adds a group for each value of a feature `name`, in ascending order.
    fn add_values(&mut self, of_type: &str, feature: &str, name: &str, array: &Array) -> Result<(), Error> {
        let (element, first) = (array.element(), self.names.len());
        if !(element.is_integer() || element == ArrayType::Bool) || array.row_bytes() != element.bytes() {
            let found = format!("{element} of shape {:?}", array.shape());
            let text = format!("feature {feature} is {found}, expected one bool or integer per node");
            return Err(problem(ErrorKind::Options, text));
        }
        let values =
            || array.bytes().chunks_exact(element.bytes()).map(|bytes| element.integer(bytes).unwrap_or_default());
        let mut distinct: Vec<i128> = Vec::new();
        for value in values() {
            // There are few values: searching them is faster than hashing.
            if !distinct.contains(&value) {
                distinct.push(value);
            }
            if first + distinct.len() > Balance::MOST {
                let most = Balance::MOST;
                let text =
                    format!("more than {most} groups of nodes to balance: feature {feature} has too many values");
                return Err(problem(ErrorKind::Options, text));
            }
        }
        distinct.sort_unstable();
        let group = |value| (first + distinct.binary_search(&value).unwrap_or(0)) as u8;
        self.of_nodes.extend(values().map(group));
        self.names.extend(distinct.iter().map(|value| format!("{of_type}, {name} = {value}")));
        Ok(())
    }
}
