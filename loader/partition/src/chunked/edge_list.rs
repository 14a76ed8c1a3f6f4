//! [`EdgeList`]: a file of edges that no metadata lists.

use super::rows::{NumpyRows, Outline, Rows};
use super::{ChunkFormat, ChunkedError};
use crate::{ArrayType, files};
use graphpack_formats::compressed;
use graphpack_formats::records::CsvRows;
use graphpack_loader::Error;
use graphpack_loader::extend::file_error;
use std::collections::VecDeque;
use std::io::{Cursor, Read};
use std::mem;
use std::path::{Path, PathBuf};

/// Number of rows of a table read at a time.
const BLOCK: usize = 1 << 16;
/// Bytes of a csv file in which its first line that is no comment is looked for.
const LOOKED_AT: u64 = 1 << 16;
/// What columns of sources and of targets are called, in any case.
const ENDS: [&[&str]; 2] =
    [&["src", "source", "from", "start"], &["dst", "dest", "destination", "target", "to", "end"]];
/// What may be after these names.
const AFTER: [&str; 4] = ["index", "idx", "id", "node"];

/// Iterates over the edges in a file.
///
/// | name ends in | what is in it |
/// |---|---|
/// | `.npy` | integers of shape `[E, 2]`, or `[2, E]` as PyTorch Geometric and OGB have them, in C or Fortran order |
/// | `.parquet` | a table, as csv with a header; or one column of pairs; needs the feature `parquet` |
/// | anything else | csv, with or without a header, compressed if the name ends in `.gz`; lines that begin with `#` are comments |
///
/// The columns `src` and `dst` are source and target wherever they are, or `source` and `target`, or `from` and `to`,
/// also as `src_id` or `FromNodeId`. Two columns of other names are source and target in this order, and so are the
/// first two of csv without a header. More columns than two without these names are an error. What is not read is in
/// [`unread`](Self::unread).
///
/// ```
/// use graphpack_partition::chunked::EdgeList;
///
/// let path = tempfile::tempdir()?.keep().join("edges.csv");
/// std::fs::write(&path, "id,src,dst\n7,0,3\n8,2,1\n")?;
/// let list = EdgeList::open(&path, None)?;
/// assert_eq!(list.unread(), ["id"]);
/// assert_eq!(list.collect::<Result<Vec<_>, _>>()?, [[0, 3], [2, 1]]);
/// # std::fs::remove_dir_all(path.parent().unwrap())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct EdgeList {
    from: From,
    unread: Vec<String>,
    ended: bool,
}

enum From {
    Csv(Lines),
    Table(Table),
}

