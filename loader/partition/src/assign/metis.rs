//! [`Metis`]: assignments with few edges between parts; [`kway`]: the function of METIS's C library.

use super::assignment::check_parts;
use super::balance::Weights;
use super::undirected::Undirected;
use super::{Assignment, Balance};
use crate::LargeGraph;
use crate::problem::problem;
use graphpack_loader::extend::mix;
use graphpack_loader::{Error, ErrorKind};
use metis_sys::{
    METIS_NOPTIONS, METIS_PartGraphKway, idx_t, mobjtype_et_METIS_OBJTYPE_VOL, moptions_et_METIS_OPTION_DROPEDGES,
    moptions_et_METIS_OPTION_NIPARTS, moptions_et_METIS_OPTION_NITER, moptions_et_METIS_OPTION_OBJTYPE,
    moptions_et_METIS_OPTION_SEED, moptions_et_METIS_OPTION_UFACTOR, rstatus_et_METIS_ERROR_INPUT as INPUT,
    rstatus_et_METIS_ERROR_MEMORY as MEMORY, rstatus_et_METIS_OK as OK,
};
use std::ptr::null_mut;
use std::sync::{Mutex, PoisonError};

/// Assigns nodes to parts by METIS (Karypis and Kumar), so that few edges lead from one part to another and the parts
/// are balanced.
///
/// METIS sees all types as one undirected graph without loops and parallel edges, and runs with DGL's options for
/// graphs whose degrees follow a power law. If it leaves a part above the tolerance, it runs again with the next seed,
/// up to four times, and the best result is returned. [`Balance::quality`] measures it. With few nodes, or few of one
/// kind, balanced parts may not exist. If METIS has too few nodes for a part, the part may be empty.
///
/// On Unix METIS runs in a process of its own, a copy of the calling one (`fork`): it handles signals in a way that no
/// process with several threads stands. If that process ends early, the error says so.
///
/// ```
/// use graphpack_partition::assign::{Balance, Metis};
/// use graphpack_partition::{EdgeType, LargeGraph, NodeType};
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
    tolerance: Option<f64>,
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
        Self { parts, balance: Balance::new(), tolerance: None, volume: false, seed: 0 }
    }

    /// What the parts should have equal amounts of (default: nodes of each type).
    #[must_use]
    pub fn balance(mut self, balance: Balance) -> Self {
        self.balance = balance;
        self
    }

    /// The largest amount that a part may have, divided by the mean: METIS's `ufactor`. The mean rounded up is always
    /// allowed. Default: METIS aims at its own 1.03, and runs again where a part has more than 1.05.
    #[must_use]
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = Some(tolerance);
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
    pub fn assign(&self, graph: &LargeGraph) -> Result<Assignment, Error> {
        let parts = self.parts;
        check_parts(parts)?;
        let tolerance = self.tolerance.unwrap_or(1.05);
        if !(tolerance > 1.0 && tolerance.is_finite()) {
            return Err(problem(ErrorKind::Options, format!("a tolerance of {tolerance}, expected more than 1")));
        }
        let nodes = graph.nodes();
        fits("nodes", nodes, Self::MOST)?;
        fits("edges", graph.edges(), Self::MOST)?;
        let ends = graph.ends()?;
        if nodes < parts && parts > 1 {
            let text = format!("{parts} parts of {nodes} nodes: METIS needs at least one for each part");
            return Err(problem(ErrorKind::Options, text));
        }
        let weights = self.balance.constraints(graph)?;
        if parts == 1 {
            return split(graph, 1, &vec![0; nodes]);
        }
        let undirected =
            Undirected::new(graph, &ends, Self::MOST).map_err(|count| too_large("ends of edges", count, Self::MOST))?;
        let mut best: Option<(f64, Vec<u16>)> = None;
        for attempt in 0..ATTEMPTS {
            let options = self.options(self.seed.wrapping_add(attempt));
            let owners = kway(&undirected, &weights, parts, options, self.volume)?;
            let fullest = weights.fullest(&owners, parts, tolerance);
            if best.as_ref().is_none_or(|(least, _)| fullest < *least) {
                best = Some((fullest, owners));
            }
            if fullest <= 1.0 {
                break;
            }
        }
        let (_, owners) = best.unwrap_or_default();
        split(graph, parts, &owners)
    }

    /// Returns the options that DGL sets, except the one that saves memory by writing files into the current folder.
    fn options(&self, seed: u64) -> Options {
        let mut options = [-1; METIS_NOPTIONS as usize];
        options[moptions_et_METIS_OPTION_NITER as usize] = 1;
        options[moptions_et_METIS_OPTION_NIPARTS as usize] = 1;
        options[moptions_et_METIS_OPTION_DROPEDGES as usize] = 1;
        if self.volume {
            options[moptions_et_METIS_OPTION_OBJTYPE as usize] = mobjtype_et_METIS_OBJTYPE_VOL as Idx;
        }
        if let Some(tolerance) = self.tolerance {
            // In thousandths, at least one.
            options[moptions_et_METIS_OPTION_UFACTOR as usize] = (((tolerance - 1.0) * 1000.0).round() as Idx).max(1);
        }
        // A negative seed stands for METIS's default.
        options[moptions_et_METIS_OPTION_SEED as usize] = (mix(0, seed) >> 33) as Idx;
        options
    }
}

