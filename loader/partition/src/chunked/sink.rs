//! [`Sink`]: writes a file of rows, under a temporary name until it is complete.

use super::outline::Outline;
use super::{ChunkFormat, ChunkedError};
use graphpack_formats::npy::Header;
use graphpack_loader::{IoError, WholeFile};
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
    pub(super) fn create(path: &Path, format: ChunkFormat, outline: &Outline) -> Result<Self, ChunkedError> {
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
    pub(super) fn push(&mut self, rows: &[u8]) -> Result<(), ChunkedError> {
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
    pub(super) fn finish(self) -> Result<(), ChunkedError> {
        let Self { path, whole, to } = self;
        let finished = match to {
            To::Csv(file, _) | To::Numpy(file) => file.into_inner().map_err(io::IntoInnerError::into_error),
            #[cfg(feature = "parquet")]
            To::Parquet(table) => table.finish(),
        };
        finished.and_then(|_| whole.finish()).map_err(|source| failed(&path, source))
    }
}

fn failed(path: &Path, source: io::Error) -> ChunkedError {
    ChunkedError::Io(IoError { path: path.to_owned(), source })
}
