//! [`Chunks`]: keeps the [`Rows`] of neighbouring graphs that were read together, for batches that soon need the
//! others.

use std::collections::TryReserveError;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The most bytes of all chunks.
const MOST: usize = 128 << 20;
/// Bytes of an average chunk. A call of the system for each column is then a small part of reading it.
const CHUNK: usize = 32 << 10;
/// Places that a chunk may be in.
const WAYS: usize = 4;

/// Chunks of neighbouring graphs in a bounded number of places, which all workers share.
///
/// An epoch in blocks takes its graphs from a part of the data at a time. Reading each alone costs a call of the system
/// for each column; reading their neighbours with it costs little more, and these are needed soon. In full shuffle they
/// are not, so that a chunk is kept only if two of its graphs were among the last N that were read alone, N being the
/// number of places, or if there are places for all chunks.
#[derive(Debug)]
pub(super) struct Chunks {
    sets: Box<[Mutex<Set>]>,
    /// When a graph of each chunk was last read alone; 0 for never.
    read: Box<[AtomicU32]>,
    now: AtomicU32,
}

#[derive(Debug, Default)]
struct Set {
    ways: [Way; WAYS],
    now: u32,
}

/// A place for a chunk.
#[derive(Debug, Default)]
struct Way {
    /// Number of the chunk plus 1; 0 for none.
    chunk: usize,
    used: u32,
    /// None while a thread reads them.
    rows: Option<Rows>,
}

/// The rows of a place while a thread reads a chunk into them. Unless they are taken, they are given back without a
/// chunk: reading may fail or panic.
struct Lent<'a> {
    chunks: &'a Chunks,
    chunk: usize,
    place: usize,
    rows: Option<Rows>,
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        let Some(rows) = self.rows.take() else { return };
        let Some(mut set) = self.chunks.set(self.chunk) else { return };
        let way = &mut set.ways[self.place];
        (way.chunk, way.rows) = (0, Some(rows));
    }
}

impl Chunks {
    /// Returns how many neighbouring graphs are a chunk, if they have this many bytes on average.
    pub(super) fn graphs(bytes: usize) -> usize {
        (CHUNK / bytes.max(1)).clamp(1, 1 << 12).next_power_of_two()
    }

    /// Places for `chunks` chunks of at most `bytes` bytes and `columns` columns.
    pub(super) fn new(chunks: usize, bytes: usize, columns: usize) -> Self {
        let sets = (MOST / bytes.max(1)).min(chunks * 2).div_ceil(WAYS);
        let way = || Way { rows: Some(Rows::with_capacity(columns, bytes)), ..Way::default() };
        let set = |_| Mutex::new(Set { ways: std::array::from_fn(|_| way()), now: 0 });
        let read = (0..chunks).map(|_| AtomicU32::new(0)).collect();
        Self { sets: (0..sets).map(set).collect(), read, now: AtomicU32::new(0) }
    }

    /// Returns what `found` makes of the rows of a chunk if they are there. Otherwise, if a graph of it was read
    /// recently and it `fits`, `read` reads them first; `None` if not, while another thread reads them, or if they
    /// cannot be read, which the graph that is wanted may be all the same. No thread waits for another's reading.
    pub(super) fn with<T, E>(
        &self,
        chunk: usize,
        fits: impl FnOnce() -> bool,
        read: impl FnOnce(&mut Rows) -> Result<(), E>,
        found: impl FnOnce(&Rows) -> T,
    ) -> Option<T> {
        let mut set = self.set(chunk)?;
        let Set { ways, now } = &mut *set;
        *now = now.wrapping_add(1);
        if let Some(way) = ways.iter_mut().find(|way| way.chunk == chunk + 1) {
            way.used = *now;
            return way.rows.as_ref().map(found);
        }
        if !(self.recent(chunk) && fits()) {
            return None;
        }
        let free = ways.iter_mut().enumerate().filter(|(_, way)| way.rows.is_some());
        let (place, way) = free.max_by_key(|(_, way)| (way.chunk == 0, now.wrapping_sub(way.used)))?;
        let mut lent = Lent { chunks: self, chunk, place, rows: way.rows.take() };
        (way.chunk, way.used) = (chunk + 1, *now);
        drop(set);
        read(lent.rows.as_mut()?).ok()?;
        let rows = lent.rows.take()?;
        let mut set = self.set(chunk)?;
        Some(found(set.ways[place].rows.insert(rows)))
    }

    /// Whether the rows of a chunk are there, or [`with`](Self::with) will read them if a graph of it is written soon.
    pub(super) fn awaits(&self, chunk: usize, fits: impl FnOnce() -> bool) -> bool {
        let there = |set: MutexGuard<'_, Set>| set.ways.iter().any(|way| way.chunk == chunk + 1);
        self.set(chunk).is_some_and(there) || self.recent(chunk) && fits()
    }

    /// Calls `found` with the rows of a chunk if they are there.
    pub(super) fn peek(&self, chunk: usize, found: impl FnOnce(&Rows)) {
        let Some(set) = self.set(chunk) else { return };
        let there = set.ways.iter().find(|way| way.chunk == chunk + 1);
        if let Some(rows) = there.and_then(|way| way.rows.as_ref()) {
            found(rows);
        }
    }