fn fits(what: &'static str, count: usize, most: usize) -> Result<(), Error> {
    if count <= most { Ok(()) } else { Err(too_large(what, count, most)) }
}

fn too_large(what: &str, count: usize, most: usize) -> Error {
    problem(ErrorKind::TooLarge, format!("{count} {what}, METIS takes at most {most}"))
}

/// Splits the parts of all nodes by type.
fn split(graph: &LargeGraph, parts: usize, owners: &[u16]) -> Result<Assignment, Error> {
    let offsets = graph.offsets();
    Assignment::new(parts, offsets.windows(2).map(|range| owners[range[0]..range[1]].to_vec()).collect())
}

/// Numbers of nodes, edges and weights, as METIS counts them, with 32 bits.
pub(super) type Idx = idx_t;
/// METIS's options, -1 for its default.
pub(super) type Options = [Idx; METIS_NOPTIONS as usize];

/// METIS draws from the random generator of the C library, which a process has once.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// What METIS is called with. All numbers, and what it adds up of them, are within [`Idx`].
struct Call {
    nodes: Idx,
    constraints: Idx,
    parts: Idx,
    starts: Vec<Idx>,
    neighbours: Vec<Idx>,
    weights: Vec<Idx>,
    options: Options,
    owners: Vec<Idx>,
}

/// Returns the part of each node. With `volume`, the options ask for little that parts send each other.
pub(super) fn kway(
    graph: &Undirected,
    weights: &Weights,
    parts: usize,
    options: Options,
    volume: bool,
) -> Result<Vec<u16>, Error> {
    let (nodes, ends) = (graph.nodes(), graph.neighbours.len());
    check(nodes, ends, weights, volume, Idx::MAX as usize)?;
    let narrow = |number: usize| number as Idx;
    let mut call = Call {
        nodes: narrow(nodes),
        constraints: narrow(weights.len()),
        parts: narrow(parts),
        starts: graph.starts.iter().map(|&start| narrow(start)).collect(),
        neighbours: graph.neighbours.iter().map(|&node| narrow(node as usize)).collect(),
        weights: weights.rows.iter().map(|&weight| narrow(weight as usize)).collect(),
        options,
        owners: vec![0; nodes],
    };
    let alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let status = call.run();
    drop(alone);
    let failed = |message: &str| Err(problem(ErrorKind::Load, format!("METIS: {message}")));
    match status? {
        OK => Ok(call.owners.into_iter().map(|part| part as u16).collect()),
        INPUT => failed("it refuses the graph or the options"),
        MEMORY => failed("there is not enough memory"),
        _ => failed("it failed"),
    }
}

/// Refuses what METIS's integers, of which `most` is the largest, cannot count or add up.
fn check(nodes: usize, ends: usize, weights: &Weights, volume: bool, most: usize) -> Result<(), Error> {
    let fits = |what, count| fits(what, count, most);
    fits("nodes", nodes)?;
    fits("ends of edges", ends)?;
    fits("weights of nodes", weights.rows.len())?;
    weights.totals.iter().try_for_each(|&total| fits("edges to balance", total as usize))?;
    // It gives each end of an edge the weight 1 + 1 + 1 then: that of the end, and what both nodes send.
    if volume { fits("weights of edges for the least that parts send", ends.saturating_mul(3)) } else { Ok(()) }
}

