//! [`Metis`]: parts between which few edges lead.

use super::assignment::check_parts;
use super::repair::repair;
use super::undirected::Undirected;
use super::weights::Weights;
use super::{Assignment, AssignmentError, Balance, BalanceError};
use crate::{GraphError, LargeGraph};
use graphpack_loader::fingerprint::mix;
use metis::option::{NIter, Opt, Seed};
use std::sync::{Mutex, PoisonError};

/// Assigns nodes to parts such that few edges lead from one part to another and all parts have equally much, by METIS (Karypis and Kumar).
///
/// METIS sees all types as one graph, in which edges lead both ways, parallel ones count once and loops not at all; it runs with DGL's options
/// for graphs whose degrees follow a power law. Where it leaves a part with more than the tolerance, nodes are moved to other parts at the
/// least cost in edges. Where that does not suffice, it starts again with the next seed, a few times, and the best of all is taken;
/// [`Balance::quality`] says how good that is. Of few nodes, or few of a kind, no parts may be equal. Where METIS has too few nodes for a part,
/// it writes a line to the standard output and goes on; the part may then be empty.
///
/// ```
/// use graphpack_partition::{Balance, EdgeType, LargeGraph, Metis, NodeType};
///
/// // Two rings.
/// let node = NodeType { name: "_N".into(), nodes: 20, ..NodeType::default() };
/// let edge = EdgeType {
///     name: ["_N".into(), "_E".into(), "_N".into()],
///     sources: (0..20).collect(),
///     targets: (0..20).map(|node| node / 10 * 10 + (node + 1) % 10).collect(),
///     features: Vec::new(),
/// };
/// let graph = LargeGraph { name: "rings".into(), node_types: vec![node], edge_types: vec![edge] };
/// let balance = Balance::new().edges(true);
/// let assignment = Metis::new(2).balance(balance.clone()).seed(7).assign(&graph)?;
/// let quality = balance.quality(&graph, &assignment)?;
/// assert_eq!((quality.edge_cut, quality.worst()), (0, 1.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Metis {
    parts: usize,
    balance: Balance,
    tolerance: f64,
    thorough: bool,
    seed: u64,
}