/// A csv file. The columns of its first edge or header are those of all lines.
struct Lines {
    rows: CsvRows,
    columns: usize,
    /// The columns of sources and targets.
    ends: [usize; 2],
    /// Whether the row that was read is an edge that is still to be returned.
    is_ahead: bool,
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
    /// Opens a file. Cells of csv files are separated by `delimiter`, or without one by the first of tab, comma,
    /// semicolon and blank that is in the first line that is no comment.
    pub fn open(path: impl AsRef<Path>, delimiter: Option<u8>) -> Result<Self, Error> {
        let path = path.as_ref();
        let mut unread = Vec::new();
        let (rows, outline) = match ChunkFormat::of_name(path, delimiter.unwrap_or(b',')) {
            ChunkFormat::Csv { .. } => {
                let (lines, unread) = Lines::open(path, delimiter)?;
                return Ok(Self { from: From::Csv(lines), unread, ended: false });
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
            ChunkFormat::Parquet => Rows::picked(path, |names| {
                if names.len() == 1 {
                    return Ok(vec![0]);
                }
                let ends;
                (ends, unread) = self::ends(names)?;
                Ok(ends.into())
            })?,
        };
        let Outline { element, row, rows: count } = outline;
        if row != [2] || !element.is_integer() {
            let problem =
                format!("has {count} rows of {element} {row:?}, expected two integers in each row, or two rows");
            return Err(ChunkedError::File { path: path.to_owned(), problem }.into());
        }
        let table = Table { path: path.to_owned(), rows, element, block: VecDeque::new(), returned: 0 };
        Ok(Self { from: From::Table(table), unread, ended: false })
    }

    /// The columns that are not read: their names, or `column 3`, counted from 1, where there is no header.
    pub fn unread(&self) -> &[String] {
        &self.unread
    }

    /// Where in the file the last edge is: `line 3`, counted from 1, or `row 2`, counted from 0.
    pub fn place(&self) -> String {
        match &self.from {
            From::Csv(lines) => format!("line {}", lines.rows.line()),
            From::Table(table) => format!("row {}", table.returned.saturating_sub(1)),
        }
    }
}

/// The columns that are called as those of sources and of targets are, if there is one of each.
fn named(names: &[String]) -> Option<[usize; 2]> {
    let is = |name: &str, end: &[&str]| {
        let name: String = name.to_lowercase().chars().filter(|character| character.is_alphanumeric()).collect();
        let short = AFTER.iter().fold(&*name, |name, after| name.strip_suffix(after).unwrap_or(name));
        end.contains(&short)
    };
    let found = ENDS.map(|end| (0..names.len()).filter(|&at| is(&names[at], end)).collect::<Vec<_>>());
    match [&found[0][..], &found[1]] {
        [&[source], &[target]] => Some([source, target]),
        [[], []] if names.len() == 2 => Some([0, 1]),
        _ => None,
    }
}

/// The columns of sources and of targets in a header, and the names of the others; an error is a text that says what is
/// wrong.
fn ends(names: Vec<String>) -> Result<([usize; 2], Vec<String>), String> {
    let expected = "expected one of sources and one of targets, such as src and dst, or two columns";
    let ends = named(&names).ok_or_else(|| format!("has the columns {}, {expected}", names.join(", ")))?;
    let others = names.into_iter().enumerate().filter(|(at, _)| !ends.contains(at));
    let name = |(at, name): (usize, String)| if name.is_empty() { format!("column {}", at + 1) } else { name };
    Ok((ends, others.map(name).collect()))
}

impl Lines {
    /// Opens a file and reads up to its first edge or header. Returns the columns that are not read, too.
    fn open(path: &Path, delimiter: Option<u8>) -> Result<(Self, Vec<String>), Error> {
        files::expect(path).map_err(file_error(path))?;
        let (mut from, mut start) = (compressed::open(path)?, Vec::new());
        (&mut from).take(LOOKED_AT).read_to_end(&mut start).map_err(file_error(path))?;
        let delimiter = delimiter.unwrap_or_else(|| separator(&start));
        let rows = CsvRows::new(path, Box::new(Cursor::new(start).chain(from)), delimiter);
        let mut lines = Self { rows, columns: 0, ends: [0, 1], is_ahead: false };
        let mut names = Vec::new();
        while lines.rows.advance()? {
            let cells: Vec<String> = (0..lines.rows.width()).map(|at| lines.rows.cell(at).into_owned()).collect();
            if let Some(first) = cells[0].strip_prefix('#') {
                // The last comment may name the columns, as in `# FromNodeId ToNodeId`.
                names = [first.trim().to_owned()].into_iter().filter(|first| !first.is_empty()).collect();
                names.extend_from_slice(&cells[1..]);
                continue;
            }
            if cells.len() < 2 {
                lines.rows.expect_width(2)?;
            }
            lines.columns = cells.len();
            // Without any number it is a header, in which pandas names no index; with one, an edge, perhaps damaged.
            lines.is_ahead = (0..2).any(|column| !cells[column].is_empty() && lines.rows.is_number(column));
            if !lines.is_ahead {
                names = cells;
            } else if names.len() != lines.columns || named(&names).is_none() {
                names = ["src", "dst"].map(String::from).into();
                names.resize(lines.columns, String::new());
            }
            let unread;
            (lines.ends, unread) =
                ends(names).map_err(|problem| ChunkedError::File { path: path.to_owned(), problem })?;
            return Ok((lines, unread));
        }
        Ok((lines, Vec::new()))
    }

