//! [`ChunkedEdges`]: the edges of one type, in chunks; [`EdgeList`]: a file of edges that no metadata lists.

use super::rows::{NumpyRows, Outline, Rows, open_csv};
use super::{ChunkFormat, ChunkedError, ChunkedFeature};
use crate::ArrayType;
use graphpack_formats::records::CsvRows;
use graphpack_loader::Error;
use std::collections::VecDeque;
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

    /// Does the same, at most `most` edges at a time. There is at least one range; it is empty if the chunk is.
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

/// Iterates over the edges in a file.
///
/// | name ends in | what is in it |
/// |---|---|
/// | `.npy` | integers of shape `[E, 2]`, or `[2, E]` as PyTorch Geometric and OGB have them, in C or Fortran order |
/// | `.parquet` | two columns of integers; needs the feature `parquet` |
/// | anything else | csv, with or without a header, compressed if the name ends in `.gz`: the first two columns are source and target, the others are ignored |
///
/// ```
/// use graphpack_partition::chunked::EdgeList;
///
/// let path = tempfile::tempdir()?.keep().join("edges.csv");
/// std::fs::write(&path, "src,dst\n0,3\n2,1\n")?;
/// let edges = EdgeList::open(&path, b',')?.collect::<Result<Vec<_>, _>>()?;
/// assert_eq!(edges, [[0, 3], [2, 1]]);
/// # std::fs::remove_dir_all(path.parent().unwrap())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct EdgeList {
    from: From,
    ended: bool,
}

enum From {
    Csv { rows: CsvRows, first: bool },
    Table(Table),
}

/// A file whose rows are two integers each.
struct Table {
    path: PathBuf,
    rows: Rows,
    element: ArrayType,
    block: VecDeque<[i128; 2]>,
    /// Number of rows returned so far.
    returned: usize,
}

impl EdgeList {
    /// Opens a file. Cells of csv files are separated by `delimiter`.
    pub fn open(path: impl AsRef<Path>, delimiter: u8) -> Result<Self, Error> {
        let path = path.as_ref();
        let (rows, outline) = match ChunkFormat::of_name(path, delimiter) {
            ChunkFormat::Csv { .. } => {
                let from = From::Csv { rows: open_csv(path, delimiter)?, first: true };
                return Ok(Self { from, ended: false });
            }
            ChunkFormat::Numpy => {
                let mut rows = NumpyRows::open(path)?;
                match (rows.outline.rows, &rows.outline.row[..]) {
                    (2, [2]) => {
                        let problem = "is of shape (2, 2): two edges, which may be rows or columns; use csv".into();
                        return Err(ChunkedError::File { path: path.to_owned(), problem }.into());
                    }
                    (2, [_]) => rows = rows.turned(),
                    _ => {}
                }
                let outline = rows.outline.clone();
                (Rows::Numpy(rows), outline)
            }
            ChunkFormat::Parquet => {
                let outline = Rows::outline(path, ChunkFormat::Parquet)?;
                (Rows::open(path, ChunkFormat::Parquet, &outline)?, outline)
            }
        };
        let element = outline.element;
        if outline.row != [2] || !element.is_integer() {
            let (rows, row) = (outline.rows, outline.row);
            let problem =
                format!("has {rows} rows of {element} {row:?}, expected two integers in each row, or two rows");
            return Err(ChunkedError::File { path: path.to_owned(), problem }.into());
        }
        let table = Table { path: path.to_owned(), rows, element, block: VecDeque::new(), returned: 0 };
        Ok(Self { from: From::Table(table), ended: false })
    }

    /// Where in the file the last edge is: `line 3`, counted from 1, or `row 2`, counted from 0.
    pub fn place(&self) -> String {
        match &self.from {
            From::Csv { rows, .. } => format!("line {}", rows.line()),
            From::Table(table) => format!("row {}", table.returned.saturating_sub(1)),
        }
    }
}

fn of_csv(rows: &mut CsvRows, first: &mut bool) -> Result<Option<[i64; 2]>, Error> {
    while rows.advance()? {
        if rows.width() < 2 {
            rows.expect_width(2)?;
        }
        let edge = rows.integer(0).and_then(|source| Ok([source, rows.integer(1)?]));
        // A first line without any number is a header; with one it is a damaged edge.
        let header = std::mem::take(first) && !(0..2).any(|column| rows.is_number(column));
        if !header {
            return edge.map(Some);
        }
    }
    Ok(None)
}

impl Table {
    fn advance(&mut self) -> Result<Option<[i64; 2]>, Error> {
        if self.block.is_empty() {
            let (element, bytes) = (self.element, self.rows.next(BLOCK)?);
            let pairs = bytes.chunks_exact(2 * element.bytes()).map(|pair| pair.split_at(element.bytes()));
            self.block
                .extend(pairs.map(|(source, target)| [source, target].map(|end| element.integer(end).unwrap_or(-1))));
        }
        let Some(edge) = self.block.pop_front() else { return Ok(None) };
        self.returned += 1;
        match edge.map(i64::try_from) {
            [Ok(source), Ok(target)] => Ok(Some([source, target])),
            _ => {
                let problem = format!("has the nodes {edge:?} in row {}, beyond int64", self.returned - 1);
                Err(ChunkedError::File { path: self.path.clone(), problem }.into())
            }
        }
    }
}

