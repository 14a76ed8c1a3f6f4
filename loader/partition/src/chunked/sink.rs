//! [`Sink`]: writes a file of rows, under a temporary name until it is complete.

use super::outline::Outline;
use super::{ChunkFormat, ChunkedError};
use graphpack_formats::npy::Header;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A file that rows are appended to. Dropping it before [`Sink::finish`] removes the file.
pub(super) struct Sink {
    path: PathBuf,
    to: Option<To>,
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
        let mut sink = Self { path: path.to_owned(), to: None };
        let create = || -> io::Result<To> {
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            let mut file = BufWriter::with_capacity(1 << 16, File::create(sink.part())?);
            Ok(match format {
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
            })
        };
        sink.to = Some(create().map_err(|source| sink.failed(source))?);
        Ok(sink)
    }

    /// Appends whole rows.
    pub(super) fn push(&mut self, rows: &[u8]) -> Result<(), ChunkedError> {
        let write = |to: &mut To| match to {
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
        let written = self.to.as_mut().map_or(Ok(()), write);
        written.map_err(|source| self.failed(source))
    }

    /// Completes the file and gives it its name.
    pub(super) fn finish(mut self) -> Result<(), ChunkedError> {
        let part = self.part();
        let finish = |to: To| {
            let file = match to {
                To::Csv(file, _) | To::Numpy(file) => file.into_inner().map_err(io::IntoInnerError::into_error)?,
                #[cfg(feature = "parquet")]
                To::Parquet(table) => table.finish()?,
            };
            file.sync_all()?;
            fs::rename(&part, &self.path)
        };
        let finished = self.to.take().map_or(Ok(()), finish);
        finished.map_err(|source| {
            let _ = fs::remove_file(&part);
            self.failed(source)
        })
    }

    fn part(&self) -> PathBuf {
        let mut part = self.path.as_os_str().to_owned();
        part.push(".part");
        part.into()
    }

    fn failed(&self, source: io::Error) -> ChunkedError {
        ChunkedError::Io { path: self.path.clone(), source }
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        if self.to.is_some() {
            let _ = fs::remove_file(self.part());
        }
    }
}
