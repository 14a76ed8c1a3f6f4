//! [`Metis`]: assignments with few edges between parts.

use super::assignment::check_parts;
use super::kway::{Idx, Options, kway};
use super::metis_error::MetisError;
use super::undirected::Undirected;
use super::{Assignment, AssignmentError, Balance};
use crate::LargeGraph;
use graphpack_loader::fingerprint::mix;
use metis_sys::{
    METIS_NOPTIONS, mobjtype_et_METIS_OBJTYPE_VOL, moptions_et_METIS_OPTION_DROPEDGES,
    moptions_et_METIS_OPTION_NIPARTS, moptions_et_METIS_OPTION_NITER, moptions_et_METIS_OPTION_OBJTYPE,
    moptions_et_METIS_OPTION_SEED,
};

/// Assigns nodes to parts by METIS (Karypis and Kumar), so that few edges lead from one part to another and the parts
/// are balanced.
///
/// METIS sees all types as one undirected graph without loops and parallel edges, and runs with DGL's options for
/// graphs whose degrees follow a power law. If it leaves a part above the tolerance, it runs again with the next seed,
/// up to four times, and the best result is returned. [`Balance::quality`] measures it. With few nodes, or few of one
/// kind, balanced parts may not exist. If METIS has too few nodes for a part, the part may be empty.
///
/// On Unix METIS runs in a process of its own, a copy of the calling one (`fork`): it handles signals in a way that no
/// process with several threads stands. If that process ends early, [`MetisError::Process`] says so.
///
/// ```
/// use graphpack_partition::{Balance, EdgeType, LargeGraph, Metis, NodeType};
///
/// // Two rings of ten nodes.
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
    volume: bool,
    seed: u64,
}

/// The largest number of times that METIS runs.
const ATTEMPTS: u64 = 4;

impl Metis {
    /// The most nodes, edges and ends of edges that METIS takes.
    pub const MOST: usize = Idx::MAX as usize;

    /// Assigns to `parts` parts with the default options.
    pub fn new(parts: usize) -> Self {
        Self { parts, balance: Balance::new(), tolerance: 1.05, thorough: false, volume: false, seed: 0 }
    }

    /// What the parts should have equal amounts of (default: nodes of each type).
    #[must_use]
    pub fn balance(mut self, balance: Balance) -> Self {
        self.balance = balance;
        self
    }

    /// The largest amount that a part may have, divided by the mean (default: 1.05). The mean rounded up is always
    /// allowed.
    #[must_use]
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// Whether to use METIS's own options instead of DGL's (default: false): they cut about a twelfth fewer edges in
    /// two to three times the time.
    #[must_use]
    pub fn thorough(mut self, thorough: bool) -> Self {
        self.thorough = thorough;
        self
    }

    /// Whether METIS minimises what parts send each other instead of the edges that are cut (default: false): DGL's
    /// `objtype="vol"`. A node counts once for each other part that has neighbours of it.
    #[must_use]
    pub fn volume(mut self, volume: bool) -> Self {
        self.volume = volume;
        self
    }

    /// Random seed of METIS (default: 0). The same seed gives the same parts wherever the C library has the same
    /// `rand`.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Computes the part of each node.
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
        let undirected = Undirected::new(graph, &ends, Self::MOST).map_err(|count| MetisError::TooLarge {
            what: "ends of edges",
            count,
            most: Self::MOST,
        })?;
        let mut best: Option<(f64, Vec<u16>)> = None;
        for attempt in 0..ATTEMPTS {
            let options = self.options(self.seed.wrapping_add(attempt));
            let owners = kway(&undirected, &weights, parts, options, self.volume)?;
            let fullest = weights.fullest(&owners, parts, self.tolerance);
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

    /// Returns the options that DGL sets, except the one that saves memory by writing files into the current folder.
    fn options(&self, seed: u64) -> Options {
        let mut options = [-1; METIS_NOPTIONS as usize];
        if !self.thorough {
            options[moptions_et_METIS_OPTION_NITER as usize] = 1;
            options[moptions_et_METIS_OPTION_NIPARTS as usize] = 1;
            options[moptions_et_METIS_OPTION_DROPEDGES as usize] = 1;
        }
        if self.volume {
            options[moptions_et_METIS_OPTION_OBJTYPE as usize] = mobjtype_et_METIS_OBJTYPE_VOL as Idx;
        }
        // A negative seed stands for METIS's default.
        options[moptions_et_METIS_OPTION_SEED as usize] = (mix(0, seed) >> 33) as Idx;
        options
    }
}

fn fits(what: &'static str, count: usize) -> Result<(), MetisError> {
    let most = Metis::MOST;
    if count <= most { Ok(()) } else { Err(MetisError::TooLarge { what, count, most }) }
}

/// Splits the parts of all nodes by type.
fn split(graph: &LargeGraph, parts: usize, owners: &[u16]) -> Result<Assignment, AssignmentError> {
    let offsets = graph.offsets();
    Assignment::new(parts, offsets.windows(2).map(|range| owners[range[0]..range[1]].to_vec()).collect())
}
