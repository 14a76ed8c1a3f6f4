//! [`Threads`]: ranks that are threads of one process.

use super::exchange::{Exchange, attend};
use super::job::{Job, claim};
use super::rank::Rank;
use super::{Dispatch, DispatchError, Dispatched, Progress};
use crate::{Assignment, ChunkedGraph};
use crossbeam_channel::{Receiver, Sender, bounded};
use std::path::Path;
use std::thread;

/// One of the ranks, with a channel to and from each rank. A rank that failed sends `None`.
pub(super) struct Threads {
    rank: usize,
    to: Vec<Sender<Option<Vec<u8>>>>,
    from: Vec<Receiver<Option<Vec<u8>>>>,
}

impl Threads {
    /// Connects all ranks.
    pub(super) fn new(ranks: usize) -> Vec<Self> {
        let mut all: Vec<_> = (0..ranks).map(|rank| Self { rank, to: Vec::new(), from: Vec::new() }).collect();
        for from in 0..ranks {
            for to in 0..ranks {
                // A rank is at most one message ahead of the others, and may send a failure after that.
                let (sender, receiver) = bounded(3);
                all[from].to.push(sender);
                all[to].from.push(receiver);
            }
        }
        all
    }
}

impl Exchange for Threads {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.to.len()
    }

    fn all_to_all(&mut self, messages: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, DispatchError> {
        for (to, message) in self.to.iter().zip(messages) {
            to.send(Some(message)).map_err(|_| DispatchError::Stopped)?;
        }
        let received = self.from.iter().map(|from| from.recv().ok().flatten().ok_or(DispatchError::Stopped));
        received.collect()
    }

    fn fail(&mut self, _: &DispatchError) {
        for to in &self.to {
            // Ranks that have ended need no message.
            let _ = to.send(None);
        }
    }
}

impl Dispatch {
    /// Writes all parts into a folder that is empty or does not exist; if that fails, the folder is left as it was. All
    /// threads call `progress`.
    pub fn run(
        &self,
        graph: &ChunkedGraph,
        assignment: &Assignment,
        out: impl AsRef<Path>,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<Dispatched, DispatchError> {
        let threads = self.threads;
        if threads == 0 {
            return Err(DispatchError::Threads { threads });
        }
        let job = Job::new(self, graph, assignment, out.as_ref(), progress)?;
        let folder = claim(out.as_ref())?;
        let threads = threads.min(useful_threads(graph, job.parts())).min(MOST_THREADS);
        let results: Vec<_> = thread::scope(|scope| {
            let (job, mut handles, mut failed) = (&job, Vec::new(), None);
            for mut exchange in Threads::new(threads) {
                let work = move || attend(&mut exchange, |exchange| Rank::new(job, exchange).run());
                match thread::Builder::new().spawn_scoped(scope, work) {
                    Ok(handle) => handles.push(handle),
                    Err(source) => {
                        // The channels of the missing ranks are closed, which ends the others.
                        failed = Some(Err(DispatchError::Spawn { thread: handles.len(), threads, source }));
                        break;
                    }
                }
            }
            let panicked = || DispatchError::Panic { message: "while it ended".into() };
            let done = handles.into_iter().map(|handle| handle.join().unwrap_or_else(|_| Err(panicked())));
            failed.into_iter().chain(done).collect()
        });
        let mut stopped = Err(DispatchError::Stopped);
        for result in results {
            match result {
                Ok(done) => stopped = Ok(done),
                Err(DispatchError::Stopped) => {}
                Err(error) => return Err(error),
            }
        }
        if stopped.is_ok() {
            folder.keep();
        }
        stopped
    }
}

/// There is a channel between any two ranks, and all use the same disks.
const MOST_THREADS: usize = 256;

/// The number of threads that have a file to read or a part to write.
fn useful_threads(graph: &ChunkedGraph, parts: usize) -> usize {
    let edges = graph.edge_types().iter().map(|kind| kind.chunks().len());
    let of_nodes = graph.node_types().iter().flat_map(|kind| kind.features());
    let of_edges = graph.edge_types().iter().flat_map(|kind| kind.features());
    let files = edges.chain(of_nodes.chain(of_edges).map(|feature| feature.files().len()));
    files.fold(parts.max(1), usize::max)
}
