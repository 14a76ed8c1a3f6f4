//! [`FileSum`]: the length and checksum of a file.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

/// The length and CRC-32 of a file, by which a whole file is told from one that was cut short or damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct FileSum {
    pub(crate) bytes: u64,
    pub(crate) crc32: u32,
}

/// A writer that sums up what it writes.
pub(crate) struct Summing<W> {
    to: W,
    crc: crc32fast::Hasher,
    bytes: u64,
}

impl FileSum {
    /// Reads a file.
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let mut summing = Summing::new(io::sink());
        let mut block = vec![0; 1 << 18];
        loop {
            match file.read(&mut block)? {
                0 => return Ok(summing.sum()),
                read => summing.write_all(&block[..read])?,
            }
        }
    }
}

impl<W: Write> Summing<W> {
    pub(crate) fn new(to: W) -> Self {
        Self { to, crc: crc32fast::Hasher::new(), bytes: 0 }
    }

    /// The sum of what was written.
    pub(crate) fn sum(self) -> FileSum {
        FileSum { bytes: self.bytes, crc32: self.crc.finalize() }
    }
}

impl<W: Write> Write for Summing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes)?;
        self.crc.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}
