//! [`Method`]: how nodes are assigned to parts, as flags say it.

use super::kaminpar::kaminpar;
use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use graphpack_loader::ErrorKind;
use graphpack_partition::{Assignment, Balance, LargeGraph, Metis};
use std::error::Error;
use std::fmt::Display;

pub(crate) const TWO_STEPS: &str = "--method stream takes two steps: graphpack assign, then --assignments";

/// How nodes are assigned to parts.
#[derive(clap::Args)]
pub(crate) struct Method {
    /// METIS balances the nodes of each value of this feature, too, such as train_mask
    #[arg(long, value_name = "FIELD")]
    balance_ntypes: Option<String>,
    /// METIS balances edges, too
    #[arg(long)]
    balance_edges: bool,
    /// What METIS makes small: edges between parts, or the nodes that parts send each other [default: cut]
    #[arg(long, value_enum)]
    objtype: Option<Objective>,
    /// Seed of the random numbers of all methods but stream, which has none [default: 0]
    #[arg(long)]
    seed: Option<u64>,
}

/// What METIS makes small, with DGL's names.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Objective {
    Cut,
    Vol,
}

/// The methods that assign nodes to parts.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Algorithm {
    /// At random, equal numbers of nodes
    Random,
    /// Few edges between parts
    Metis,
    /// Few edges between parts, for more than METIS takes, by KaMinPar of `pip install kaminpar`; balances nodes alone
    Kaminpar,
    /// While edges are read, for what no memory holds; balances nodes of each type, and edges
    Stream,
}

impl Method {
    /// Returns what METIS balances, which quality is measured by, too.
    pub(crate) fn balance(&self) -> Balance {
        let balance = Balance::new().edges(self.balance_edges);
        match &self.balance_ntypes {
            Some(field) => balance.field(field),
            None => balance,
        }
    }

    /// Whether this feature is balanced.
    pub(crate) fn balances(&self, feature: &str) -> bool {
        self.balance_ntypes.as_deref() == Some(feature)
    }

    /// Refuses flags and graphs that an algorithm does not take, before the graph is read.
    pub(crate) fn check(
        &self,
        algorithm: Algorithm,
        parts: usize,
        [nodes, edges]: [usize; 2],
    ) -> Result<(), Box<dyn Error>> {
        let metis = algorithm == Algorithm::Metis;
        let of_metis = [
            ("--balance-ntypes", self.balance_ntypes.is_some()),
            ("--balance-edges", self.balance_edges),
            ("--objtype", self.objtype.is_some()),
        ];
        if let Some((flag, _)) = of_metis.into_iter().find(|&(_, given)| given && !metis) {
            return Err(format!("{flag}: --method metis takes it, --method {} does not", algorithm.name()).into());
        }
        if self.seed.is_some() && algorithm == Algorithm::Stream {
            return Err("--seed: --method stream does not take it".into());
        }
        if parts > nodes {
            return Err(format!("{parts} parts of {nodes} nodes: there must be a node for each part").into());
        }
        match [("nodes", nodes), ("edges", edges)].into_iter().find(|&(_, count)| count > Metis::MOST) {
            Some((what, count)) if metis => {
                Err(too_large(format_args!("{count} {what}, METIS takes at most {}", Metis::MOST), nodes))
            }
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
        let seed = self.seed.unwrap_or(0);
        match algorithm {
            Algorithm::Random => Ok(Assignment::random(graph, parts, seed)?),
            Algorithm::Kaminpar => kaminpar(graph, parts, seed),
            Algorithm::Stream => Err(TWO_STEPS.into()),
            Algorithm::Metis => {
                let metis = Metis::new(parts).balance(self.balance()).volume(self.objtype == Some(Objective::Vol));
                let assigned = metis.seed(seed).assign(graph);
                assigned.map_err(|error| match error.kind() {
                    ErrorKind::TooLarge => too_large(error, graph.nodes()),
                    _ => error.into(),
                })
            }
        }
    }
}

/// Offers all methods but `stream`, which is parsed only to say that it takes two steps.
pub(crate) fn in_one_step() -> impl TypedValueParser<Value = Algorithm> {
    let all = Algorithm::value_variants().iter();
    let offered = all.filter_map(|one| Some(one.to_possible_value()?.hide(*one == Algorithm::Stream)));
    PossibleValuesParser::new(offered).try_map(|name| Algorithm::from_str(&name, false))
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

fn too_large(problem: impl Display, nodes: usize) -> Box<dyn Error> {
    let memory = u32::MAX;
    let instead = if nodes > memory as usize {
        "graphpack assign --from takes what another program has assigned".into()
    } else if nodes > Metis::MOST {
        format!("graphpack assign --method stream and --method kaminpar take up to {memory}")
    } else {
        format!("graphpack assign --method stream takes more edges, and --method kaminpar up to {memory}")
    };
    format!("{problem}: {instead}").into()
}
