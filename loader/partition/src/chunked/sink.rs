//! [`Sink`]: writes a file of rows, under a temporary name until it is complete; [`Series`]: one such file after the other.

use super::metadata::chunk_size;
use super::rows::Outline;
use super::{ChunkFormat, ChunkedError};
use graphpack_formats::npy::Header;
use graphpack_loader::Error;
use graphpack_loader::store::WholeFile;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A file that rows are appended to. Dropping it before [`Sink::finish`] removes the file.
pub(super) struct Sink {
    path: PathBuf,
    whole: WholeFile,
    to: To,
}

enum To {
    /// Two integers per row.
    Csv(BufWriter<File>, u8),
    Numpy(BufWriter<File>),
    #[cfg(feature = "parquet")]
    Parquet(Box<super::parquet::ParquetSink>),
}

impl Sink {
    pub(super) fn create(path: &Path, format: ChunkFormat, outline: &Outline) -> Result<Self, Error> {
        let create = || -> io::Result<Self> {
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            let whole = WholeFile::create(path)?;
            let mut file = BufWriter::with_capacity(1 << 16, whole.file().try_clone()?);
            let to = match format {
                ChunkFormat::Csv { delimiter } => To::Csv(file, delimiter),
                ChunkFormat::Numpy => {
                    let shape: Vec<usize> = [outline.rows].into_iter().chain(outline.row.iter().copied()).collect();
                    Header::write(&mut file, outline.element, &shape)?;
                    To::Numpy(file)
                }
                #[cfg(feature = "parquet")]
                ChunkFormat::Parquet => To::Parquet(Box::new(super::parquet::ParquetSink::new(file, outline)?)),
                #[cfg(not(feature = "parquet"))]
                ChunkFormat::Parquet => {
                    let problem = "parquet needs the feature `parquet` of graphpack-partition";
                    return Err(io::Error::new(io::ErrorKind::Unsupported, problem));
                }
            };
            Ok(Self { path: path.to_owned(), whole, to })
        };
        create().map_err(|source| failed(path, source))
    }

    /// Appends whole rows.
    pub(super) fn push(&mut self, rows: &[u8]) -> Result<(), Error> {
        let written = match &mut self.to {
            To::Csv(file, delimiter) => {
                let numbers = rows.as_chunks::<8>().0.as_chunks::<2>().0;
                numbers.iter().try_for_each(|pair| {
                    let [source, target] = pair.map(i64::from_le_bytes);
                    writeln!(file, "{source}{}{target}", char::from(*delimiter))
                })
            }
            To::Numpy(file) => file.write_all(rows),
            #[cfg(feature = "parquet")]
            To::Parquet(table) => table.push(rows),
        };
        written.map_err(|source| failed(&self.path, source))
    }

    /// Completes the file and gives it its name.
    pub(super) fn finish(self) -> Result<(), Error> {
        let Self { path, whole, to } = self;
        let finished = match to {
            To::Csv(file, _) | To::Numpy(file) => file.into_inner().map_err(io::IntoInnerError::into_error),
            #[cfg(feature = "parquet")]
            To::Parquet(table) => table.finish(),
        };
        finished.and_then(|_| whole.finish()).map_err(|source| failed(&path, source))
    }
}

fn failed(path: &Path, source: io::Error) -> Error {
    Error::at(path)(source)
}

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
    File(Error),
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
    pub(super) fn of(self, of: &str) -> Error {
        match self {
            Self::Rows { expected, found } => {
                let problem = format!("{found} rows, expected {expected}");
                ChunkedError::Graph { of: of.to_owned(), problem }.into()
            }
            Self::File(error) => error,
        }
    }
}

impl From<Error> for SeriesError {
    fn from(error: Error) -> Self {
        Self::File(error)
    }
}
