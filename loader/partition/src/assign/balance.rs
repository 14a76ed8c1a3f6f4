//! [`Balance`]: what the parts should have equal amounts of.

use super::weights::Weights;
use super::{Assignment, BalanceError};
use crate::LargeGraph;

/// What the parts should have equal amounts of: nodes of each type, or nodes of each value of a feature such as
/// `train_mask`; and edges.
///
/// In DGL's `partition_graph`, `balance_ntypes` is [`Balance::field`] and `balance_edges` is [`Balance::edges`]. One
/// thing differs: in a graph with one type of nodes, DGL does not balance nodes if edges are balanced and no field is
/// given; here nodes are always balanced.
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
    /// Each amount that should be equal, and the largest amount of a part divided by the mean of all parts.
    pub imbalance: Vec<(String, f64)>,
}

impl Balance {
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

    /// Balances edges, too (default: false). An edge counts for the part of its target, separately for each type or
    /// value of targets.
    #[must_use]
    pub fn edges(mut self, balanced: bool) -> Self {
        self.edges = balanced;
        self
    }

    /// The weights of each node, whose sums over the parts should be equal.
    pub(super) fn weights(&self, graph: &LargeGraph) -> Result<Weights, BalanceError> {
        Weights::new(graph, self.field.as_deref(), self.edges)
    }

    /// Measures an assignment.
    pub fn quality(&self, graph: &LargeGraph, assignment: &Assignment) -> Result<Quality, BalanceError> {
        assignment.check(graph)?;
        let weights = self.weights(graph)?;
        let owners: Vec<u16> = assignment.owners().concat();
        let imbalance = weights.imbalance(&owners, assignment.parts());
        Ok(Quality {
            edge_cut: assignment.edge_cut(graph)?,
            edges: graph.edges(),
            imbalance: weights.into_names().into_iter().zip(imbalance).collect(),
        })
    }
}

impl Quality {
    /// The largest imbalance; 1 is perfect.
    pub fn worst(&self) -> f64 {
        self.imbalance.iter().fold(1.0, |worst, &(_, imbalance)| worst.max(imbalance))
    }
}
