//! [`Method`]: how nodes are assigned to parts, as flags say it.

use super::kaminpar::kaminpar;
use clap::ValueEnum;
use graphpack_partition::{Assignment, Balance, ChunkedGraph, LargeGraph, Metis, MetisError};
use std::error::Error;

/// How nodes are assigned to parts.
#[derive(clap::Args)]
pub(crate) struct Method {
    /// METIS balances the nodes of each value of this feature, too, such as train_mask
    #[arg(long, value_name = "FIELD")]
    balance_ntypes: Option<String>,
    /// METIS balances edges, too
    #[arg(long)]
    balance_edges: bool,
    /// What METIS makes small: edges between parts, or the nodes that parts send each other
    #[arg(long, value_enum, default_value_t = Objective::Cut)]
    objtype: Objective,
    /// Seed of the random numbers of either method
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

/// What METIS makes small, with DGL's names.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Objective {
    Cut,
    Vol,
}

/// What assigns.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Algorithm {
    /// At random, equal numbers of nodes
    Random,
    /// Few edges between parts
    Metis,
    /// Few edges between parts, for more than METIS takes, by KaMinPar of `pip install kaminpar`; balances nodes alone
    Kaminpar,
    /// While edges are read, for what no memory holds; balances nodes and edges
    Stream,
}

impl Method {
    /// What METIS balances, and what quality is measured by.
    pub(crate) fn balance(&self) -> Balance {
        let balance = Balance::new().edges(self.balance_edges);
        match &self.balance_ntypes {
            Some(field) => balance.field(field),
            None => balance,
        }
    }

    /// The flag, if there is one, that has METIS balance more than the number of nodes.
    pub(crate) fn balanced_by(&self) -> Option<&'static str> {
        let edges = self.balance_edges.then_some("--balance-edges");
        self.balance_ntypes.as_ref().map(|_| "--balance-ntypes").or(edges)
    }

    /// Whether this feature is balanced.
    pub(crate) fn balances(&self, feature: &str) -> bool {
        self.balance_ntypes.as_deref() == Some(feature)
    }

    /// Refuses graphs that METIS cannot take, before they are read.
    pub(crate) fn check(&self, algorithm: Algorithm, graph: &ChunkedGraph) -> Result<(), Box<dyn Error>> {
        let nodes = graph.node_types().iter().map(|kind| kind.nodes()).fold(0, usize::saturating_add);
        let edges = graph.edge_types().iter().map(|kind| kind.edges()).fold(0, usize::saturating_add);
        match [("nodes", nodes), ("edges", edges)].into_iter().find(|&(_, count)| count > Metis::MOST) {
            Some((what, count)) if algorithm == Algorithm::Metis => Err(too_large(what, count)),
            _ => Ok(()),
        }
    }

    /// Assigns the nodes of a graph; without METIS, it needs no edges.
    pub(crate) fn assign(
        &self,
        algorithm: Algorithm,
        parts: usize,
        graph: &LargeGraph,
    ) -> Result<Assignment, Box<dyn Error>> {
        let nodes = graph.nodes();
        if parts > nodes {
            return Err(format!("{parts} parts of {nodes} nodes: there must be a node for each part").into());
        }
        match algorithm {
            Algorithm::Random => Ok(Assignment::random(graph, parts, self.seed)?),
            Algorithm::Kaminpar => kaminpar(graph, parts, self.seed),
            Algorithm::Stream => Err("--method stream takes two steps: graphpack assign, then --assignments".into()),
            Algorithm::Metis => {
                let metis = Metis::new(parts).balance(self.balance()).volume(self.objtype == Objective::Vol);
                let assigned = metis.seed(self.seed).assign(graph);
                assigned.map_err(|error| match error {
                    MetisError::TooLarge { what, count } => too_large(what, count),
                    error => error.into(),
                })
            }
        }
    }
}

impl Algorithm {
    /// What DGL calls it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Metis => "metis",
            Self::Kaminpar => "kaminpar",
            Self::Stream => "stream",
        }
    }
}

fn too_large(what: &str, count: usize) -> Box<dyn Error> {
    let most = Metis::MOST;
    format!(
        "{count} {what}, METIS takes at most {most}: graphpack assign --method stream or --method kaminpar take more"
    )
    .into()
}