    fn advance(&mut self) -> Result<Option<[i64; 2]>, Error> {
        while mem::take(&mut self.is_ahead) || self.rows.advance()? {
            if self.rows.cell(0).starts_with('#') {
                continue;
            }
            self.rows.expect_same_width(self.columns)?;
            let [source, target] = self.ends;
            return Ok(Some([self.rows.integer(source)?, self.rows.integer(target)?]));
        }
        Ok(None)
    }
}

/// What separates the cells of a csv file, given its start.
fn separator(start: &[u8]) -> u8 {
    let lines = start.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let first = lines.filter(|line| !line.starts_with(b"#")).find(|line| !line.is_empty()).unwrap_or_default();
    b"\t,; ".iter().copied().find(|separator| first.contains(separator)).unwrap_or(b',')
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
            From::Csv(lines) => lines.advance(),
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

    /// The edges of a csv file, and the columns that are not read.
    type Read = Result<(Vec<[i64; 2]>, Vec<String>), String>;

    fn read(text: &str, delimiter: Option<u8>) -> Read {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("edges.csv");
        fs::write(&path, text).expect("written");
        let list = EdgeList::open(&path, delimiter).and_then(|mut list| {
            let edges = list.by_ref().collect::<Result<_, _>>()?;
            Ok((edges, list.unread().to_vec()))
        });
        list.map_err(|error| error.to_string().replace(&path.display().to_string(), "edges.csv"))
    }

    #[test]
    fn sources_and_targets_are_found_by_name_or_by_place() {
        let edges = vec![[0, 3], [2, 1]];
        for (text, unread) in [
            ("src,dst\n0,3\n2,1\n", &[][..]),
            ("dst,src\n3,0\n1,2\n", &[]),
            ("citing,cited\n0,3\n2,1\n", &[]),
            ("id,src,dst\n7,0,3\n8,2,1\n", &["id"]),
            ("Target_ID;weight;\"Source ID\"\n3;0.5;0\n1;;2\n", &["weight"]),
            (":END_ID,:START_ID,:TYPE\n3,0,a\n1,2,b\n", &[":TYPE"]),
            (",src,dst\n0,0,3\n1,2,1\n", &["column 1"]),
            ("0\t3\t0.5\r\n2\t1\t0.25", &["column 3"]),
            ("# Directed, 2 edges\n#\n# FromNodeId\tToNodeId\n0\t3\n# 9\t9\n2\t1\n", &[]),
            ("#dst src sign\n3 0 1\n1 2 -1\n", &["sign"]),
            ("# from x to\n0 3\n2 1\n", &[]),
            ("# a, b\nid src dst\n7 0 3\n8 2 1", &["id"]),
        ] {
            let unread = unread.iter().map(|&name| name.to_owned()).collect();
            assert_eq!(read(text, None), Ok((edges.clone(), unread)), "{text}");
        }
        assert_eq!(
            read("0,3|2\n2,1|2\n", Some(b'|')).unwrap_err(),
            "edges.csv, line 1, column 1: \"0,3\" is not an integer"
        );
        for text in ["0,1\r\n\r\n\n", "0,1", "src,dst\n0,1\n\n"] {
            assert_eq!(read(text, None), Ok((vec![[0, 1]], Vec::new())), "the end may be empty");
        }
        for text in ["", "src,dst\n", "# nothing\n"] {
            assert_eq!(read(text, None), Ok((Vec::new(), Vec::new())));
        }
        let expected = "expected one of sources and one of targets, such as src and dst, or two columns";
        for names in ["a,b,c", "src,b", "id,src,w", "src,source,dst"] {
            let found = names.replace(',', ", ");
            assert_eq!(
                read(&format!("{names}\n0,1,2\n"), None),
                Err(format!("edges.csv has the columns {found}, {expected}"))
            );
        }
    }

    #[test]
    fn damaged_lines_are_refused() {
        for (text, expected) in [
            ("1e39,1e39\n0,1\n", ", line 1, column 1: \"1e39\" is not an integer"),
            ("0,x\n", ", line 1, column 2: \"x\" is not an integer"),
            ("a,b\nc,d\n", ", line 2, column 1: \"c\" is not an integer"),
            ("0,1\n1.5,2\n", ", line 2, column 1: \"1.5\" is not an integer"),
            ("dst,src\n0,1\n2,x\n", ", line 3, column 2: \"x\" is not an integer"),
            ("0,1\n\n1,2\n", ", line 2 is empty"),
            ("0,1\n\n1,2", ", line 2 is empty"),
            ("0,1\r\n\r\n1,2\r\n", ", line 2 is empty"),
            ("0,1\r\n1,x\r\n", ", line 2, column 2: \"x\" is not an integer"),
            ("0 1\n", ": 1 cells, expected 2"),
            ("0,1\n2\n", ", line 2: 1 cells, the lines before have 2"),
            ("# a\n0,1\n2,3,4\n", ", line 3: 3 cells, the lines before have 2"),
            ("id,src,dst\n1,2\n", ", line 2: 2 cells, the lines before have 3"),
        ] {
            let message = read(text, Some(b',')).unwrap_err();
            assert!(message.ends_with(expected), "{text:?}: {message}");
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
            let list = EdgeList::open(&path, None).and_then(Iterator::collect::<Result<Vec<_>, _>>);
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
