//! [`Positioned`]: files whose graphs are read by position when a batch needs them, all of the batch together.

use super::Store;
use super::chunks::{Chunks, Rows, RunRows};
use super::pages::PAGE;
use super::read_at::Handles;
use super::store::counted;
use super::stored_file::StoredFile;
use crate::error::{BoxError, Error, file_error};
use crate::layout::Slot;
use std::cell::RefCell;
use std::io;
use std::ops::Range;
use std::sync::{Arc, Weak};

/// Bytes around a chunk that the system fetches with it, if it has to: other chunks of the block are needed soon.
const AROUND: u64 = 1 << 17;

/// Files whose graphs are read by position, when a batch needs them.
#[derive(Debug)]
pub(super) struct Positioned {
    files: Vec<StoredFile>,
    handles: Handles,
    /// The number of the first chunk of each file.
    first: Vec<usize>,
    /// Graphs of a chunk.
    each: usize,
    /// The most bytes of a chunk that is kept.
    most: usize,
    /// The most columns of a file.
    columns: usize,
    chunks: Chunks,
    /// Tells these files from others, and lives as long as they do.
    alive: Arc<()>,
}

/// The bytes of some files that a thread has read.
struct OfThread {
    files: Weak<()>,
    /// The graphs of the next batch that are in no chunk.
    batch: Rows,
    /// A graph that was not announced.
    alone: Rows,
    /// Room to compare a page.
    page: Vec<u8>,
}

thread_local! {
    static READ: RefCell<Vec<OfThread>> = const { RefCell::new(Vec::new()) };
}

impl Positioned {
    pub(super) fn new(files: Vec<StoredFile>) -> Self {
        let graphs = files.iter().map(StoredFile::len).sum::<usize>();
        let bytes = files.iter().map(|file| file.bytes(0..file.len())).sum::<usize>() / graphs.max(1);
        let each = Chunks::graphs(bytes);
        let mut chunks = 0;
        let first = files.iter().map(|file| {
            chunks += file.len().div_ceil(each);
            chunks - file.len().div_ceil(each)
        });
        let first = first.collect();
        let (most, columns) = (each * bytes * 3 / 2, files.iter().map(StoredFile::columns).max().unwrap_or(0));
        let (handles, chunks) = (Handles::new(files.len()), Chunks::new(chunks, most, columns));
        Self { handles, first, each, most, columns, chunks, files, alive: Arc::new(()) }
    }

    pub(super) fn files(&self) -> &[StoredFile] {
        &self.files
    }

    /// Reads the graphs that the thread will write next and that no chunk has, each a file and its number there.
    pub(super) fn will_write_all(&self, graphs: impl Fn(&mut dyn FnMut(usize, usize))) {
        self.of_thread(|OfThread { batch, page, .. }| {
            batch.runs.clear();
            let mut announced = 0;
            graphs(&mut |number, graph| {
                announced += 1;
                if !self.chunk(number, graph).is_some_and(|(chunk, fits)| self.chunks.awaits(chunk, fits)) {
                    batch.push(number, graph..graph + 1);
                }
            });
            batch.leave_room(announced, self.columns, self.most / self.each);
            // What cannot be read now is read alone when it is written, and is an error then.
            let _ = self.read(batch, page, 0);
        });
    }

    /// Writes a graph of a file into a batch.
    pub(super) fn write(&self, number: usize, graph: usize, slot: &mut Slot<'_>) -> Result<(), BoxError> {
        let file = &self.files[number];
        let mut write = |rows: RunRows<'_>| Ok(file.write(rows, graph, slot)?);
        self.of_thread(|OfThread { batch, alone, page, .. }| {
            if let Some(rows) = batch.get(number, graph) {
                return write(rows);
            }
            if let Some((chunk, fits)) = self.chunk(number, graph) {
                let read = |rows: &mut Rows| self.read_run(number, self.neighbours(number, graph), rows, page, AROUND);
                if let Some(written) = self.chunks.with(chunk, fits, read, |rows| write(rows.only())) {
                    return written;
                }
            }
            self.read_run(number, graph..graph + 1, alone, page, 0)?;
            write(alone.only())
        })
    }

    /// Hints to the processor that a graph will be written.
    pub(super) fn will_write(&self, number: usize, graph: usize) {
        if let Some((chunk, _)) = self.chunk(number, graph) {
            self.chunks.peek(chunk, |rows| self.files[number].will_write(rows.only(), graph));
        }
    }

