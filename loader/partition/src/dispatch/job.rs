//! [`Job`]: what all ranks of a process work on: options, the folder of temporary files ([`Scratch`]), the memory that parts
//! may take ([`Gate`]), whether to end early ([`Stop`]).

use super::ids::NewIds;
use super::record::{Inputs, Record, inputs};
use super::spills::{Spills, most_open};
use super::{Dispatch, DispatchError, Progress};
use crate::assign::Assignment;
use crate::chunked::ChunkedGraph;
use crate::dgl::PartitionWriter;
use crate::files::temporary;
use crate::{OutputFolder, PartitionBook};
use graphpack_loader::extend::file_error;
use graphpack_loader::{Error, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::{fs, io};

/// Number of bytes of a record without the original position.
pub(super) const RECORD: usize = 12;
/// Number of bytes of a record of an edge to another part.
pub(super) const OUTWARD: usize = RECORD + 8;

/// What all ranks of a process work on, and what they share.
pub(super) struct Job<'a> {
    pub(super) options: &'a Dispatch,
    pub(super) graph: &'a ChunkedGraph,
    assignment: &'a Assignment,
    pub(super) ids: NewIds<'a>,
    out: &'a Path,
    /// The folder of temporary files that all processes share.
    pub(super) temporary: PathBuf,
    pub(super) record: Record,
    /// Where ranks wait until a part fits into memory.
    pub(super) gate: Gate,
    pub(super) stop: Stop,
    /// Reports what has been done.
    pub(super) progress: &'a (dyn Fn(Progress) + Sync),
}

/// Bounds of the number of bytes that a rank reads at a time: so few that the messages of a round have less than 2 GiB,
/// which is the most in MPI.
const LEAST_READ: usize = 64;
const MOST_READ: usize = 32 << 20;

impl<'a> Job<'a> {
    /// Checks that the assignment is for this graph, and numbers the nodes.
    pub(super) fn new(
        options: &'a Dispatch,
        graph: &'a ChunkedGraph,
        assignment: &'a Assignment,
        out: &'a Path,
        progress: &'a (dyn Fn(Progress) + Sync),
    ) -> Result<Self, Error> {
        assignment.check_types(graph.node_types().iter().map(|kind| (kind.name(), kind.nodes())))?;
        let ids = NewIds::new(graph.node_types(), assignment)?;
        let (temporary, record, gate) = (temporary(out), Record::new(out), Gate::new(options.memory));
        let stop = Stop::new(options.stop.clone());
        let job = Self { options, graph, assignment, ids, out, temporary, record, gate, stop, progress };
        PartitionWriter::check_name(out, job.name())?;
        Ok(job)
    }

    /// Claims the folder of the parts, or, if the options say so, what a run with the same inputs has left in it.
    pub(super) fn claim(&self) -> Result<OutputFolder, Error> {
        let (at, inputs) = (file_error(self.out), self.inputs()?);
        if self.options.resume
            && let Some(folder) = OutputFolder::resume(self.out).map_err(&at)?
        {
            if !self.record.check(&inputs)? {
                self.record.start(&inputs)?;
            }
            self.record.tidy(self.parts());
            return Ok(folder);
        }
        let folder = OutputFolder::claim(self.out).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists if self.options.resume && !self.temporary.exists() => {
                at(io::Error::new(error.kind(), "the folder is not empty, and has no unfinished run to resume"))
            }
            _ => at(error),
        })?;
        self.record.start(&inputs)?;
        Ok(folder)
    }

    /// Ends the work in a folder with this result. If there is something to go on from, it stays.
    pub(super) fn finish(&self, folder: OutputFolder, result: Result<(), Error>) -> Result<(), Error> {
        let stopped = result.as_ref().is_err_and(|error| error.kind() == ErrorKind::Stopped);
        match result {
            Ok(()) => {
                folder.keep();
                Ok(())
            }
            Err(error) if stopped || self.options.resume => {
                let (whole, parts) = (self.record.tidy(self.parts()), self.parts());
                if whole > 0 {
                    folder.leave();
                }
                Err(if stopped { DispatchError::Stopped { whole, parts }.into() } else { error })
            }
            Err(error) => Err(error),
        }
    }

    /// The folder for the temporary files of the parts of this process; the folder of parts has been claimed.
    pub(super) fn scratch(&self, process: usize) -> Result<Scratch, Error> {
        match &self.options.scratch {
            Some(scratch) => Scratch::local(scratch, self.out, process),
            None => Ok(Scratch { path: self.temporary.clone(), own: false }),
        }
    }

    /// Number of parts.
    pub(super) fn parts(&self) -> usize {
        self.assignment.parts()
    }

    /// Whether original ids are written.
    pub(super) fn saves_original_ids(&self) -> bool {
        self.options.save_orig_ids
    }

    /// The temporary files for `parts`, of one of `threads` ranks of this process.
    pub(super) fn spills(&self, parts: impl Iterator<Item = usize>, scratch: &Scratch, threads: usize) -> Spills {
        let paths = parts.map(|part| scratch.path.join(format!("part{part}")));
        Spills::new(paths, self.options.memory / (4 * threads), most_open() / threads)
    }

    /// Writes the files of parts.
    pub(super) fn writer(&self, book: PartitionBook) -> Result<PartitionWriter, Error> {
        PartitionWriter::create(self.out, self.name(), "assigned", 1, book)
    }

    /// Bytes that one of `ranks` ranks reads at a time. They are in memory about four times: as they are read, by part,
    /// in messages that are sent and in messages that come.
    pub(super) fn read_bytes(&self, ranks: usize) -> usize {
        (self.options.memory / (8 * ranks)).min((1 << 30) / ranks).clamp(LEAST_READ, MOST_READ)
    }

    /// Bytes of an edge on its way.
    pub(super) fn edge_bytes(&self) -> usize {
        if self.saves_original_ids() { RECORD + 8 } else { RECORD }
    }

    fn name(&self) -> &str {
        self.options.name.as_deref().unwrap_or(self.graph.name())
    }

    fn inputs(&self) -> Result<Inputs, Error> {
        let mut inputs = inputs(self.graph, self.assignment)?;
        inputs.insert("name".into(), self.name().to_owned());
        inputs.insert("save_orig_ids".into(), self.saves_original_ids().to_string());
        // Runs of versions whose parts lack these edges have left another record.
        inputs.insert("edges to other parts".into(), "in both".into());
        Ok(inputs)
    }
}

