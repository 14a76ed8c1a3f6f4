//! Files that may be compressed.

use super::ReadError;
use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

/// Opens a file, decompressing it if its name ends in `.gz`.
pub fn open(path: &Path) -> Result<Box<dyn Read + Send>, ReadError> {
    let file = BufReader::new(File::open(path).map_err(|source| ReadError::open(path, source))?);
    Ok(if is_compressed(path) { Box::new(Gzip(MultiGzDecoder::new(file))) } else { Box::new(file) })
}

/// Returns `path` if there is such a file, else `path` without its `.gz` if that is there, else `path`.
pub fn existing(path: &Path) -> PathBuf {
    let plain = path.with_extension("");
    if is_compressed(path) && !path.exists() && plain.exists() { plain } else { path.to_owned() }
}

/// A compressed file, whose errors say what they mean.
struct Gzip(MultiGzDecoder<BufReader<File>>);

impl Read for Gzip {
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