    /// Returns `hash` with the contents of a graph mixed in; with what cannot be data, if they cannot be read.
    pub(super) fn mix_graph(&self, hash: u64, number: usize, graph: usize) -> u64 {
        self.of_thread(|OfThread { alone, page, .. }| match self.read_run(number, graph..graph + 1, alone, page, 0) {
            Ok(()) => self.files[number].mix_graph(hash, alone.only(), graph),
            Err(_) => !hash,
        })
    }

    /// Reads neighbouring graphs of a file into a store, and checks their indices.
    pub(super) fn store(&self, number: usize, graphs: Range<usize>) -> Result<Store, Error> {
        let file = &self.files[number];
        let first = graphs.start;
        let store = self.handles.with(number, &file.path, |open| file.store(open, graphs))?;
        let check = |graph| store.check_values(graph).map_err(|error| file.invalid(counted(error, first)));
        (0..store.len()).try_for_each(check)?;
        Ok(store)
    }

    /// The number of the chunk that a graph is in, and a function that says whether it may be kept; `None` if graphs
    /// are so large that one at a time gains nothing from others.
    #[inline]
    fn chunk(&self, number: usize, graph: usize) -> Option<(usize, impl Fn() -> bool)> {
        let fits = move || self.files[number].bytes(self.neighbours(number, graph)) <= self.most;
        (self.each > 1).then(|| (self.first[number] + graph / self.each, fits))
    }

    /// The graphs of the chunk that a graph is in.
    fn neighbours(&self, number: usize, graph: usize) -> Range<usize> {
        let first = graph - graph % self.each;
        first..self.files[number].len().min(first + self.each)
    }

    /// Calls `work` with what this thread has read of these files.
    #[inline]
    fn of_thread<T>(&self, work: impl FnOnce(&mut OfThread) -> T) -> T {
        READ.with_borrow_mut(|all| {
            let own = all.iter().position(|read| read.files.as_ptr() == Arc::as_ptr(&self.alive));
            let own = own.unwrap_or_else(|| {
                all.retain(|read| read.files.strong_count() > 0);
                let files = Arc::downgrade(&self.alive);
                // At once, since the first graph that was not announced may come late.
                let alone = Rows::with_capacity(self.columns, self.most);
                all.push(OfThread { files, batch: Rows::default(), alone, page: vec![0; PAGE as usize] });
                all.len() - 1
            });
            work(&mut all[own])
        })
    }

    fn read_run(
        &self,
        number: usize,
        graphs: Range<usize>,
        rows: &mut Rows,
        page: &mut [u8],
        around: u64,
    ) -> Result<(), Error> {
        rows.runs.clear();
        rows.push(number, graphs);
        self.read(rows, page, around)
    }

    /// Reads all runs, in the order of the files. Errors with the first that cannot be read; the others are there.
    fn read(&self, rows: &mut Rows, page: &mut [u8], around: u64) -> Result<(), Error> {
        let bytes = |file: usize, graphs| self.files[file].places(graphs).map(|(_, _, bytes)| bytes);
        if let (Err(error), Some(run)) = (rows.lay_out(bytes), rows.runs.first()) {
            return Err(file_error(&self.files[run.file].path)(io::Error::other(error)));
        }
        let mut failed = Ok(());
        // First what the system has in memory. It is asked for all the rest before this waits for the first of it.
        for wait in [false, true] {
            for runs in rows.runs.chunk_by_mut(|a, b| a.file == b.file) {
                if runs.iter().all(|run| run.done) {
                    continue;
                }
                let file = &self.files[runs[0].file];
                let read = self.handles.with(runs[0].file, &file.path, |open| {
                    let around = if wait { None } else { Some(around) };
                    let read = runs.iter_mut().filter(|run| !run.done).try_for_each(|run| {
                        let starts = &rows.starts[run.columns.clone()];
                        run.done = file.read(open, run.graphs.clone(), starts, &mut rows.bytes, page, around)?;
                        Ok(())
                    });
                    // Once for all its runs, after the last of them. Bytes of a file that was changed may also be
                    // damaged.
                    file.check(open).and(read)
                });
                if let Err(error) = read {
                    runs.iter_mut().for_each(|run| run.done = false);
                    failed = if wait { failed.and(Err(error)) } else { failed };
                }
            }
        }
        failed
    }
}
