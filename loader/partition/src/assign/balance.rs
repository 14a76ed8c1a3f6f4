//! [`Balance`]: what every part should have equally much of.

use super::weights::Weights;
use super::{Assignment, BalanceError};
use crate::LargeGraph;

/// What every part should have equally much of: nodes of each type, or of each value of a field such as `train_mask`; and edges.
///
/// The words are those of DGL's `partition_graph`: `balance_ntypes` is [`Balance::field`], `balance_edges` is [`Balance::edges`]. There
/// is one difference. DGL no longer balances the nodes of a graph with one type of nodes where edges are balanced and no field is
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
    /// What is to be equal, and the most that a part has of it, divided by the mean of all parts.
    pub imbalance: Vec<(String, f64)>,
}

impl Balance {
    /// Nodes of each type, not edges.
    pub fn new() -> Self {
        Self::default()
    }

    /// Nodes of each value of a field, one bool or integer per node; types of nodes without such a field are balanced as a whole.
    #[must_use]
    pub fn field(mut self, name: impl Into<String>) -> Self {
        self.field = Some(name.into());
        self
    }

    /// Edges, too, each of which belongs to the part of its target; those into each type or value on their own.
    #[must_use]
    pub fn edges(mut self, balanced: bool) -> Self {
        self.edges = balanced;
        self
    }

    /// The numbers of each node that are added up.
    pub(super) fn weights(&self, graph: &LargeGraph) -> Result<Weights, BalanceError> {
        Weights::new(graph, self.field.as_deref(), self.edges)
    }

    /// How good an assignment is.
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
