//! [`NewIds`] and [`EdgeIds`]: the global id of each node and edge; [`NodeSet`]: nodes numbered in ascending order;
//! [`Owners`]: the part of each edge of a type, in a file per chunk.

use super::DispatchError;
use crate::PartitionBook;
use crate::assign::Assignment;
use crate::chunked::{ChunkedGraph, ChunkedNodes};
use crate::graph::starts;
use graphpack_loader::Error;
use graphpack_loader::extend::file_error;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The new id of each node, in 4 bytes per node besides the 2 of the assignment.
pub(crate) struct NewIds<'a> {
    assignment: &'a Assignment,
    /// The book without edges.
    book: PartitionBook,
    /// The position of each node among those of its type and part.
    within: Vec<Vec<u32>>,
    /// The global id of the first node of each type and part.
    starts: Vec<Vec<i64>>,
}

impl<'a> NewIds<'a> {
    /// Nodes of a part and type keep their order.
    pub(crate) fn new(types: &[ChunkedNodes], assignment: &'a Assignment) -> Result<Self, Error> {
        let within = |owners: &Vec<u16>| {
            let mut next = vec![0; assignment.parts()];
            let place = |&part: &u16| {
                let next = &mut next[usize::from(part)];
                *next += 1;
                *next - 1
            };
            owners.iter().map(place).collect()
        };
        Self::with(types, assignment, || assignment.owners().iter().map(within).collect())
    }

    /// `within` makes the position of each node among those of its type and part.
    pub(crate) fn with(
        types: &[ChunkedNodes],
        assignment: &'a Assignment,
        within: impl FnOnce() -> Vec<Vec<u32>>,
    ) -> Result<Self, Error> {
        let counts: Vec<Vec<usize>> = (0..types.len()).map(|kind| assignment.counts(kind)).collect();
        for (kind, counts) in types.iter().zip(&counts) {
            if let Some(part) = counts.iter().position(|&count| count > u32::MAX as usize) {
                return Err(DispatchError::TooLarge { part, kind: kind.name().to_owned(), most: u32::MAX }.into());
            }
        }
        let names = types.iter().map(|kind| kind.name().to_owned()).collect();
        let book = PartitionBook::new(names, &counts, Vec::new(), &[]);
        let start = |kind| (0..assignment.parts()).map(|part| book.node_range(kind, part).start).collect();
        // A graph without types of nodes has a book without parts.
        let starts = (0..types.len()).map(start).collect();
        Ok(Self { assignment, within: within(), starts, book })
    }

    pub(crate) fn book(&self) -> &PartitionBook {
        &self.book
    }

    pub(crate) fn owners(&self, kind: usize) -> &[u16] {
        &self.assignment.owners()[kind]
    }

    /// The position of a node among those of its type and part.
    pub(crate) fn within(&self, kind: usize, node: usize) -> u32 {
        self.within[kind][node]
    }

    /// The global id of a node.
    pub(crate) fn global(&self, kind: usize, node: usize) -> i64 {
        self.starts[kind][usize::from(self.owners(kind)[node])] + i64::from(self.within[kind][node])
    }
}

/// The global id of each edge. Ids of a part and type keep the original order, so that those of a chunk are a range.
pub(super) struct EdgeIds {
    book: PartitionBook,
    /// Number of edges that lead out of each part.
    outward: Vec<u64>,
    /// For each type, the original position of the first edge of each chunk, and the end of the last.
    chunks: Vec<Vec<usize>>,
    /// For each type, the global id of the first edge of each chunk and part, `[chunk * parts + part]`.
    firsts: Vec<Vec<i64>>,
}

impl EdgeIds {
    /// `nodes` is the book of nodes. For each type, `counts` is the number of edges of each chunk that each part owns,
    /// `[chunk * parts + part]`.
    pub(super) fn new(graph: &ChunkedGraph, nodes: &PartitionBook, counts: Vec<Vec<u64>>, outward: Vec<u64>) -> Self {
        let (types, parts) = (nodes.node_types(), nodes.parts());
        let node_counts: Vec<Vec<usize>> = (0..types.len())
            .map(|kind| (0..parts).map(|part| nodes.node_range(kind, part).count()).collect())
            .collect();
        let sum = |counts: &[u64], part: usize| counts.iter().skip(part).step_by(parts).sum::<u64>() as usize;
        let edge_counts: Vec<Vec<usize>> =
            counts.iter().map(|counts| (0..parts).map(|part| sum(counts, part)).collect()).collect();
        let edges = graph.edge_types();
        let names = edges.iter().map(|edges| edges.name().clone()).collect();
        let book = PartitionBook::new(types.to_vec(), &node_counts, names, &edge_counts);
        let firsts = counts.into_iter().enumerate().map(|(kind, counts)| {
            let mut next: Vec<i64> = (0..parts).map(|part| book.edge_range(kind, part).start).collect();
            let first = |(at, count): (usize, u64)| {
                let next = &mut next[at % parts];
                *next += count as i64;
                *next - count as i64
            };
            counts.into_iter().enumerate().map(first).collect()
        });
        let firsts = firsts.collect();
        let chunks = edges.iter().map(|edges| starts(edges.chunks())).collect();
        Self { book, outward, chunks, firsts }
    }

