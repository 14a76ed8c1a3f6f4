//! [`Dispatch::run`]: starts the ranks of a process and ends them together.

use super::hub::Hub;
use super::job::Job;
use super::processes::{OneProcess, Processes, caught, in_each};
use super::rank::Rank;
use super::record::Record;
use super::{Dispatch, DispatchError, Dispatched, Progress};
use crate::assign::Assignment;
use crate::chunked::ChunkedGraph;
use graphpack_loader::Error;
use std::path::Path;
use std::thread;

/// All ranks of a process meet in one thread, and use the same disks.
pub(super) const MOST_THREADS: usize = 256;

impl Dispatch {
    /// Whether a run that was killed or stopped has left something in a folder that another can go on from.
    pub fn can_resume(out: impl AsRef<Path>) -> bool {
        Record::new(out.as_ref()).exists()
    }

    /// Writes all parts into a folder that is empty or does not exist. If that fails, the folder is left as it was, or
    /// with whole parts alone: see [`resume`](Self::resume) and [`stop`](Self::stop). All threads call `progress`.
    pub fn run(
        &self,
        graph: &ChunkedGraph,
        assignment: &Assignment,
        out: impl AsRef<Path>,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<Dispatched, Error> {
        let threads = self.threads.min(useful_threads(graph, assignment.parts()));
        self.run_in(&mut OneProcess, threads, graph, assignment, out.as_ref(), progress)
    }

    /// Does the work of this process, by `threads` ranks in each process.
    pub(super) fn run_in(
        &self,
        processes: &mut impl Processes,
        threads: usize,
        graph: &ChunkedGraph,
        assignment: &Assignment,
        out: &Path,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<Dispatched, Error> {
        let threads = threads.min(MOST_THREADS);
        let (process, first) = (processes.process(), processes.process() * threads);
        let (job, folder) = in_each(processes, first, || {
            if threads == 0 {
                return Err(DispatchError::Threads { threads }.into());
            }
            let job = Job::new(self, graph, assignment, out, progress)?;
            let folder = (process == 0).then(|| job.claim()).transpose()?;
            Ok((job, folder))
        })?;
        let result = in_each(processes, first, || job.scratch(process)).and_then(|scratch| {
            let (hub, exchanges) = Hub::new(processes, threads);
            let mut done = None;
            thread::scope(|scope| -> Result<(), Error> {
                let (job, scratch, mut ranks) = (&job, &scratch, Vec::new());
                for (thread, exchange) in exchanges.iter().enumerate() {
                    let work = move || {
                        let result = caught(|| Rank::new(job, exchange, scratch, threads).run());
                        let (done, end) = match result {
                            Ok(done) => (Some(done), Ok(())),
                            Err(error) => (None, Err(error)),
                        };
                        exchange.end(end);
                        done
                    };
                    match thread::Builder::new().spawn_scoped(scope, work) {
                        Ok(rank) => ranks.push(rank),
                        Err(source) => exchange.end(Err(DispatchError::Spawn { thread, threads, source }.into())),
                    }
                }
                hub.serve(processes, &job.stop)?;
                // They have sent their last letters.
                done = ranks.into_iter().filter_map(|rank| rank.join().ok().flatten()).next();
                Ok(())
            })?;
            done.ok_or_else(|| DispatchError::Ended.into())
        });
        let (done, result) = match result {
            Ok(done) => (Some(done), Ok(())),
            Err(error) => (None, Err(error)),
        };
        match folder {
            Some(folder) => job.finish(folder, result)?,
            None => result?,
        }
        done.ok_or_else(|| DispatchError::Ended.into())
    }
}

/// The number of threads that have a file to read or a part to write.
fn useful_threads(graph: &ChunkedGraph, parts: usize) -> usize {
    let edges = graph.edge_types().iter().map(|kind| kind.chunks().len());
    let files = edges.chain(graph.features().map(|feature| feature.files().len()));
    files.fold(parts.max(1), usize::max)
}
