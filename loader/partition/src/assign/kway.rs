//! [`kway`]: METIS's k-way partitioning, through the functions of its C library.

use super::metis_error::MetisError;
use super::undirected::Undirected;
use super::weights::Weights;
use metis_sys::{
    METIS_NOPTIONS, METIS_PartGraphKway, idx_t, rstatus_et_METIS_ERROR_INPUT as INPUT,
    rstatus_et_METIS_ERROR_MEMORY as MEMORY, rstatus_et_METIS_OK as OK,
};
use std::ptr::null_mut;
use std::sync::{Mutex, PoisonError};

/// Numbers of nodes, edges and weights, as METIS counts them: 32 bits, or 64 of an installed METIS.
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
) -> Result<Vec<u16>, MetisError> {
    let (nodes, ends) = (graph.nodes(), graph.neighbours().len());
    check(nodes, ends, weights, volume, Idx::MAX as usize)?;
    let narrow = |number: usize| number as Idx;
    let mut call = Call {
        nodes: narrow(nodes),
        constraints: narrow(weights.len()),
        parts: narrow(parts),
        starts: graph.starts().iter().map(|&start| narrow(start)).collect(),
        neighbours: graph.neighbours().iter().map(|&node| narrow(node as usize)).collect(),
        weights: weights.all().iter().map(|&weight| narrow(weight as usize)).collect(),
        options,
        owners: vec![0; nodes],
    };
    let alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let status = call.run();
    drop(alone);
    let failed = |message: &str| Err(MetisError::Library { message: message.into() });
    match status? {
        OK => Ok(call.owners.into_iter().map(|part| part as u16).collect()),
        INPUT => failed("it refuses the graph or the options"),
        MEMORY => failed("there is not enough memory"),
        _ => failed("it failed"),
    }
}

/// Refuses what METIS's integers, of which `most` is the largest, cannot count or add up.
fn check(nodes: usize, ends: usize, weights: &Weights, volume: bool, most: usize) -> Result<(), MetisError> {
    let fits = |what: &'static str, count: usize| {
        if count <= most { Ok(()) } else { Err(MetisError::TooLarge { what, count, most }) }
    };
    fits("nodes", nodes)?;
    fits("ends of edges", ends)?;
    fits("weights of nodes", weights.all().len())?;
    weights.totals().iter().try_for_each(|&total| fits("edges to balance", total as usize))?;
    // It gives each end of an edge the weight 1 + 1 + 1 then: that of the end, and what both nodes send.
    if volume { fits("weights of edges to send little", ends.saturating_mul(3)) } else { Ok(()) }
}

impl Call {
    /// METIS runs in a process of its own. While it runs it handles SIGTERM and SIGABRT by a jump to the end of the call,
    /// which is undefined in any thread but that of the call: this process must not have these handlers.
    #[cfg(unix)]
    fn run(&mut self) -> Result<i32, MetisError> {
        use std::io::{Read, pipe};
        let system = |source: std::io::Error| MetisError::Process { message: source.to_string() };
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
            _ if libc::WIFSIGNALED(status) => {
                Err(MetisError::Process { message: format!("it ended by signal {}", libc::WTERMSIG(status)) })
            }
            _ => Err(MetisError::Process { message: format!("it ended with status {}", libc::WEXITSTATUS(status)) }),
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
    fn run(&mut self) -> Result<i32, MetisError> {
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
    use crate::assign::weights::Weights;
    use crate::{EdgeType, LargeGraph, NodeType};

    #[test]
    fn what_metis_would_add_up_beyond_its_integers_is_refused() {
        let node = NodeType { name: "n".into(), nodes: 4, ..NodeType::default() };
        let name = ["n", "e", "n"].map(String::from);
        let edge = EdgeType { name, sources: vec![0; 6], targets: vec![1; 6], features: Vec::new() };
        let graph = LargeGraph { name: "g".into(), node_types: vec![node], edge_types: vec![edge] };
        let weights = Weights::new(&graph, None, true).expect("a graph");
        let message = |volume, most| check(4, 10, &weights, volume, most).err().map(|error| error.to_string());
        assert_eq!([message(false, 10), message(true, 30)], [None, None]);
        for (volume, most, expected) in [
            (false, 3, "4 nodes, METIS takes at most 3"),
            (false, 9, "10 ends of edges, METIS takes at most 9"),
            (true, 29, "30 weights of edges to send little, METIS takes at most 29"),
        ] {
            let message = message(volume, most).unwrap_or_default();
            assert!(message.starts_with(expected), "{message}");
        }
        let message = check(4, 4, &weights, false, 5).expect_err("8 weights").to_string();
        assert!(message.starts_with("8 weights of nodes, METIS takes at most 5"), "{message}");
    }
}