/// The folder of the temporary files of parts. A folder of this process alone is removed with it.
pub(super) struct Scratch {
    path: PathBuf,
    own: bool,
}

impl Scratch {
    /// A folder in `scratch` for what process `process` has of the parts in `out`, which exists. What a killed run has
    /// left there is removed.
    pub(super) fn local(scratch: &Path, out: &Path, process: usize) -> Result<Self, Error> {
        let whole = out.canonicalize().map_err(file_error(out))?;
        let of = crc32fast::hash(whole.as_os_str().as_encoded_bytes());
        let path = scratch.join(format!("graphpack-{of:08x}-{process}"));
        match fs::remove_dir_all(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(file_error(&path)(error)),
            _ => fs::create_dir(&path).map_err(file_error(&path))?,
        }
        Ok(Self { path, own: true })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if self.own {
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

/// Ranks of a process pass the gate before they make a part. A part above the limit passes alone.
pub(super) struct Gate {
    most: usize,
    used: Mutex<usize>,
    changed: Condvar,
}

/// Bytes that were let in; dropping it frees them.
pub(super) struct Pass<'a> {
    gate: &'a Gate,
    bytes: usize,
}

impl Gate {
    pub(super) fn new(most: usize) -> Self {
        Self { most, used: Mutex::new(0), changed: Condvar::new() }
    }

    /// Waits until there is room.
    pub(super) fn enter(&self, bytes: usize) -> Pass<'_> {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        while *used > 0 && used.saturating_add(bytes) > self.most {
            used = self.changed.wait(used).unwrap_or_else(PoisonError::into_inner);
        }
        // At least one, so that an empty part counts, too.
        let bytes = bytes.clamp(1, usize::MAX - *used);
        *used += bytes;
        Pass { gate: self, bytes }
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        *self.gate.used.lock().unwrap_or_else(PoisonError::into_inner) -= self.bytes;
        self.gate.changed.notify_all();
    }
}

/// Whether the ranks of a process are to end before they are done: because the caller asks for it, or because another
/// rank has ended. They look in each round, part and block of a file.
pub(super) struct Stop {
    asked: Option<Arc<AtomicBool>>,
    ended: AtomicBool,
}

impl Stop {
    /// `asked` is the caller's flag.
    pub(super) fn new(asked: Option<Arc<AtomicBool>>) -> Self {
        Self { asked, ended: AtomicBool::new(false) }
    }

    /// Notes that a rank has ended early.
    pub(super) fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }

    /// Errors if the rank is to end.
    pub(super) fn check(&self) -> Result<(), Error> {
        if self.ended.load(Ordering::Relaxed) {
            return Err(DispatchError::Ended.into());
        }
        match &self.asked {
            Some(asked) if asked.load(Ordering::Relaxed) => Err(DispatchError::Stopped { whole: 0, parts: 0 }.into()),
            _ => Ok(()),
        }
    }
}
