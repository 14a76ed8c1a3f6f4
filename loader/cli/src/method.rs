//! [`Method`]: how parts are assigned, as flags say it.

use clap::ValueEnum;
use clap::builder::RangedI64ValueParser;
use graphpack_partition::{
    Assignment, AssignmentFileError, Balance, ChunkedError, ChunkedGraph, LargeGraph, Metis, MetisError, NodeType,
};
use std::error::Error;
use std::io;
use std::path::Path;

/// How parts are assigned.
#[derive(clap::Args)]
pub(crate) struct Method {
    /// What METIS balances beside numbers of nodes: those of each value of this feature, such as train_mask
    #[arg(long, value_name = "FIELD")]
    balance_ntypes: Option<String>,
    /// METIS balances edges, too
    #[arg(long)]
    balance_edges: bool,
    /// Seed of chance and of METIS
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

/// Who assigns.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Algorithm {
    /// By chance, equal numbers of nodes
    Random,
    /// Few edges between parts
    Metis,
}

impl Method {
    /// What is balanced, and what quality is measured by.
    pub(crate) fn balance(&self) -> Balance {
        let balance = Balance::new().edges(self.balance_edges);
        match &self.balance_ntypes {
            Some(field) => balance.field(field),
            None => balance,
        }
    }

    /// The flag that says what METIS is to balance beside nodes, if there is one.
    pub(crate) fn balanced_by(&self) -> Option<&'static str> {
        let edges = self.balance_edges.then_some("--balance-edges");
        self.balance_ntypes.as_ref().map(|_| "--balance-ntypes").or(edges)
    }

    /// Whether a feature is what is balanced.
    pub(crate) fn balances(&self, feature: &str) -> bool {
        self.balance_ntypes.as_deref() == Some(feature)
    }

    /// Refuses what METIS cannot take, before it is read.
    pub(crate) fn check(&self, algorithm: Algorithm, graph: &ChunkedGraph) -> Result<(), Box<dyn Error>> {
        let nodes = graph.node_types().iter().map(|kind| kind.nodes()).fold(0, usize::saturating_add);
        let edges = graph.edge_types().iter().map(|kind| kind.edges()).fold(0, usize::saturating_add);
        match [("nodes", nodes), ("edges", edges)].into_iter().find(|&(_, count)| count > i32::MAX as usize) {
            Some((what, count)) if algorithm == Algorithm::Metis => Err(too_large(what, count)),
            _ => Ok(()),
        }
    }

    /// Assigns the nodes of a graph, which needs no edges where chance does it.
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
            Algorithm::Metis => {
                let assigned = Metis::new(parts).balance(self.balance()).seed(self.seed).assign(graph);
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
        }
    }
}

fn too_large(what: &str, count: usize) -> Box<dyn Error> {
    let most = i32::MAX;
    format!(
        "{count} {what}, METIS takes at most {most}: assign parts with ParMETIS and give its files with --assignments"
    )
    .into()
}

/// The range of `--parts`.
pub(crate) fn count() -> RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=Assignment::MOST_PARTS as i64)
}

/// The number of parts of an assignment in files: what `--parts` says, or what is said beside them.
pub(crate) fn parts_of(folder: &Path, given: Option<u32>) -> Result<usize, AssignmentFileError> {
    let problem = match (given, Assignment::parts_in(folder)?) {
        (Some(given), Some(found)) if given as usize != found => format!("num_parts is {found}, --parts is {given}"),
        (Some(given), _) => return Ok(given as usize),
        (None, Some(found)) => return Ok(found),
        (None, None) => "is not there to say how many parts there are, neither is --parts".into(),
    };
    let path = folder.join("partition_meta.json");
    Err(AssignmentFileError::Io { path, source: io::Error::new(io::ErrorKind::InvalidInput, problem) })
}

/// The graph without edges and features.
pub(crate) fn only_nodes(folder: &Path) -> Result<LargeGraph, ChunkedError> {
    let counts = ChunkedGraph::count_nodes(folder)?;
    let node_types = counts.into_iter().map(|(name, nodes)| NodeType { name, nodes, features: Vec::new() });
    Ok(LargeGraph { node_types: node_types.collect(), ..LargeGraph::default() })
}
