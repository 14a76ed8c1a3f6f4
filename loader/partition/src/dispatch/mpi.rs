//! [`MpiRanks`]: the processes that mpirun started.

use super::processes::{Messages, Processes, in_each};
use super::{Dispatch, DispatchError, Dispatched, Progress};
use crate::assign::Assignment;
use crate::chunked::ChunkedGraph;
use graphpack_loader::Error;
use mpi::datatype::{Partition, PartitionMut};
use mpi::environment::Universe;
use mpi::request::{Request, StaticScope};
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives, Destination, Root, Source};
use mpi::{Count, Tag, Threading};
use std::path::Path;

/// The processes that mpirun started, seen from this one. They must share a file system.
pub struct MpiRanks {
    world: SimpleCommunicator,
    /// Ranks in each process.
    threads: usize,
    /// Which processes have announced that they fail.
    announced: Vec<bool>,
    /// Own announcements that others may not have received yet.
    sent: Vec<Request<'static, u8, StaticScope>>,
    /// Ends MPI when it is dropped.
    _universe: Universe,
}

/// Sent instead of the length of a message by a process that failed, or that was stopped.
const FAILED: u64 = u64::MAX;
const STOPPED: u64 = u64::MAX - 1;
/// Marks the message that announces one of these.
const ANNOUNCES: Tag = 1;
/// What it says.
static NOTHING: u8 = 0;

impl MpiRanks {
    /// Initializes MPI, which a process can do once. Only this thread may use it.
    pub fn new() -> Result<Self, Error> {
        let problem =
            || Error::from(DispatchError::Mpi { problem: "it was initialized before in this process".into() });
        let (universe, _) = mpi::initialize_with_threading(Threading::Funneled).ok_or_else(problem)?;
        let world = universe.world();
        let announced = vec![false; world.size() as usize];
        Ok(Self { announced, sent: Vec::new(), world, threads: 1, _universe: universe })
    }

    /// The number of this process, from 0.
    pub fn rank(&self) -> usize {
        self.world.rank() as usize
    }

    /// Number of processes.
    pub fn ranks(&self) -> usize {
        self.world.size() as usize
    }

    /// Waits for all processes.
    pub fn wait(&self) {
        self.world.barrier();
    }

    /// Exchanges a number with each process. If processes have failed or were stopped, returns the error of the first.
    fn numbers(&mut self, own: &[u64], error: Option<&Error>) -> Result<Vec<u64>, Error> {
        let mut numbers = vec![0; self.ranks()];
        self.world.all_to_all_into(own, &mut numbers[..]);
        for process in (0..numbers.len()).filter(|&process| numbers[process] >= STOPPED) {
            self.hear(process);
        }
        // The others have come as far as this one, and hear it.
        self.sent.drain(..).for_each(Request::wait_without_status);
        let Some(process) = numbers.iter().position(|&number| number == FAILED) else {
            let stopped = numbers.contains(&STOPPED);
            return if stopped { Err(DispatchError::Stopped { whole: 0, parts: 0 }.into()) } else { Ok(numbers) };
        };
        let root = self.world.process_at_rank(process as i32);
        let (mut rank, mut message) = (0, Vec::new());
        if let Some(error) = error.filter(|_| process == self.rank()) {
            (rank, message) = match error.cause() {
                Some(DispatchError::Rank { rank, source }) => (*rank as u64, source.to_string().into()),
                _ => (0, error.to_string().into()),
            };
        }
        let mut length = message.len() as u64;
        root.broadcast_into(&mut length);
        root.broadcast_into(&mut rank);
        // The address of an empty vector of bytes is 1, which Open MPI mistakes for MPI_IN_PLACE.
        message.resize((length as usize).max(1), 0);
        root.broadcast_into(&mut message[..]);
        let message = String::from_utf8_lossy(&message).into_owned();
        Err(DispatchError::Rank { rank: rank as usize, source: DispatchError::Elsewhere { message }.into() }.into())
    }

    /// Receives the announcement of another process, which it has sent or will send, unless that was done before.
    fn hear(&mut self, process: usize) {
        if process != self.rank() && !self.announced[process] {
            self.world.process_at_rank(process as i32).receive_with_tag::<u8>(ANNOUNCES);
            self.announced[process] = true;
        }
    }
}

impl Processes for MpiRanks {
    fn process(&self) -> usize {
        self.rank()
    }

    fn processes(&self) -> usize {
        self.ranks()
    }

