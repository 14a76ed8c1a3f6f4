//! Histograms as csv files: the header `num_nodes,num_edges,count`, one row per size, ascending.

use crate::gzip::open;
use csv::{ErrorKind, ReaderBuilder, Terminator, Trim};
use graphpack_core::{Histogram, HistogramError, Size};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The first line.
pub const HEADER: [&str; 3] = ["num_nodes", "num_edges", "count"];

/// Reads a file, decompressing it if its name ends in `.gz`. Rows of one size are added up, counts of zero left out.
pub fn read(path: &Path) -> Result<Histogram<2>, HistogramCsvError> {
    let io = |line, source| HistogramCsvError::Io { path: path.to_owned(), line, source };
    let file = open(path).map_err(|source| io(1, source))?;
    // The reader counts a line when it meets `\n`: so it has done behind each row, as in `CsvRows`. Empty lines are fine here.
    let mut builder = ReaderBuilder::new();
    builder.flexible(true).trim(Trim::All).terminator(Terminator::Any(b'\n'));
    let mut reader = builder.from_reader(file.chain(&b"\n"[..]));
    let fault = |line, found: String| HistogramCsvError::Row { path: path.to_owned(), line, found };
    let into_error = |line, error: csv::Error| match error.into_kind() {
        ErrorKind::Io(source) => io(line, source),
        other => fault(line, format!("{other:?}")),
    };
    let header = reader.headers().map_err(|error| into_error(1, error))?;
    if header.iter().ne(HEADER) {
        let found = header.iter().collect::<Vec<_>>().join(",");
        return Err(HistogramCsvError::Header { path: path.to_owned(), found });
    }
    let mut rows = Vec::new();
    let mut record = csv::StringRecord::new();
    loop {
        let line = reader.position().line();
        if !reader.read_record(&mut record).map_err(|error| into_error(line, error))? {
            break;
        }
        if record.len() == 1 && record[0].is_empty() {
            continue;
        }
        let line = reader.position().line() - 1;
        let row: Result<(u32, u32, u64), _> = record.deserialize(None);
        match row {
            Ok((nodes, edges, count)) if record.len() == 3 => rows.push((Size([nodes, edges]), count)),
            _ => return Err(fault(line, record.iter().collect::<Vec<_>>().join(","))),
        }
    }
    Histogram::from_counts(rows).map_err(|source| HistogramCsvError::Histogram { path: path.to_owned(), source })
}

/// Writes a histogram.
pub fn write(histogram: &Histogram<2>, mut to: impl Write) -> io::Result<()> {
    writeln!(to, "{}", HEADER.join(","))?;
    for (Size([nodes, edges]), count) in histogram.entries() {
        writeln!(to, "{nodes},{edges},{count}")?;
    }
    to.flush()
}

/// A histogram file that cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HistogramCsvError {
    /// The file cannot be read: not there, truncated, not gzip.
    #[error("{}, line {line}: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The line at which reading failed, from 1.
        line: u64,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The first line is not the header.
    #[error("{}, line 1: expected the header \"num_nodes,num_edges,count\", found {found:?}", .path.display())]
    Header {
        /// The file.
        path: PathBuf,
        /// The first line.
        found: String,
    },
    /// A row is not three whole numbers, the first two of 32 bits.
    #[error("{}, line {line}: expected nodes, edges and a count, found {found:?}", .path.display())]
    Row {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// The row.
        found: String,
    },
    /// The counts are too large.
    #[error("{}: {source}", .path.display())]
    Histogram {
        /// The file.
        path: PathBuf,
        /// What is too large.
        #[source]
        source: HistogramError<2>,
    },
}

#[cfg(test)]
mod tests {
    use super::read;
    use std::fs;

    #[test]
    fn lines_are_those_of_the_file_whatever_ends_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("sizes.csv");
        let header = "num_nodes,num_edges,count";
        for end in ["\n", "\r\n"] {
            let read = |lines: &[&str]| {
                fs::write(&path, [&[header], lines].concat().join(end)).expect("written");
                read(&path).map_err(|error| error.to_string().replace(&path.display().to_string(), "sizes.csv"))
            };
            let found = read(&["1,2,3", "", "4, 5,6", ""]).expect("a histogram");
            assert_eq!(found.entries().len(), 2);
            let row = "expected nodes, edges and a count, found";
            assert_eq!(read(&["1,2,3", "4,x,6"]), Err(format!("sizes.csv, line 3: {row} \"4,x,6\"")));
            assert_eq!(read(&["", "1,2", "4,5,6"]), Err(format!("sizes.csv, line 3: {row} \"1,2\"")));
        }
    }
}
