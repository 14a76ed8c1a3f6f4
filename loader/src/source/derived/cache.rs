//! [`Cache`]: a file with the number of rows that each graph of a data set has by a rule.

use super::rule::DerivedError;
use crate::error::Error;
use crate::fingerprint::mix;
use crate::source::WholeFile;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The first bytes of such a file.
const MAGIC: [u8; 8] = *b"gp-count";

/// Stands for how rows are counted, which is more than the rule: edges within a radius also follow from a tolerance.
/// Another number makes all counts be made again.
const COUNTING: u64 = 1;

/// A file with the number of rows that each graph of a data set has by a rule. After [`MAGIC`], the fingerprint of the
/// data, the number of the rule and the number of graphs in 8 bytes each come the counts in 4 bytes each, and at the end
/// the CRC-32 of all that; numbers are little-endian.
pub(super) struct Cache<'a> {
    path: &'a Path,
    head: [[u8; 8]; 4],
    graphs: usize,
}

impl<'a> Cache<'a> {
    /// Returns the file at `path`, which need not exist, for data with this fingerprint and number of graphs.
    pub(super) fn new(path: &'a Path, fingerprint: u64, rule: u64, graphs: usize) -> Self {
        let [fingerprint, rule, number] = [fingerprint, mix(rule, COUNTING), graphs as u64].map(u64::to_le_bytes);
        Self { path, head: [MAGIC, fingerprint, rule, number], graphs }
    }

    /// Reads the counts; `None` if there is no file, or if it is damaged or of other data or another rule. Errors if it
    /// is anything else, which must not be replaced.
    pub(super) fn read(&self) -> Result<Option<Vec<u32>>, Error> {
        self.try_read().map_err(|source| Error::from(DerivedError::Cache { path: self.path.to_owned(), source }))
    }

    /// Writes the counts. The file has a temporary name until it is complete.
    pub(super) fn write(&self, counts: &[u32]) -> Result<(), Error> {
        self.try_write(counts).map_err(|source| Error::from(DerivedError::Cache { path: self.path.to_owned(), source }))
    }

    fn try_read(&self) -> io::Result<Option<Vec<u32>>> {
        let file = match File::open(self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        let (head, mut bytes) = (self.head.as_flattened(), Vec::new());
        let length = head.len() + 4 * (self.graphs + 1);
        // One byte more, to see whether the file is longer.
        file.take(length as u64 + 1).read_to_end(&mut bytes)?;
        if !bytes.starts_with(&MAGIC[..bytes.len().min(MAGIC.len())]) {
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, "the file is there, but is no cache of counts"));
        }
        let Some((rest, crc)) = bytes.split_last_chunk() else { return Ok(None) };
        if bytes.len() != length || !rest.starts_with(head) || *crc != crc32fast::hash(rest).to_le_bytes() {
            return Ok(None);
        }
        Ok(Some(rest[head.len()..].as_chunks().0.iter().map(|count| u32::from_le_bytes(*count)).collect()))
    }

    fn try_write(&self, counts: &[u32]) -> io::Result<()> {
        let mut bytes = self.head.concat();
        counts.iter().for_each(|count| bytes.extend(count.to_le_bytes()));
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        // Several ranks, or several loaders of one, may do this at the same time.
        WholeFile::write(self.path, &bytes)
    }
}