    fn set(&self, chunk: usize) -> Option<MutexGuard<'_, Set>> {
        // Neighbours are spread, so that a block does not crowd a few places.
        let spread = (chunk as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        let set = self.sets.get(((spread * self.sets.len() as u64) >> 32) as usize)?;
        Some(set.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether a graph of a chunk was read recently; from now on one was.
    fn recent(&self, chunk: usize) -> bool {
        let now = self.now.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
        let before = self.read[chunk].swap(now.max(1), Ordering::Relaxed);
        let places = self.sets.len() * WAYS;
        self.read.len() <= places || before != 0 && now.wrapping_sub(before) as usize <= places
    }
}

/// The rows of runs of neighbouring graphs. Of each run, those of the first field come first, then those of the next
/// one, and after all fields those of each column of each index.
#[derive(Debug, Default)]
pub(super) struct Rows {
    /// In the order of the files.
    pub(super) runs: Vec<Run>,
    /// Where the rows of each column of each run start in `bytes`.
    pub(super) starts: Vec<usize>,
    /// Only the first bytes are in use, so that no memory is cleared for each reading.
    pub(super) bytes: Vec<u8>,
}

/// Neighbouring graphs of a file.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) file: usize,
    pub(super) graphs: Range<usize>,
    /// Where its columns are in [`Rows::starts`].
    pub(super) columns: Range<usize>,
    /// Whether it has been read.
    pub(super) done: bool,
}

/// The rows of a run.
#[derive(Clone, Copy)]
pub(super) struct RunRows<'a> {
    /// The first graph, counted within its file.
    pub(super) graph: usize,
    /// Where the rows of each column start in `bytes`.
    pub(super) starts: &'a [usize],
    pub(super) bytes: &'a [u8],
}

impl Rows {
    /// Memory for a run of `columns` columns of together this many bytes.
    pub(super) fn with_capacity(columns: usize, bytes: usize) -> Self {
        let (starts, bytes) = (Vec::with_capacity(columns), Vec::with_capacity(bytes));
        Self { runs: Vec::with_capacity(1), starts, bytes }
    }

    /// Makes room for twice this many graphs, unless there is room for as many: how many of a batch are to be read
    /// differs from batch to batch, and memory is not to be asked for late in an epoch.
    pub(super) fn leave_room(&mut self, graphs: usize, columns: usize, bytes: usize) {
        fn leave<T>(rows: &mut Vec<T>, needed: usize) {
            if rows.capacity() < needed {
                // Without it, rows grow while they are read, or reading says what is wrong.
                let _ = rows.try_reserve(needed.saturating_mul(2) - rows.len());
            }
        }
        leave(&mut self.runs, graphs);
        leave(&mut self.starts, graphs.saturating_mul(columns));
        leave(&mut self.bytes, graphs.saturating_mul(bytes));
    }

    /// Adds a run that is to be read.
    pub(super) fn push(&mut self, file: usize, graphs: Range<usize>) {
        self.runs.push(Run { file, graphs, columns: 0..0, done: false });
    }

    /// Orders the runs and makes room for their rows; `bytes` returns the bytes of each column of graphs of a file.
    pub(super) fn lay_out<B: Iterator<Item = usize>>(
        &mut self,
        bytes: impl Fn(usize, Range<usize>) -> B,
    ) -> Result<(), TryReserveError> {
        self.runs.sort_unstable_by_key(|run| (run.file, run.graphs.start));
        self.starts.clear();
        let mut end = 0;
        for run in &mut self.runs {
            let first = self.starts.len();
            for bytes in bytes(run.file, run.graphs.clone()) {
                self.starts.push(end);
                end += bytes;
            }
            run.columns = first..self.starts.len();
        }
        if self.bytes.len() < end {
            self.bytes.try_reserve(end - self.bytes.len())?;
            self.bytes.resize(end, 0);
        }
        Ok(())
    }

    /// The rows of the run that begins with a graph; `None` if it has not been read.
    #[inline]
    pub(super) fn get(&self, file: usize, graph: usize) -> Option<RunRows<'_>> {
        let found = self.runs.binary_search_by_key(&(file, graph), |run| (run.file, run.graphs.start)).ok()?;
        let Run { columns, done: true, .. } = &self.runs[found] else { return None };
        Some(RunRows { graph, starts: &self.starts[columns.clone()], bytes: &self.bytes })
    }

    /// The rows of the only run.
    #[inline]
    pub(super) fn only(&self) -> RunRows<'_> {
        let graph = self.runs.first().map_or(0, |run| run.graphs.start);
        RunRows { graph, starts: &self.starts, bytes: &self.bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::{Chunks, Rows};
    use std::convert::Infallible;

    #[test]
    fn while_a_thread_reads_a_chunk_others_are_not_held_up() {
        // All in one set of places.
        let chunks = Chunks::new(2, super::MOST / 4, 1);
        let none = |_: &mut Rows| Ok::<_, Infallible>(());
        let (mut same, mut other) = (None, None);
        let read = |_: &mut Rows| {
            same = chunks.with(0, || true, none, |_| 1);
            other = chunks.with(1, || true, none, |_| 2);
            Ok::<_, Infallible>(())
        };
        assert_eq!(chunks.with(0, || true, read, |_| 3), Some(3));
        assert_eq!((same, other), (None, Some(2)));
        let not_read = |_: &mut Rows| -> Result<(), Infallible> { panic!("it is there") };
        assert_eq!(chunks.with(0, || true, not_read, |_| 4), Some(4));
        // What cannot be read is not there, and its place is free again.
        let failed = |_: &mut Rows| Err("unread");
        let panics = |_: &mut Rows| -> Result<(), &str> { panic!("while it is read") };
        let chunks = Chunks::new(1, super::MOST, 1);
        for _ in 0..9 {
            assert_eq!(chunks.with(0, || true, failed, |_| ()), None);
            let reads = || chunks.with(0, || true, panics, |_| ());
            assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(reads)).is_err());
        }
        assert_eq!(chunks.with(0, || true, none, |_| 5), Some(5));
    }
}
