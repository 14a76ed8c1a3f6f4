//! [`Positioned`]: files whose graphs are read by position, when a batch needs them.

use super::chunks::Chunks;
use super::handles::Handles;
use super::rows::Rows;
use super::stored_file::StoredFile;
use super::{FileError, Store};
use crate::layout::Slot;
use crate::source::{Source, SourceError};
use std::cell::RefCell;
use std::ops::Range;

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
    /// More bytes than any graph has.
    largest: usize,
    chunks: Chunks,
}

thread_local! {
    /// A graph that is read alone.
    static ALONE: RefCell<Rows> = RefCell::default();
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
        let handles = Handles::new(files.len());
        let largest = files.iter().map(StoredFile::most_bytes).max().unwrap_or(0);
        Self { handles, first, each, most, largest, chunks: Chunks::new(chunks, most, columns), files }
    }

    pub(super) fn files(&self) -> &[StoredFile] {
        &self.files
    }

    /// Writes a graph of a file into a batch.
    pub(super) fn write(&self, number: usize, graph: usize, slot: &mut Slot<'_>) -> Result<(), SourceError> {
        let (file, (chunk, graphs)) = (&self.files[number], self.chunk(number, graph));
        // One graph at a time gains nothing from others.
        if self.each > 1 {
            let fits = || file.bytes(graphs.clone()) <= self.most;
            let read = |rows: &mut Rows| Ok(self.read(number, graphs.clone(), rows)?);
            let write = |rows: &Rows| Ok(file.write(rows, graph, slot)?);
            if let Some(written) = self.chunks.with(chunk, fits, read, write) {
                return written;
            }
        }
        self.alone(number, graph, |rows| Ok(file.write(rows, graph, slot)?))
    }

    /// Hints to the processor that a graph will be written.
    pub(super) fn will_write(&self, number: usize, graph: usize) {
        let (chunk, _) = self.chunk(number, graph);
        self.chunks.peek(chunk, |rows| self.files[number].will_write(rows, graph));
    }

    /// Returns `hash` with the contents of a graph mixed in; with what cannot be data, if they cannot be read.
    pub(super) fn mix_graph(&self, hash: u64, number: usize, graph: usize) -> u64 {
        let mixed = self.alone(number, graph, |rows| Ok(self.files[number].mix_graph(hash, rows, graph)));
        mixed.unwrap_or(!hash)
    }

    /// Reads neighbouring graphs of a file into a store, and checks their indices.
    pub(super) fn store(&self, number: usize, graphs: Range<usize>) -> Result<Store, FileError> {
        let file = &self.files[number];
        let first = graphs.start;
        let store = self.handles.with(number, &file.path, |open| file.store(open, graphs))?;
        let check = |graph| store.check_indices(graph).map_err(|error| file.invalid(file.counted(error, first)));
        (0..store.len()).try_for_each(check)?;
        Ok(store)
    }

    /// The number of the chunk that a graph is in, and its graphs.
    #[inline]
    fn chunk(&self, number: usize, graph: usize) -> (usize, Range<usize>) {
        let within = graph / self.each;
        let graphs = within * self.each..self.files[number].len().min((within + 1) * self.each);
        (self.first[number] + within, graphs)
    }

    fn alone<T>(
        &self,
        number: usize,
        graph: usize,
        found: impl FnOnce(&Rows) -> Result<T, SourceError>,
    ) -> Result<T, SourceError> {
        ALONE.with_borrow_mut(|rows| {
            // Once, so that no larger graph needs more; what is not used takes no memory.
            if rows.bytes.capacity() < self.largest {
                let more = self.largest - rows.bytes.len();
                let _ = rows.bytes.try_reserve_exact(more);
            }
            self.read(number, graph..graph + 1, rows)?;
            found(rows)
        })
    }

    fn read(&self, number: usize, graphs: Range<usize>, rows: &mut Rows) -> Result<(), FileError> {
        let file = &self.files[number];
        self.handles.with(number, &file.path, |open| file.read(open, graphs, rows))
    }
}
