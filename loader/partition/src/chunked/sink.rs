//! [`Sink`]: writes a file of rows, under a temporary name until it is complete; [`Series`]: one such file after the other.

use super::metadata::chunk_size;
use super::rows::Outline;
use super::{ChunkFormat, ChunkedError};
use graphpack_formats::npy::Header;
use graphpack_loader::Error;
use graphpack_loader::extend::file_error;
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
        create().map_err(file_error(path))
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
        written.map_err(file_error(&self.path))
    }

    /// Completes the file and gives it its name.
    pub(super) fn finish(self) -> Result<(), Error> {
        let Self { path, whole, to } = self;
        let finished = match to {
            To::Csv(file, _) | To::Numpy(file) => file.into_inner().map_err(io::IntoInnerError::into_error),
            #[cfg(feature = "parquet")]
            To::Parquet(table) => table.finish(),
        };
        finished.and_then(|_| whole.finish()).map_err(file_error(&path))
    }
}

/// The files of a type of edges or of a feature, of which one is open.
pub(super) struct Series {
    /// The name of the type or feature.
    pub(super) of: String,
    folder: PathBuf,
    /// The start of file names, before the number of the chunk.
    file: String,
    format: ChunkFormat,
    chunks: usize,
    /// Of all rows together.
    pub(super) outline: Outline,
    /// Number of rows written so far.
    pub(super) rows: usize,
    /// Number of rows left in the open file.
    left: usize,
    open: Option<Sink>,
    written: Vec<String>,
}

impl Series {
    pub(super) fn new(
        of: String,
        folder: &Path,
        file: String,
        format: ChunkFormat,
        chunks: usize,
        outline: Outline,
    ) -> Self {
        let folder = folder.to_owned();
        Self { of, folder, file, format, chunks, outline, rows: 0, left: 0, open: None, written: Vec::new() }
    }

    /// Appends `rows` rows.
    pub(super) fn push(&mut self, mut bytes: &[u8], mut rows: usize) -> Result<(), Error> {
        if rows > self.outline.rows - self.rows {
            return Err(self.wrong(self.rows.saturating_add(rows)));
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
    pub(super) fn finish(mut self) -> Result<Vec<String>, Error> {
        if self.rows != self.outline.rows {
            return Err(self.wrong(self.rows));
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
    fn next_file(&mut self) -> Result<(), Error> {
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

    /// The error for another number of rows.
    fn wrong(&self, found: usize) -> Error {
        let problem = format!("{found} rows, expected {}", self.outline.rows);
        ChunkedError::Graph { of: self.of.clone(), problem }.into()
    }
}