    pub(super) fn book(&self) -> &PartitionBook {
        &self.book
    }

    /// Number of edges from the nodes of a part to others.
    pub(super) fn outward(&self, part: usize) -> usize {
        self.outward[part] as usize
    }

    /// Number of all edges between parts.
    pub(super) fn edge_cut(&self) -> u64 {
        self.outward.iter().sum()
    }

    /// The global id of an edge: `position` is an original one in its chunk, and `number` counts the edges of the chunk
    /// that its part owns.
    pub(super) fn id(&self, kind: usize, position: u64, part: usize, number: u64) -> i64 {
        // The last chunk that starts there is not empty.
        let chunk = self.chunks[kind].partition_point(|&start| start as u64 <= position) - 1;
        self.firsts[kind][chunk * self.book.parts() + part] + number as i64
    }
}

/// A bit per node, and the number of bits set before every eighth word.
pub(super) struct NodeSet {
    words: Vec<u64>,
    before: Vec<u64>,
}

/// Number of words between two counts.
const STRIDE: usize = 8;

impl NodeSet {
    /// An empty set of ids below `nodes`.
    pub(super) fn new(nodes: usize) -> Self {
        Self { words: vec![0; nodes.div_ceil(64)], before: Vec::new() }
    }

    pub(super) fn insert(&mut self, id: usize) {
        self.words[id / 64] |= 1 << (id % 64);
    }

    /// Numbers the nodes and returns how many there are; must be called before [`NodeSet::position`].
    pub(super) fn number(&mut self) -> u64 {
        let mut sum = 0;
        self.before.clear();
        for words in self.words.chunks(STRIDE) {
            self.before.push(sum);
            sum += words.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
        }
        sum
    }

    /// Number of smaller ids in the set.
    pub(super) fn position(&self, id: usize) -> u64 {
        let word = id / 64;
        let whole = &self.words[word / STRIDE * STRIDE..word];
        let smaller = self.words[word] & ((1 << (id % 64)) - 1);
        let ones = whole.iter().map(|word| word.count_ones()).sum::<u32>() + smaller.count_ones();
        self.before[word / STRIDE] + u64::from(ones)
    }

    /// The ids, ascending.
    pub(super) fn ids(&self) -> impl Iterator<Item = i64> {
        self.words.iter().enumerate().flat_map(|(at, &word)| {
            let next = |&word: &u64| Some(word & word.wrapping_sub(1));
            let rests = std::iter::successors(Some(word), next).take_while(|&word| word != 0);
            rests.map(move |word| 64 * at as i64 + i64::from(word.trailing_zeros()))
        })
    }
}

/// The parts of the edges of a type, for features of edges. Each chunk has its file, which the rank that reads the
/// chunk writes and all may read: a file that several machines write is not safe on every shared file system.
pub(super) struct Owners {
    path: PathBuf,
    /// The first edge of each chunk, and the end of the last.
    starts: Vec<usize>,
    /// The open file and its chunk.
    open: Option<(usize, File)>,
}

impl Owners {
    pub(super) fn new(folder: &Path, kind: usize, chunks: impl Iterator<Item = usize>) -> Self {
        Self { path: folder.join(format!("owners{kind}")), starts: starts(chunks), open: None }
    }

    /// Writes the parts of edges of one chunk, from `edge` on.
    pub(super) fn write(&mut self, edge: usize, parts: &[u8]) -> Result<(), Error> {
        if parts.is_empty() {
            return Ok(());
        }
        let chunk = self.chunk(edge);
        let start = self.starts[chunk];
        self.at(chunk, edge - start, |file| file.write_all(parts))
    }

    /// Reads the parts of edges, which may be of several chunks.
    pub(super) fn read(&mut self, mut edge: usize, edges: usize) -> Result<Vec<u16>, Error> {
        let mut parts = Vec::with_capacity(edges);
        let end = edge + edges;
        while edge < end {
            let chunk = self.chunk(edge);
            let chunk_end = self.starts[chunk + 1];
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

    fn at(&mut self, chunk: usize, edge: usize, work: impl FnOnce(&mut File) -> io::Result<()>) -> Result<(), Error> {
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
        file().map_err(file_error(&path))
    }
}

#[cfg(test)]
mod tests {
    use super::NodeSet;

    #[test]
    fn positions_are_those_of_a_sorted_list() {
        let ids: Vec<usize> = (0..5000).filter(|id| id * id % 7 < 2 || (1000..1100).contains(id)).collect();
        let mut set = NodeSet::new(5000);
        ids.iter().rev().for_each(|&id| set.insert(id));
        assert_eq!(set.number(), ids.len() as u64);
        assert!(ids.iter().zip(0..).all(|(&id, place)| set.position(id) == place));
        assert!(set.ids().eq(ids.iter().map(|&id| id as i64)));
    }
}