/// Why there is no assignment.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MetisError {
    /// METIS wants a node for each part.
    #[error("{parts} parts of {nodes} nodes: METIS needs at least one for each part")]
    Nodes {
        /// Number of parts.
        parts: usize,
        /// Number of nodes.
        nodes: usize,
    },
    /// Numbers of METIS have 32 bits.
    #[error(
        "{count} {what}, METIS takes at most {}; assign parts with ParMETIS and read its files with Assignment::read",
        i32::MAX
    )]
    TooLarge {
        /// What there are too many of.
        what: &'static str,
        /// How many there are.
        count: usize,
    },
    /// A tolerance that cannot be.
    #[error("a tolerance of {tolerance}, expected more than 1")]
    Tolerance {
        /// The tolerance.
        tolerance: f64,
    },
    /// METIS gives up.
    #[error("METIS: {message}")]
    Library {
        /// What it says.
        message: String,
    },
    /// There is nothing to balance by.
    #[error(transparent)]
    Balance(#[from] BalanceError),
    /// The number of parts cannot be.
    #[error(transparent)]
    Assignment(#[from] AssignmentError),
    /// The graph contradicts itself.
    #[error(transparent)]
    Graph(#[from] GraphError),
}

/// Times that METIS runs at most.
const ATTEMPTS: u64 = 4;

/// The library draws from the one generator of the C library.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

impl Metis {
    /// So many parts.
    pub fn new(parts: usize) -> Self {
        Self { parts, balance: Balance::new(), tolerance: 1.05, thorough: false, seed: 0 }
    }

    /// What parts should have equally much of (default: nodes of each type).
    #[must_use]
    pub fn balance(mut self, balance: Balance) -> Self {
        self.balance = balance;
        self
    }

    /// How much a part may have, divided by the mean (default: 1.05). A part may always have the mean rounded up.
    #[must_use]
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// METIS's own options instead of DGL's (default: false): about a twelfth less is cut, in two to three times the time.
    #[must_use]
    pub fn thorough(mut self, thorough: bool) -> Self {
        self.thorough = thorough;
        self
    }

    /// Seed of METIS (default: 0). The same seed gives the same parts wherever the C library has the same `rand`.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The part of each node.
    pub fn assign(&self, graph: &LargeGraph) -> Result<Assignment, MetisError> {
        let parts = self.parts;
        check_parts(parts)?;
        if !(self.tolerance > 1.0 && self.tolerance.is_finite()) {
            return Err(MetisError::Tolerance { tolerance: self.tolerance });
        }
        let nodes = graph.nodes();
        fits("nodes", nodes)?;
        fits("edges", graph.edges())?;
        let ends = graph.ends()?;
        if nodes < parts && parts > 1 {
            return Err(MetisError::Nodes { parts, nodes });
        }
        let weights = self.balance.weights(graph)?;
        if parts == 1 {
            return Ok(split(graph, 1, &vec![0; nodes])?);
        }
        // METIS adds up weights, and numbers all of them, with 32 bits.
        fits("weights of nodes", weights.all().len())?;
        weights.totals().iter().try_for_each(|&total| fits("edges to balance", total as usize))?;
        let undirected = Undirected::new(graph, &ends, i32::MAX as usize)
            .map_err(|count| MetisError::TooLarge { what: "ends of edges", count })?;
        let mut best: Option<(f64, Vec<u16>)> = None;
        for attempt in 0..ATTEMPTS {
            let mut owners = self.run(&undirected, &weights, self.seed.wrapping_add(attempt))?;
            let fullest = repair(&undirected, &weights, &mut owners, parts, self.tolerance);
            if best.as_ref().is_none_or(|(least, _)| fullest < *least) {
                best = Some((fullest, owners));
            }
            if fullest <= 1.0 {
                break;
            }
        }
        let (_, owners) = best.unwrap_or_default();
        Ok(split(graph, parts, &owners)?)
    }

    fn run(&self, graph: &Undirected, weights: &Weights, seed: u64) -> Result<Vec<u16>, MetisError> {
        let constraints = weights.len() as i32;
        let of: Vec<i32> = weights.all().iter().map(|&weight| weight as i32).collect();
        let mut owners = vec![0; graph.nodes()];
        let library = |error: &dyn std::fmt::Display| MetisError::Library { message: error.to_string() };
        let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        metis::Graph::new(constraints, self.parts as i32, graph.starts(), graph.neighbours())
            .map_err(|error| library(&error))?
            .set_vwgt(&of)
            .set_options(&options(seed, self.thorough))
            .part_kway(&mut owners)
            .map_err(|error| library(&error))?;
        Ok(owners.into_iter().map(|part| part as u16).collect())
    }
}

/// As DGL sets them. What it sets beside, to keep less in memory, writes files into the current folder.
fn options(seed: u64, thorough: bool) -> [i32; metis::NOPTIONS] {
    let mut options = [-1; metis::NOPTIONS];
    if !thorough {
        options[NIter::INDEX] = 1;
        options[INITIAL_PARTITIONS] = 1;
        options[DROP_EDGES] = 1;
    }
    // Negative seeds stand for the library's own.
    options[Seed::INDEX] = (mix(0, seed) >> 33) as i32;
    options
}

/// `METIS_OPTION_NIPARTS` and `METIS_OPTION_DROPEDGES` of METIS 5.2, which the library has no names for.
const INITIAL_PARTITIONS: usize = 6;
const DROP_EDGES: usize = 19;

fn fits(what: &'static str, count: usize) -> Result<(), MetisError> {
    if count <= i32::MAX as usize { Ok(()) } else { Err(MetisError::TooLarge { what, count }) }
}

/// Parts of nodes type by type.
fn split(graph: &LargeGraph, parts: usize, owners: &[u16]) -> Result<Assignment, AssignmentError> {
    let offsets = graph.offsets();
    Assignment::new(parts, offsets.windows(2).map(|range| owners[range[0]..range[1]].to_vec()).collect())
}
