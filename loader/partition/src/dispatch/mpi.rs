//! [`MpiRanks`]: ranks that are processes started by mpirun.

use super::exchange::{Exchange, attend};
use super::job::{Job, claim};
use super::rank::Rank;
use super::{Dispatch, DispatchError, Dispatched, Progress};
use crate::{Assignment, ChunkedGraph};
use mpi::Count;
use mpi::datatype::{Partition, PartitionMut};
use mpi::environment::Universe;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives, Root};
use std::path::Path;

/// The processes that mpirun started, seen from this one. They must share a file system.
pub struct MpiRanks {
    world: SimpleCommunicator,
    /// Ends MPI when it is dropped.
    _universe: Universe,
}

/// Sent by a rank that failed instead of the length of its message.
const FAILED: u64 = u64::MAX;

impl MpiRanks {
    /// Initializes MPI, which a process can do once.
    pub fn new() -> Result<Self, DispatchError> {
        let problem = || DispatchError::Mpi { problem: "it was initialized before in this process".into() };
        let universe = mpi::initialize().ok_or_else(problem)?;
        Ok(Self { world: universe.world(), _universe: universe })
    }

    /// The number of this process, from 0.
    pub fn rank(&self) -> usize {
        self.world.rank() as usize
    }

    /// Number of processes.
    pub fn ranks(&self) -> usize {
        self.world.size() as usize
    }

    /// Waits for all ranks.
    pub fn wait(&self) {
        self.world.barrier();
    }

    /// Exchanges the lengths of messages and returns them by rank. If ranks have failed, returns the error of the first
    /// one.
    fn lengths(&mut self, own: &[u64], error: Option<&DispatchError>) -> Result<Vec<u64>, DispatchError> {
        let mut lengths = vec![0; self.ranks()];
        self.world.all_to_all_into(own, &mut lengths[..]);
        let Some(rank) = lengths.iter().position(|&length| length == FAILED) else { return Ok(lengths) };
        let root = self.world.process_at_rank(rank as i32);
        let mut message = error.filter(|_| rank == self.rank()).map_or(Vec::new(), |error| error.to_string().into());
        let mut length = message.len() as u64;
        root.broadcast_into(&mut length);
        // Not empty, for the reason given below.
        message.resize((length as usize).max(1), 0);
        root.broadcast_into(&mut message[..]);
        Err(DispatchError::Rank { rank, message: String::from_utf8_lossy(&message).into_owned() })
    }
}

impl Exchange for MpiRanks {
    fn rank(&self) -> usize {
        Self::rank(self)
    }

    fn ranks(&self) -> usize {
        Self::ranks(self)
    }

    fn all_to_all(&mut self, messages: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, DispatchError> {
        // Counts and offsets have 32 bits.
        let most = Count::MAX as usize / self.ranks();
        if let Some(long) = messages.iter().find(|message| message.len() > most) {
            let problem = format!("a message of {} bytes, at most {most} between {} ranks", long.len(), self.ranks());
            return Err(DispatchError::Mpi { problem });
        }
        let own: Vec<u64> = messages.iter().map(|message| message.len() as u64).collect();
        let lengths = self.lengths(&own, None)?;
        let [sent, received] =
            [own, lengths].map(|lengths| -> Vec<Count> { lengths.into_iter().map(|length| length as Count).collect() });
        let mut outgoing = messages.concat();
        drop(messages);
        let mut incoming = vec![0_u8; received.iter().map(|&count| count as usize).sum()];
        // The address of an empty vector of bytes is 1, which Open MPI mistakes for MPI_IN_PLACE.
        outgoing.push(0);
        incoming.push(0);
        let [starts_sent, starts_received] = [&sent, &received].map(|counts| starts(counts));
        let outgoing = Partition::new(&outgoing[..], &sent[..], &starts_sent[..]);
        let mut all = PartitionMut::new(&mut incoming[..], &received[..], &starts_received[..]);
        self.world.all_to_all_varcount_into(&outgoing, &mut all);
        let message = |(&start, &count): (&Count, &Count)| incoming[start as usize..][..count as usize].to_vec();
        Ok(starts_received.iter().zip(&received).map(message).collect())
    }

    fn fail(&mut self, error: &DispatchError) {
        let own = vec![FAILED; self.ranks()];
        // The error is known already.
        let _ = self.lengths(&own, Some(error));
    }
}

fn starts(counts: &[Count]) -> Vec<Count> {
    let next = |sum: &mut Count, &count: &Count| {
        *sum += count;
        Some(*sum - count)
    };
    counts.iter().scan(0, next).collect()
}

impl Dispatch {
    /// Does what [`Dispatch::run`] does by all processes that mpirun started; `threads` is ignored. Each process calls
    /// `open` to open the graph and the assignment. If a rank fails, all return an error: the rank that failed returns
    /// its own, the others [`DispatchError::Rank`].
    pub fn run_mpi(
        &self,
        ranks: &mut MpiRanks,
        open: impl FnOnce() -> Result<(ChunkedGraph, Assignment), DispatchError>,
        out: impl AsRef<Path>,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<Dispatched, DispatchError> {
        let out = out.as_ref();
        let mut folder = None;
        let result = attend(ranks, |ranks| {
            if Exchange::rank(ranks) == 0 {
                folder = Some(claim(out)?);
            }
            let (graph, assignment) = open()?;
            ranks.barrier()?;
            let job = Job::new(self, &graph, &assignment, out, progress)?;
            Rank::new(&job, ranks).run()
        });
        if let Some(folder) = folder.filter(|_| result.is_ok()) {
            folder.keep();
        }
        result
    }
}
