//! Files that may be compressed.

use super::ReadError;
use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Opens a file, decompressing it if its name ends in `.gz`.
pub fn open(path: &Path) -> Result<Box<dyn Read + Send>, ReadError> {
    Ok(open_counted(path)?.0)
}

/// The same, and how many bytes of the file were read so far.
pub(crate) fn open_counted(path: &Path) -> Result<(Box<dyn Read + Send>, Arc<AtomicU64>), ReadError> {
    let file = File::open(path).map_err(|source| ReadError::open(path, source))?;
    let count = Arc::new(AtomicU64::new(0));
    let file = BufReader::new(Counted { file, count: count.clone() });
    let reader: Box<dyn Read + Send> =
        if is_compressed(path) { Box::new(Gzip(MultiGzDecoder::new(file))) } else { Box::new(file) };
    Ok((reader, count))
}

/// A file and how many bytes of it were read.
struct Counted {
    file: File,
    count: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let bytes = self.file.read(to)?;
        self.count.fetch_add(bytes as u64, Ordering::Relaxed);
        Ok(bytes)
    }
}

/// Returns `path` if there is such a file, else `path` without its `.gz` if that is there, else `path`.
pub fn existing(path: &Path) -> PathBuf {
    let plain = path.with_extension("");
    if is_compressed(path) && !path.exists() && plain.exists() { plain } else { path.to_owned() }
}

/// A compressed file, whose errors say what they mean.
struct Gzip<R>(MultiGzDecoder<BufReader<R>>);

impl<R: Read> Read for Gzip<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        self.0.read(to).map_err(|error| match error.raw_os_error() {
            Some(_) => error,
            None => io::Error::new(error.kind(), format!("the file is truncated, damaged or not gzip ({error})")),
        })
    }
}

fn is_compressed(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "gz")
}
