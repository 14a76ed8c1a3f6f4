//! [`InEdgesBuilder`]: makes [`InEdges`] piece by piece.

use super::InEdges;
use super::in_edges::{Numbers, sorted};
use graphpack_loader::{MappedFile, WholeFile};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Makes [`InEdges`] of nodes that come in pieces, with all edges to them.
pub(crate) enum InEdgesBuilder {
    Memory { starts: Vec<u64>, edges: Vec<[u32; 2]> },
    Files { starts: Scratch, edges: Scratch, written: u64 },
}

/// A file that loses its name when it is mapped.
pub(crate) struct Scratch {
    whole: WholeFile,
    file: BufWriter<File>,
}

impl Scratch {
    fn create(folder: &Path) -> io::Result<Self> {
        let whole = WholeFile::create(folder.join("in_edges"))?;
        Ok(Self { file: BufWriter::with_capacity(1 << 20, whole.file().try_clone()?), whole })
    }

    fn mapped(self) -> io::Result<MappedFile> {
        let Self { whole, mut file } = self;
        file.flush()?;
        // Dropped, the file loses its name, but not what is mapped.
        MappedFile::open(whole.part()).map_err(io::Error::other)
    }
}

impl InEdgesBuilder {
    /// In memory, or in files in a folder that have no names once they are written.
    pub(crate) fn new(folder: Option<&Path>) -> io::Result<Self> {
        let Some(folder) = folder else { return Ok(Self::Memory { starts: vec![0], edges: Vec::new() }) };
        let [mut starts, edges] = [Scratch::create(folder)?, Scratch::create(folder)?];
        starts.file.write_all(&[0; 8])?;
        Ok(Self::Files { starts, edges, written: 0 })
    }

    /// Adds nodes with the edges to them. Targets count from 0 within the piece; sources as they are to be returned.
    pub(crate) fn add<E: Iterator<Item = (u32, u32)>>(&mut self, nodes: usize, all: impl Fn() -> E) -> io::Result<()> {
        let before = match self {
            Self::Memory { edges, .. } => edges.len() as u64,
            Self::Files { written, .. } => *written,
        };
        // More edges than 32 bits were refused.
        let (more_starts, more) = sorted(nodes, before as u32, all);
        let shifted = more_starts[1..].iter().map(|start| start + before);
        match self {
            Self::Memory { starts, edges } => {
                starts.extend(shifted);
                edges.extend(more);
            }
            Self::Files { starts, edges, written } => {
                starts.file.write_all(bytemuck::cast_slice(&shifted.collect::<Vec<u64>>()))?;
                edges.file.write_all(bytemuck::cast_slice(&more))?;
                *written += more.len() as u64;
            }
        }
        Ok(())
    }

    pub(crate) fn finish(self) -> io::Result<InEdges> {
        Ok(match self {
            Self::Memory { starts, edges } => {
                InEdges { starts: Numbers::Memory(starts), edges: Numbers::Memory(edges) }
            }
            Self::Files { starts, edges, written } => InEdges {
                starts: Numbers::File(starts.mapped()?),
                // An empty file cannot be mapped everywhere.
                edges: if written == 0 { Numbers::Memory(Vec::new()) } else { Numbers::File(edges.mapped()?) },
            },
        })
    }
}
