//! [`Owners`]: the part of each edge of a type, in a file.

use super::DispatchError;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The parts of the edges of a type, in a file that all ranks write and read, for features of edges.
pub(super) struct Owners {
    path: PathBuf,
    file: File,
}

impl Owners {
    pub(super) fn create(folder: &Path, kind: usize) -> Result<Self, DispatchError> {
        let path = folder.join(format!("owners{kind}"));
        match OpenOptions::new().create(true).truncate(false).read(true).write(true).open(&path) {
            Ok(file) => Ok(Self { path, file }),
            Err(source) => Err(DispatchError::Io { path, source }),
        }
    }

    pub(super) fn write(&mut self, edge: usize, parts: &[u8]) -> Result<(), DispatchError> {
        let written = self.file.seek(SeekFrom::Start(2 * edge as u64)).and_then(|_| self.file.write_all(parts));
        written.map_err(|source| DispatchError::Io { path: self.path.clone(), source })
    }

    pub(super) fn read(&mut self, edge: usize, edges: usize) -> Result<Vec<u16>, DispatchError> {
        let mut bytes = vec![0; 2 * edges];
        let read = self.file.seek(SeekFrom::Start(2 * edge as u64)).and_then(|_| self.file.read_exact(&mut bytes));
        read.map_err(|source| DispatchError::Io { path: self.path.clone(), source })?;
        Ok(bytes.as_chunks::<2>().0.iter().map(|&part| u16::from_le_bytes(part)).collect())
    }
}