/// Ends after the first error.
impl Iterator for EdgeList {
    type Item = Result<[i64; 2], Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let next = match &mut self.from {
            From::Csv { rows, first } => of_csv(rows, first),
            From::Table(table) => table.advance(),
        };
        let next = next.transpose();
        self.ended = !matches!(next, Some(Ok(_)));
        next
    }
}

#[cfg(test)]
mod tests {
    use super::EdgeList;
    use std::fs;

    #[test]
    fn edges_are_read_with_and_without_a_header_or_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("edges.csv");
        let read = |text: &str, delimiter| {
            fs::write(&path, text).expect("written");
            let edges = EdgeList::open(&path, delimiter).expect("it is there").collect::<Result<Vec<_>, _>>();
            edges.map_err(|error| error.to_string().replace(&path.display().to_string(), "edges.csv"))
        };
        assert_eq!(read("src,dst\n0,3\n2,1\n", b','), Ok(vec![[0, 3], [2, 1]]));
        assert_eq!(read("0\t3\t0.5\r\n2\t1\t0.25", b'\t'), Ok(vec![[0, 3], [2, 1]]));
        assert_eq!(read("0,1\r\n\r\n\n", b','), Ok(vec![[0, 1]]), "the end may be empty");
        assert_eq!(read("", b','), Ok(Vec::new()));
        for (text, expected) in [
            ("1e39,1e39\n0,1\n", "edges.csv, line 1, column 1: \"1e39\" is not an integer"),
            ("0,x\n", "edges.csv, line 1, column 2: \"x\" is not an integer"),
            ("a,b\nc,d\n", "edges.csv, line 2, column 1: \"c\" is not an integer"),
            ("0,1\n1.5,2\n", "edges.csv, line 2, column 1: \"1.5\" is not an integer"),
            ("0,1\n\n1,2\n", "edges.csv, line 2 is empty"),
            ("0,1\n\n1,2", "edges.csv, line 2 is empty"),
            ("0,1\r\n\r\n1,2\r\n", "edges.csv, line 2 is empty"),
            ("0,1\r\n1,x\r\n", "edges.csv, line 2, column 2: \"x\" is not an integer"),
            ("0 1\n", "edges.csv, line 1: 1 cells, expected 2"),
        ] {
            assert_eq!(read(text, b','), Err(expected.to_owned()));
        }
    }

    #[test]
    fn tables_are_read_in_both_shapes_and_orders_or_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("edges.npy");
        let read = |dtype: &str, fortran: &str, shape: &str, bytes: &[u8]| {
            let header = format!("{{'descr': '{dtype}', 'fortran_order': {fortran}, 'shape': ({shape}), }}");
            let length = (header.len() as u16).to_le_bytes();
            fs::write(&path, [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), bytes].concat()).expect("written");
            let list = EdgeList::open(&path, b',').and_then(Iterator::collect::<Result<Vec<_>, _>>);
            list.map_err(|error| error.to_string().replace(&path.display().to_string(), "edges.npy"))
        };
        let (rows, columns) = ([0, 7, 1, 8, 2, 9], [0, 1, 2, 7, 8, 9]);
        let edges = Ok(vec![[0, 7], [1, 8], [2, 9]]);
        assert_eq!(read("|u1", "False", "3, 2", &rows), edges);
        assert_eq!(read("|u1", "True", "3, 2", &columns), edges);
        assert_eq!(read("|u1", "False", "2, 3", &columns), edges);
        assert_eq!(read("|u1", "True", "2, 3", &rows), edges);
        assert_eq!(read("|i1", "False", "1, 2", &[0xFF, 1]), Ok(vec![[-1, 1]]));
        assert_eq!(read("|i1", "False", "2, 0", &[]), Ok(Vec::new()));
        for (dtype, shape, bytes, expected) in [
            ("|u1", "2, 2", 4, "edges.npy is of shape (2, 2): two edges, which may be rows or columns; use csv"),
            ("|u1", "3, 3", 9, "edges.npy has 3 rows of uint8 [3], expected two integers in each row, or two rows"),
            ("<f4", "1, 2", 8, "edges.npy has 1 rows of float32 [2], expected two integers in each row, or two rows"),
            (
                "<u8",
                "1, 2",
                16,
                "edges.npy has the nodes [18446744073709551615, 18446744073709551615] in row 0, beyond int64",
            ),
        ] {
            assert_eq!(read(dtype, "False", shape, &vec![0xFF; bytes]), Err(expected.to_owned()));
        }
    }
}
