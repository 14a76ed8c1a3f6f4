//! [`Scratch`]: a growing file without a name.

use super::tensor_file::Out;
use crate::source::whole_file::create_part;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;

/// Bytes that are copied at a time.
const COPIED: usize = 1 << 18;

/// Bytes in a file without a name, beside the file that they will be part of: nothing is left of it, however the process
/// ends.
#[derive(Debug)]
pub(super) struct Scratch {
    file: BufWriter<File>,
    len: u64,
}

impl Scratch {
    /// An empty one for the file or folder `target`.
    pub(super) fn create(target: &Path) -> io::Result<Self> {
        let create = |path: &Path| File::options().read(true).write(true).create_new(true).open(path);
        let (path, file) = create_part(target, create)?;
        fs::remove_file(path)?;
        Ok(Self { file: BufWriter::with_capacity(1 << 16, file), len: 0 })
    }

    /// Number of bytes.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Appends bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.len += bytes.len() as u64;
        self.file.write_all(bytes)
    }

    /// Appends the same byte `count` times. Zeros take no room on disk.
    pub(super) fn fill(&mut self, byte: u8, count: u64) -> io::Result<()> {
        if byte == 0 && count > COPIED as u64 {
            self.len += count;
            self.file.flush()?;
            self.file.get_ref().set_len(self.len)?;
            return self.file.seek(SeekFrom::Start(self.len)).map(|_| ());
        }
        let same = vec![byte; (count as usize).min(COPIED)];
        let mut left = count;
        while left > 0 {
            let bytes = &same[..same.len().min(left as usize)];
            self.push(bytes)?;
            left -= bytes.len() as u64;
        }
        Ok(())
    }

    /// Passes on the bytes in `range`, in pieces whose lengths are multiples of 8 but for the last.
    pub(super) fn read(&mut self, range: Range<u64>, out: Out<'_>) -> io::Result<()> {
        self.file.flush()?;
        let file = self.file.get_mut();
        file.seek(SeekFrom::Start(range.start))?;
        let mut left = range.end.saturating_sub(range.start);
        let mut piece = vec![0; COPIED.min(left as usize)];
        while left > 0 {
            let piece = &mut piece[..COPIED.min(left as usize)];
            file.read_exact(piece)?;
            out(piece)?;
            left -= piece.len() as u64;
        }
        file.seek(SeekFrom::Start(self.len)).map(|_| ())
    }
}
