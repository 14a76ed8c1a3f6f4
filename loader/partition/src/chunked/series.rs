//! [`Series`]: writes rows into one file after the other.

use super::options::chunk_size;
use super::outline::Outline;
use super::sink::Sink;
use super::{ChunkFormat, ChunkedError};
use std::path::{Path, PathBuf};

/// The files of a type of edges or of a feature, of which one is open.
pub(super) struct Series {
    folder: PathBuf,
    /// The start of file names, before the number of the chunk.
    file: String,
    format: ChunkFormat,
    chunks: usize,
    outline: Outline,
    /// Number of rows written so far.
    rows: usize,
    /// Number of rows left in the open file.
    left: usize,
    open: Option<Sink>,
    written: Vec<String>,
}

/// An error of a series, before the name of the type or feature is added.
pub(super) enum SeriesError {
    Rows { expected: usize, found: usize },
    File(ChunkedError),
}

impl Series {
    pub(super) fn new(folder: &Path, file: String, format: ChunkFormat, chunks: usize, outline: Outline) -> Self {
        let folder = folder.to_owned();
        Self { folder, file, format, chunks, outline, rows: 0, left: 0, open: None, written: Vec::new() }
    }

    /// The outline of all rows together.
    pub(super) fn outline(&self) -> &Outline {
        &self.outline
    }

    pub(super) fn expected(&self) -> usize {
        self.outline.rows
    }

    /// Number of rows written so far.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Appends rows, each of which has at least one byte.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<(), SeriesError> {
        let rows = bytes.len().checked_div(self.outline.row_bytes()).unwrap_or(0);
        self.push_rows(bytes, rows)
    }

    /// Appends `rows` rows.
    pub(super) fn push_rows(&mut self, mut bytes: &[u8], mut rows: usize) -> Result<(), SeriesError> {
        let expected = self.outline.rows;
        if rows > expected - self.rows {
            return Err(SeriesError::Rows { expected, found: self.rows.saturating_add(rows) });
        }
        while rows > 0 {
            if self.left == 0 {
                self.next_file()?;
                continue;
            }
            let now = rows.min(self.left);
            let (these, rest) = bytes.split_at(now * self.outline.row_bytes());
            if let Some(file) = &mut self.open {
                file.push(these)?;
            }
            bytes = rest;
            rows -= now;
            self.left -= now;
            self.rows += now;
        }
        Ok(())
    }

    /// Ends the last file and returns the paths of all, relative to the folder.
    pub(super) fn finish(mut self) -> Result<Vec<String>, SeriesError> {
        let (expected, found) = (self.outline.rows, self.rows);
        if found != expected {
            return Err(SeriesError::Rows { expected, found });
        }
        while self.written.len() < self.chunks {
            self.next_file()?;
        }
        if let Some(file) = self.open.take() {
            file.finish()?;
        }
        Ok(self.written)
    }

    /// Ends the open file and begins the next.
    fn next_file(&mut self) -> Result<(), SeriesError> {
        if let Some(file) = self.open.take() {
            file.finish()?;
        }
        let chunk = self.written.len();
        let rows = chunk_size(self.outline.rows, self.chunks, chunk);
        let name = format!("{}-{chunk}.{}", self.file, self.format.extension());
        let outline = Outline { rows, ..self.outline.clone() };
        self.open = Some(Sink::create(&self.folder.join(&name), self.format, &outline)?);
        self.written.push(name);
        self.left = rows;
        Ok(())
    }
}

impl SeriesError {
    /// Adds the name of the type or feature.
    pub(super) fn of(self, of: &str) -> ChunkedError {
        match self {
            Self::Rows { expected, found } => {
                ChunkedError::Graph { of: of.to_owned(), problem: format!("{found} rows, expected {expected}") }
            }
            Self::File(error) => error,
        }
    }
}

impl From<ChunkedError> for SeriesError {
    fn from(error: ChunkedError) -> Self {
        Self::File(error)
    }
}