    fn all_to_all(&mut self, messages: Messages) -> Result<Messages, Error> {
        let (threads, processes) = (self.threads, self.ranks());
        let to = |process: usize| process * threads..(process + 1) * threads;
        let length =
            |process| -> usize { messages.iter().flat_map(|of| &of[to(process)]).map(|one| 8 + one.len()).sum() };
        let lengths: Vec<usize> = (0..processes).map(length).collect();
        // Counts and offsets have 32 bits.
        let most = Count::MAX as usize / processes;
        if let Some(long) = lengths.iter().find(|&&length| length > most) {
            let problem = format!("a message of {long} bytes, at most {most} between {processes} processes");
            self.announce();
            return Err(self.fail(DispatchError::Mpi { problem }.into()));
        }
        let own: Vec<u64> = lengths.iter().map(|&length| length as u64).collect();
        let received = self.numbers(&own, None)?;
        let [sent, received] = [own, received]
            .map(|lengths| -> Vec<Count> { lengths.into_iter().map(|length| length as Count).collect() });
        let mut outgoing = Vec::with_capacity(lengths.iter().sum::<usize>() + 1);
        for process in 0..processes {
            for message in messages.iter().flat_map(|of| &of[to(process)]) {
                outgoing.extend_from_slice(&(message.len() as u64).to_le_bytes());
                outgoing.extend_from_slice(message);
            }
        }
        drop(messages);
        let mut incoming = vec![0_u8; received.iter().map(|&count| count as usize).sum::<usize>() + 1];
        // Neither may be empty, for the reason given above.
        outgoing.push(0);
        let [starts_sent, starts_received] = [&sent, &received].map(|counts| starts(counts));
        let outgoing = Partition::new(&outgoing[..], &sent[..], &starts_sent[..]);
        let mut all = PartitionMut::new(&mut incoming[..], &received[..], &starts_received[..]);
        self.world.all_to_all_varcount_into(&outgoing, &mut all);
        let mut by_thread: Messages = vec![Vec::new(); threads];
        for (rank, (&start, &count)) in starts_received.iter().zip(&received).enumerate() {
            let mut message = &incoming[start as usize..][..count as usize];
            // From each rank there, first to last, to each here.
            for to in (0..threads * threads).map(|pair| pair % threads) {
                let Some(one) = split(&mut message) else {
                    self.announce();
                    return Err(self.fail(DispatchError::Message { rank, bytes: message.len() }.into()));
                };
                by_thread[to].push(one.to_vec());
            }
        }
        Ok(by_thread)
    }

    fn barrier(&mut self) -> Result<(), Error> {
        self.numbers(&vec![0; self.ranks()], None).map(drop)
    }

    fn announce(&mut self) {
        // The others may look only after their next part, or all announce at the same time: none may wait for another
        // here, whatever MPI buffers.
        let own = self.rank();
        for process in (0..self.ranks()).filter(|&process| process != own) {
            let to = self.world.process_at_rank(process as i32);
            self.sent.push(to.immediate_synchronous_send_with_tag(StaticScope, &NOTHING, ANNOUNCES));
        }
    }

    fn announced(&mut self) -> bool {
        if let Some(status) = self.world.any_process().immediate_probe_with_tag(ANNOUNCES) {
            self.hear(status.source_rank() as usize);
        }
        self.announced.contains(&true)
    }

    fn fail(&mut self, error: Error) -> Error {
        let own = match error.cause() {
            Some(DispatchError::Ended) => 0,
            Some(DispatchError::Stopped { .. }) => STOPPED,
            _ => FAILED,
        };
        let first = self.numbers(&vec![own; self.ranks()], Some(&error)).err();
        if own == FAILED { error } else { first.unwrap_or(error) }
    }
}

/// Takes a message with its length before it from the start of `bytes`.
fn split<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, rest) = bytes.split_first_chunk()?;
    let (message, rest) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
    *bytes = rest;
    Some(message)
}

fn starts(counts: &[Count]) -> Vec<Count> {
    let next = |sum: &mut Count, &count: &Count| {
        *sum += count;
        Some(*sum - count)
    };
    counts.iter().scan(0, next).collect()
}

impl Dispatch {
    /// Writes all parts as [`Dispatch::run`] does, by all processes that mpirun started. Each has the threads of these
    /// options, which share 6 bytes per node. Each process calls `open` to open the graph and the assignment. If a rank fails,
    /// all return an error that names it.
    pub fn run_mpi(
        &self,
        ranks: &mut MpiRanks,
        open: impl FnOnce() -> Result<(ChunkedGraph, Assignment), Error>,
        out: impl AsRef<Path>,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<Dispatched, Error> {
        let threads = self.threads.min(super::run::MOST_THREADS);
        ranks.threads = threads;
        // Of a run before, whose announcements have all come.
        ranks.announced.fill(false);
        let all = ranks.numbers(&vec![threads as u64; ranks.ranks()], None)?;
        if all.iter().any(|&other| other != all[0]) {
            return Err(DispatchError::Mpi {
                problem: format!("processes with {all:?} threads, expected equal numbers"),
            }
            .into());
        }
        let first = ranks.rank() * threads;
        let (graph, assignment) = in_each(ranks, first, open)?;
        self.run_in(ranks, threads, &graph, &assignment, out.as_ref(), progress)
    }
}
