//! [`InEdges`]: the edges that lead to each node; [`InEdgesBuilder`]: makes them piece by piece.

use graphpack_loader::store::MappedFile;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Edges ordered by target and then by id, for walks against their direction: 8 bytes per node and 8 per edge, in
/// memory or in files.
#[derive(Debug)]
pub(crate) struct InEdges {
    /// First edge to each node, and the end of the last.
    pub(super) starts: Numbers<u64>,
    /// Source and id of each edge.
    pub(super) edges: Numbers<[u32; 2]>,
}

/// A list in memory or in a file without a name.
#[derive(Debug)]
pub(super) enum Numbers<T> {
    Memory(Vec<T>),
    File(MappedFile),
}

impl<T: bytemuck::Pod> Numbers<T> {
    fn all(&self) -> &[T] {
        match self {
            Self::Memory(numbers) => numbers,
            // Written by this process as such; a mapped file starts at a page.
            Self::File(file) => bytemuck::cast_slice(file.bytes()),
        }
    }
}

impl InEdges {
    /// Indexes the edges of a graph with `nodes` nodes. `all` iterates over sources and targets in the order of the
    /// edges' ids.
    pub(crate) fn new<E: Iterator<Item = (u32, u32)>>(nodes: usize, all: impl Fn() -> E) -> Self {
        let (starts, edges) = sorted(nodes, 0, all);
        Self { starts: Numbers::Memory(starts), edges: Numbers::Memory(edges) }
    }

    /// Number of edges.
    pub(crate) fn edges(&self) -> usize {
        self.edges.all().len()
    }

    /// The largest number of edges that lead to one node.
    pub(crate) fn most(&self) -> usize {
        self.starts.all().windows(2).map(|range| range[1] - range[0]).max().unwrap_or(0) as usize
    }

    /// Source and id of each edge to a node.
    pub(crate) fn of(&self, node: u32) -> &[[u32; 2]] {
        let starts = self.starts.all();
        &self.edges.all()[starts[node as usize] as usize..starts[node as usize + 1] as usize]
    }
}

/// Where the edges to each node start, and the end of the last; source and id of each edge. Ids count from `first`.
pub(super) fn sorted<E: Iterator<Item = (u32, u32)>>(
    nodes: usize,
    first: u32,
    all: impl Fn() -> E,
) -> (Vec<u64>, Vec<[u32; 2]>) {
    let mut starts = vec![0; nodes + 1];
    all().for_each(|(_, target)| starts[target as usize + 1] += 1);
    for node in 0..nodes {
        starts[node + 1] += starts[node];
    }
    let mut edges = vec![[0; 2]; starts[nodes] as usize];
    let mut next = starts.clone();
    // `for_each` is faster than `for` over nested iterators.
    all().zip(first..).for_each(|((source, target), edge)| {
        let next = &mut next[target as usize];
        edges[*next as usize] = [source, edge];
        *next += 1;
    });
    (starts, edges)
}

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
