//! [`Rows`]: rows of graphs, as read from files.

use std::collections::TryReserveError;
use std::ops::Range;

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
