//! [`EdgeList`]: a csv file with an edge per line, read line by line.

use graphpack_formats::{CsvError, CsvRows};
use std::path::Path;

/// Iterates over the edges in a csv file: the first two columns are source and target, the others are ignored. The file
/// may be compressed by gzip and may have a header.
///
/// ```
/// use graphpack_partition::EdgeList;
///
/// let path = tempfile::tempdir()?.keep().join("edges.csv");
/// std::fs::write(&path, "src,dst\n0,3\n2,1\n")?;
/// let edges = EdgeList::open(&path, b',')?.collect::<Result<Vec<_>, _>>()?;
/// assert_eq!(edges, [[0, 3], [2, 1]]);
/// # std::fs::remove_dir_all(path.parent().unwrap())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct EdgeList {
    rows: CsvRows,
    first: bool,
    ended: bool,
}

impl EdgeList {
    /// Opens a file, decompressing it if its name ends in `.gz`. Cells are separated by `delimiter`.
    pub fn open(path: impl AsRef<Path>, delimiter: u8) -> Result<Self, CsvError> {
        Ok(Self { rows: CsvRows::open(path.as_ref(), delimiter)?, first: true, ended: false })
    }

    /// The line of the last edge returned, from 1.
    pub fn line(&self) -> u64 {
        self.rows.line()
    }

    fn advance(&mut self) -> Result<Option<[i64; 2]>, CsvError> {
        while self.rows.advance()? {
            if self.rows.width() < 2 {
                self.rows.expect_width(2)?;
            }
            let edge = self.rows.integer(0).and_then(|source| Ok([source, self.rows.integer(1)?]));
            // A first line without any number is a header; with one it is a damaged edge.
            let header = std::mem::take(&mut self.first) && (0..2).all(|column| self.rows.float(column).is_err());
            if !header {
                return edge.map(Some);
            }
        }
        Ok(None)
    }
}

/// Ends after the first error.
impl Iterator for EdgeList {
    type Item = Result<[i64; 2], CsvError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let next = self.advance().transpose();
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
}