impl Call {
    /// METIS runs in a process of its own. While it runs it handles SIGTERM and SIGABRT by a jump to the end of the
    /// call, which is undefined in any thread but that of the call: this process must not have these handlers.
    #[cfg(unix)]
    fn run(&mut self) -> Result<i32, Error> {
        use std::io::{Read, pipe};
        let failed = |message: String| problem(ErrorKind::Load, format!("the process of METIS: {message}"));
        let system = |source: std::io::Error| failed(source.to_string());
        let (mut from, to) = pipe().map_err(system)?;
        // SAFETY: both masks are valid for writes. What is blocked here is unblocked below, by both processes.
        let before = unsafe {
            let (mut all, mut before) = (std::mem::zeroed(), std::mem::zeroed());
            libc::sigfillset(&mut all);
            libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut before);
            before
        };
        // SAFETY: the other process has this thread alone. It calls METIS, which needs no lock but those of the C library's
        // memory and output, which are free in it, and then functions that are safe in handlers of signals.
        let child = unsafe { libc::fork() };
        if child == 0 {
            self.child(&before, std::os::fd::AsRawFd::as_raw_fd(&to));
        }
        let forked = if child < 0 { Err(system(std::io::Error::last_os_error())) } else { Ok(()) };
        // SAFETY: the mask is that of this thread before.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &before, null_mut()) };
        forked?;
        drop(to);
        let mut bytes = Vec::new();
        let read = from.read_to_end(&mut bytes);
        let mut status = 0;
        // SAFETY: `status` is valid for writes, and the process is this one's child, for which nothing else waits by number.
        while unsafe { libc::waitpid(child, &mut status, 0) } < 0
            && std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted
        {}
        read.map_err(system)?;
        let (head, owners) = bytes.split_at(bytes.len().min(size_of::<i32>()));
        let all: &mut [u8] = bytemuck::cast_slice_mut(&mut self.owners);
        match (<[u8; 4]>::try_from(head), owners.len() == all.len()) {
            (Ok(head), true) => {
                all.copy_from_slice(owners);
                Ok(i32::from_ne_bytes(head))
            }
            _ if libc::WIFSIGNALED(status) => Err(failed(format!("it ended by signal {}", libc::WTERMSIG(status)))),
            _ => Err(failed(format!("it ended with status {}", libc::WEXITSTATUS(status)))),
        }
    }

    /// The process of METIS: writes the status and the part of each node, and ends. Nothing is allocated in Rust.
    #[cfg(unix)]
    fn child(&mut self, mask: &libc::sigset_t, to: i32) -> ! {
        // SAFETY: these functions may be called after a fork, with any signal and a mask that is valid. What is written is
        // memory of this process.
        unsafe {
            // Where another handled a signal, this one would act in its place.
            for signal in 1..32 {
                if libc::signal(signal, libc::SIG_DFL) == libc::SIG_IGN {
                    libc::signal(signal, libc::SIG_IGN);
                }
            }
            #[cfg(target_os = "linux")]
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            libc::pthread_sigmask(libc::SIG_SETMASK, mask, null_mut());
            let status = self.call().to_ne_bytes();
            for mut bytes in [&status[..], bytemuck::cast_slice(&self.owners)] {
                while !bytes.is_empty() {
                    match libc::write(to, bytes.as_ptr().cast(), bytes.len()) {
                        written @ 1.. => bytes = &bytes[written as usize..],
                        _ if std::io::Error::last_os_error().raw_os_error() == Some(libc::EINTR) => {}
                        _ => libc::_exit(1),
                    }
                }
            }
            libc::_exit(0)
        }
    }

    /// Other systems send no signals that METIS would handle.
    #[cfg(not(unix))]
    fn run(&mut self) -> Result<i32, Error> {
        Ok(self.call())
    }

    fn call(&mut self) -> i32 {
        let mut cut = 0;
        // SAFETY: `starts` ascends from 0 to the length of `neighbours`, which are below `nodes`, by construction of
        // `Undirected`; `Weights` has `constraints` numbers for each node; sums were checked; METIS writes to `cut` and
        // `owners` alone, as numbers are from 0.
        unsafe {
            METIS_PartGraphKway(
                &mut self.nodes,
                &mut self.constraints,
                self.starts.as_mut_ptr(),
                self.neighbours.as_mut_ptr(),
                self.weights.as_mut_ptr(),
                null_mut(),
                null_mut(),
                &mut self.parts,
                null_mut(),
                null_mut(),
                self.options.as_mut_ptr(),
                &mut cut,
                self.owners.as_mut_ptr(),
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::assign::Balance;
    use crate::{Array, EdgeType, LargeGraph, NodeType};

    #[test]
    fn what_metis_would_add_up_beyond_its_integers_is_refused() {
        let one = ("one".to_owned(), Array::of_i64(&[1; 4]));
        let node = NodeType { name: "n".into(), nodes: 4, features: vec![one] };
        let name = ["n", "e", "n"].map(String::from);
        let edge = EdgeType { name, sources: vec![0; 6], targets: vec![1; 6], features: Vec::new() };
        let graph = LargeGraph { name: "g".into(), node_types: vec![node], edge_types: vec![edge] };
        let weights = Balance::new().field("one").edges(true).constraints(&graph).expect("a graph");
        let message = |volume, most| check(4, 10, &weights, volume, most).err().map(|error| error.to_string());
        assert_eq!([message(false, 10), message(true, 30)], [None, None]);
        for (volume, most, expected) in [
            (false, 3, "4 nodes, METIS takes at most 3"),
            (false, 9, "10 ends of edges, METIS takes at most 9"),
            (true, 29, "30 weights of edges for the least that parts send, METIS takes at most 29"),
        ] {
            let message = message(volume, most).unwrap_or_default();
            assert!(message.starts_with(expected), "{message}");
        }
        let message = check(4, 4, &weights, false, 5).expect_err("8 weights").to_string();
        assert!(message.starts_with("8 weights of nodes, METIS takes at most 5"), "{message}");
    }
}
