//! [`Spill`]: what was sent for one part, in a temporary file.

use super::DispatchError;
use graphpack_loader::IoError;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

/// What was sent for one part: a stream of rows for each type of edges, for each feature, and for the original ids of
/// each type of nodes. Each stream is read in the original order, in whatever order its rows arrived. The last rows are
/// in memory until [`Spill::write`].
pub(super) struct Spill {
    path: PathBuf,
    file: Option<File>,
    /// Whether this run has created the file: rows are never appended to what another has left.
    created: bool,
    /// Rows that are not in the file yet.
    gathered: Vec<u8>,
    /// Number of bytes of all rows.
    bytes: u64,
    segments: Vec<Segment>,
}

struct Segment {
    stream: usize,
    /// Original position of the range that it is from.
    start: u64,
    offset: u64,
    bytes: u64,
}

/// Approximate number of bytes read at a time.
const BLOCK: usize = 1 << 20;

impl Spill {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, file: None, created: false, gathered: Vec::new(), bytes: 0, segments: Vec::new() }
    }

    /// Adds rows of a stream whose range starts at `start`. Returns the number of bytes of memory that this took.
    pub(super) fn gather(&mut self, stream: usize, start: u64, rows: &[u8]) -> usize {
        let before = self.gathered.capacity();
        self.gathered.extend_from_slice(rows);
        let bytes = rows.len() as u64;
        self.segments.push(Segment { stream, start, offset: self.bytes, bytes });
        self.bytes += bytes;
        self.gathered.capacity() - before
    }

    /// Appends the gathered rows to the file and frees their memory. The file stays open if it is or if `keep_open`;
    /// returns whether it does.
    pub(super) fn write(&mut self, keep_open: bool) -> Result<bool, DispatchError> {
        if self.gathered.is_empty() {
            return Ok(self.file.is_some());
        }
        let open = self.file.is_some() || keep_open;
        let file = match self.file.take() {
            Some(file) => Ok(file),
            None => OpenOptions::new().create_new(!self.created).append(true).open(&self.path),
        };
        self.created |= file.is_ok();
        let gathered = std::mem::take(&mut self.gathered);
        let written = file.and_then(|mut file| file.write_all(&gathered).map(|()| file));
        self.file = Some(written.map_err(|source| self.failed(source))?).filter(|_| open);
        Ok(open)
    }

    /// Closes the file.
    pub(super) fn close(&mut self) {
        self.file = None;
    }

    /// Number of bytes of a stream.
    pub(super) fn bytes(&self, stream: usize) -> u64 {
        self.segments.iter().filter(|segment| segment.stream == stream).map(|segment| segment.bytes).sum()
    }

    /// Reads all rows of a stream in order and passes whole rows of `row_bytes` bytes to `rows`, after the original
    /// position of the range that they are from.
    pub(super) fn read(
        &self,
        stream: usize,
        row_bytes: usize,
        mut rows: impl FnMut(u64, &[u8]) -> io::Result<()>,
    ) -> Result<(), DispatchError> {
        let mut segments: Vec<&Segment> = self.segments.iter().filter(|segment| segment.stream == stream).collect();
        if segments.is_empty() {
            return Ok(());
        }
        segments.sort_unstable_by_key(|segment| segment.start);
        let mut buffer = vec![0; (BLOCK / row_bytes.max(1)).max(1) * row_bytes.max(1)];
        let read = || {
            let mut file = File::open(&self.path)?;
            for segment in segments {
                file.seek(SeekFrom::Start(segment.offset))?;
                let mut left = segment.bytes;
                while left > 0 {
                    let block = &mut buffer[..];
                    let now = left.min(block.len() as u64);
                    let block = &mut block[..now as usize];
                    file.read_exact(block)?;
                    rows(segment.start, block)?;
                    left -= now;
                }
            }
            Ok(())
        };
        read().map_err(|source| self.failed(source))
    }

    /// Reads the number of 8 bytes at offset `at` of each row of a stream, in order.
    pub(super) fn numbers(&self, stream: usize, row_bytes: usize, at: usize) -> Result<Vec<i64>, DispatchError> {
        let mut numbers = Vec::with_capacity((self.bytes(stream) / row_bytes.max(1) as u64) as usize);
        self.read(stream, row_bytes, |_, rows| {
            let wide = rows.chunks_exact(row_bytes).filter_map(|row| row[at..].first_chunk());
            numbers.extend(wide.map(|&bytes| i64::from_le_bytes(bytes)));
            Ok(())
        })?;
        Ok(numbers)
    }

    /// Removes the file, if it exists.
    pub(super) fn remove(self) -> Result<(), DispatchError> {
        match fs::remove_file(&self.path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => Err(self.failed(source)),
            _ => Ok(()),
        }
    }

    fn failed(&self, source: io::Error) -> DispatchError {
        IoError::at(&self.path)(source).into()
    }
}
