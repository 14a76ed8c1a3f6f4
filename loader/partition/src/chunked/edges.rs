//! [`ChunkedEdges`]: the edges of one type, in chunks.

use super::rows::{Outline, Rows};
use super::{ChunkFormat, ChunkedError, ChunkedFeature};
use crate::ArrayType;
use graphpack_loader::Error;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Number of rows read at a time.
const BLOCK: usize = 1 << 16;

/// The edges of one type. A chunk is a file; ids of edges continue from chunk to chunk.
#[derive(Clone, Debug)]
pub struct ChunkedEdges {
    pub(super) name: [String; 3],
    pub(super) format: ChunkFormat,
    pub(super) chunks: Vec<EdgeChunk>,
    /// Types of sources and targets, by their position, and their numbers of nodes.
    pub(super) ends: [usize; 2],
    pub(super) nodes: [usize; 2],
    pub(super) features: Vec<ChunkedFeature>,
}

#[derive(Clone, Debug)]
pub(super) struct EdgeChunk {
    pub(super) path: PathBuf,
    pub(super) edges: usize,
    /// Integers of any width.
    pub(super) element: ArrayType,
}

/// Consecutive edges of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdgeRange {
    /// Their ids.
    pub ids: Range<usize>,
    /// Ids of their sources.
    pub sources: Vec<i64>,
    /// Ids of their targets.
    pub targets: Vec<i64>,
}

/// Iterates over the edges of a chunk, a range at a time. Ends after the first error.
pub struct EdgeRanges<'a> {
    edges: &'a ChunkedEdges,
    chunk: usize,
    most: usize,
    /// Number of edges of the chunks before.
    start: usize,
    /// Number of edges read so far.
    read: usize,
    rows: Option<Rows>,
    ended: bool,
}

impl ChunkedEdges {
    /// Type of the sources, relation, type of the targets.
    pub fn name(&self) -> &[String; 3] {
        &self.name
    }

    pub(crate) fn format(&self) -> ChunkFormat {
        self.format
    }

    /// Types of sources and targets, by their position among the types of nodes.
    pub(crate) fn ends(&self) -> [usize; 2] {
        self.ends
    }

    /// Number of edges of each chunk.
    pub fn chunks(&self) -> impl ExactSizeIterator<Item = usize> {
        self.chunks.iter().map(|chunk| chunk.edges)
    }

    /// The files of the chunks, and the number of edges of each.
    pub(crate) fn paths_and_rows(&self) -> impl Iterator<Item = (&Path, usize)> {
        self.chunks.iter().map(|chunk| (&*chunk.path, chunk.edges))
    }

    /// Number of edges of all chunks.
    pub fn edges(&self) -> usize {
        self.chunks().sum()
    }

    /// Features, in the order of the metadata.
    pub fn features(&self) -> &[ChunkedFeature] {
        &self.features
    }

    /// Reads the sources and targets of a chunk and checks that their nodes exist.
    pub fn read(&self, chunk: usize) -> Result<(Vec<i64>, Vec<i64>), Error> {
        let (mut sources, mut targets) = (Vec::new(), Vec::new());
        for range in self.ranges(chunk, BLOCK) {
            let range = range?;
            sources.extend(range.sources);
            targets.extend(range.targets);
        }
        Ok((sources, targets))
    }

    /// Iterates over the sources and targets of a chunk, at most `most` edges at a time, and checks that their nodes
    /// exist. There is at least one range; it is empty if the chunk is.
    pub fn ranges(&self, chunk: usize, most: usize) -> EdgeRanges<'_> {
        let start = self.chunks().take(chunk).sum();
        EdgeRanges { edges: self, chunk, most: most.max(1), start, read: 0, rows: None, ended: false }
    }

    fn id(&self, path: &Path, row: usize, end: usize, node: i128) -> Result<i64, Error> {
        let nodes = self.nodes[end];
        if (0..nodes as i128).contains(&node) {
            return Ok(node as i64);
        }
        let csv = matches!(self.format, ChunkFormat::Csv { .. });
        let (place, number) = if csv { ("line", row + 1) } else { ("row", row) };
        Err(ChunkedError::Node { path: path.to_owned(), place, number, node, kind: self.name[2 * end].clone(), nodes }
            .into())
    }
}

impl EdgeRanges<'_> {
    fn range(&mut self) -> Result<EdgeRange, Error> {
        let ChunkedEdges { name, format, chunks, .. } = self.edges;
        let Some(EdgeChunk { path, edges, element }) = chunks.get(self.chunk) else {
            return Err(ChunkedError::Chunk { of: name.join(":"), chunk: self.chunk, chunks: chunks.len() }.into());
        };
        let outline = Outline { element: *element, row: vec![2], rows: *edges };
        let mut rows = match self.rows.take() {
            Some(rows) => rows,
            None => Rows::open(path, *format, &outline)?,
        };
        let wanted = self.most.min(edges - self.read);
        let bytes = if wanted > 0 { rows.next(wanted)? } else { Vec::new() };
        let (mut sources, mut targets) = (Vec::with_capacity(wanted), Vec::with_capacity(wanted));
        for (row, pair) in (self.read..).zip(bytes.chunks_exact(2 * element.bytes())) {
            let (source, target) = pair.split_at(element.bytes());
            sources.push(self.edges.id(path, row, 0, element.integer(source).unwrap_or(-1))?);
            targets.push(self.edges.id(path, row, 1, element.integer(target).unwrap_or(-1))?);
        }
        let ids = self.start + self.read..self.start + self.read + sources.len();
        self.read += sources.len();
        self.ended = self.read == *edges;
        // After the last row, those that are left are counted.
        let found = if self.ended { self.read + count(&mut rows, &outline)? } else { self.read };
        if found != *edges && (self.ended || sources.len() < wanted) {
            return Err(ChunkedError::Rows { path: path.clone(), expected: *edges, found }.into());
        }
        self.rows = Some(rows);
        Ok(EdgeRange { ids, sources, targets })
    }
}

impl Iterator for EdgeRanges<'_> {
    type Item = Result<EdgeRange, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let range = self.range();
        self.ended |= range.is_err();
        Some(range)
    }
}

/// Counts the rows that are left.
fn count(rows: &mut Rows, outline: &Outline) -> Result<usize, Error> {
    let mut found = 0;
    loop {
        let bytes = rows.next(BLOCK)?;
        if bytes.is_empty() {
            return Ok(found);
        }
        found += bytes.len() / outline.row_bytes();
    }
}

/// Returns the outline of a file of edges, whose rows must be two integers.
pub(super) fn outline(path: &Path, format: ChunkFormat) -> Result<Outline, Error> {
    let outline = Rows::outline(path, format)?;
    let empty_csv = matches!(format, ChunkFormat::Csv { .. }) && outline.rows == 0;
    if empty_csv || (outline.row == [2] && outline.element.is_integer()) {
        return Ok(outline);
    }
    let problem = format!("has rows of {} {:?}, expected two integers", outline.element, outline.row);
    Err(ChunkedError::File { path: path.to_owned(), problem }.into())
}
