//! [`EdgeCut`]: how good an assignment of nodes to parts is.

use graphpack_loader::Error;
use graphpack_partition::assign::{Balance, Quality};
use graphpack_partition::{Assignment, LargeGraph};
use serde_json::{Map, Value, json};
use std::fmt;

/// How many edges an assignment cuts, beside what chance would cut, and how equal its parts are.
pub(crate) struct EdgeCut {
    quality: Quality,
    /// The share of edges that are cut where parts are assigned by chance.
    by_chance: f64,
}

impl EdgeCut {
    /// Measures an assignment; with more types of nodes than can be balanced, only how many edges it cuts.
    pub(crate) fn measure(balance: &Balance, graph: &LargeGraph, assignment: &Assignment) -> Result<Self, Error> {
        let quality = match balance.quality(graph, assignment) {
            Err(_) if graph.node_types.len() > Balance::MOST => {
                Quality { edge_cut: assignment.edge_cut(graph)?, edges: graph.edges(), imbalance: Vec::new() }
            }
            quality => quality?,
        };
        Ok(Self::of(quality, assignment.parts()))
    }

    /// What was measured of an assignment to a number of parts.
    pub(crate) fn of(quality: Quality, parts: usize) -> Self {
        Self { quality, by_chance: 1.0 - 1.0 / parts as f64 }
    }

    fn share(&self) -> f64 {
        self.quality.edge_cut as f64 / self.quality.edges.max(1) as f64
    }

    /// Adds it to an object for scripts.
    pub(crate) fn extend(&self, object: &mut Value) {
        let ratios = self.quality.imbalance.iter();
        let imbalance: Map<_, _> = ratios.map(|(name, ratio)| (name.clone(), json!(ratio))).collect();
        object["edge_cut"] = json!(self.quality.edge_cut);
        object["edge_cut_share"] = json!(self.share());
        object["edge_cut_share_by_chance"] = json!(self.by_chance);
        object["imbalance"] = Value::Object(imbalance);
    }
}

/// Writes it for people.
impl fmt::Display for EdgeCut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Quality { edge_cut, edges, imbalance, .. } = &self.quality;
        let [share, by_chance] = [self.share(), self.by_chance].map(|share| 100.0 * share);
        write!(f, "edges cut: {edge_cut} of {edges}, {share:.1} %; by chance {by_chance:.1} %")?;
        imbalance.iter().try_for_each(|(name, ratio)| write!(f, "\n{name}: most of a part / mean = {ratio:.3}"))
    }
}
