//! [`InEdgesBuilder`]: makes [`InEdges`] piece by piece.

use super::InEdges;
use super::in_edges::{Numbers, sorted};
use graphpack_loader::MappedFile;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Makes [`InEdges`] of nodes that come in pieces, with all edges to them.
pub(crate) enum InEdgesBuilder {
    Memory { starts: Vec<u64>, edges: Vec<[u32; 2]> },
    Files { starts: BufWriter<File>, edges: BufWriter<File>, written: u64 },
}

impl InEdgesBuilder {
    /// In memory, or in files without names in a folder, for about this many nodes and edges.
    pub(crate) fn new(folder: Option<&Path>, nodes: usize, edges: usize) -> io::Result<Self> {
        let Some(folder) = folder else {
            let (mut starts, mut all) = (vec![0], Vec::new());
            // Files may lie about the numbers, so memory that there is not is no error yet.
            let _ = (starts.try_reserve_exact(nodes), all.try_reserve_exact(edges));
            return Ok(Self::Memory { starts, edges: all });
        };
        let create = || Ok::<_, io::Error>(BufWriter::with_capacity(1 << 20, tempfile::tempfile_in(folder)?));
        let (mut starts, edges) = (create()?, create()?);
        starts.write_all(&[0; 8])?;
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
                starts.write_all(bytemuck::cast_slice(&shifted.collect::<Vec<u64>>()))?;
                edges.write_all(bytemuck::cast_slice(&more))?;
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
                starts: Numbers::File(mapped(starts)?),
                // An empty file cannot be mapped everywhere.
                edges: if written == 0 { Numbers::Memory(Vec::new()) } else { Numbers::File(mapped(edges)?) },
            },
        })
    }
}

fn mapped(file: BufWriter<File>) -> io::Result<MappedFile> {
    let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
    // SAFETY: the file has no name, so that only this process can write to it, and it has written all.
    unsafe { MappedFile::of("in_edges", &file) }.map_err(io::Error::other)
}
