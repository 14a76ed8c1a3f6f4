//! [`Owners`]: the part of each edge of a type, in a file per chunk.

use super::DispatchError;
use graphpack_loader::IoError;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The parts of the edges of a type, for features of edges. Each chunk has its file, which the rank that reads the chunk
/// writes and all may read: a file that several machines write is not safe on every shared file system.
pub(super) struct Owners {
    path: PathBuf,
    /// The first edge of each chunk.
    starts: Vec<usize>,
    edges: usize,
    /// The open file and its chunk.
    open: Option<(usize, File)>,
}

impl Owners {
    pub(super) fn new(folder: &Path, kind: usize, chunks: impl Iterator<Item = usize>) -> Self {
        let (mut starts, mut edges) = (Vec::new(), 0);
        for chunk in chunks {
            starts.push(edges);
            edges += chunk;
        }
        Self { path: folder.join(format!("owners{kind}")), starts, edges, open: None }
    }

    /// Writes the parts of edges of one chunk, from `edge` on.
    pub(super) fn write(&mut self, edge: usize, parts: &[u8]) -> Result<(), DispatchError> {
        if parts.is_empty() {
            return Ok(());
        }
        let chunk = self.chunk(edge);
        let start = self.starts[chunk];
        self.at(chunk, edge - start, |file| file.write_all(parts))
    }

    /// Reads the parts of edges, which may be of several chunks.
    pub(super) fn read(&mut self, mut edge: usize, edges: usize) -> Result<Vec<u16>, DispatchError> {
        let mut parts = Vec::with_capacity(edges);
        let end = edge + edges;
        while edge < end {
            let chunk = self.chunk(edge);
            let chunk_end = self.starts.get(chunk + 1).copied().unwrap_or(self.edges);
            let mut bytes = vec![0; 2 * (end.min(chunk_end) - edge)];
            let start = self.starts[chunk];
            self.at(chunk, edge - start, |file| file.read_exact(&mut bytes))?;
            parts.extend(bytes.as_chunks::<2>().0.iter().map(|&part| u16::from_le_bytes(part)));
            edge = end.min(chunk_end);
        }
        Ok(parts)
    }

    /// The chunk of an edge: the last that starts there, which is not empty.
    fn chunk(&self, edge: usize) -> usize {
        self.starts.partition_point(|&start| start <= edge) - 1
    }

    fn at(
        &mut self,
        chunk: usize,
        edge: usize,
        work: impl FnOnce(&mut File) -> io::Result<()>,
    ) -> Result<(), DispatchError> {
        let mut path = self.path.clone().into_os_string();
        path.push(format!("-{chunk}"));
        let path = PathBuf::from(path);
        let file = || {
            if self.open.as_ref().is_none_or(|(open, _)| *open != chunk) {
                let file = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(&path)?;
                self.open = Some((chunk, file));
            }
            let Some((_, file)) = &mut self.open else { return Ok(()) };
            file.seek(SeekFrom::Start(2 * edge as u64))?;
            work(file)
        };
        Ok(file().map_err(IoError::at(&path))?)
    }
}
