//! Files that may be compressed.

use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

/// Opens a file, decompressing it if its name ends in `.gz`.
pub fn open(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    let file = BufReader::new(File::open(path)?);
    let compressed = path.extension().is_some_and(|extension| extension == "gz");
    Ok(if compressed { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) })
}
