//! Histograms as csv files: the header `num_nodes,num_edges,count`, one row per size, ascending.

use crate::{CsvRecords, ReadError};
use graphpack_core::{Histogram, HistogramError, Size};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The first line.
pub const HEADER: [&str; 3] = ["num_nodes", "num_edges", "count"];

/// Reads a file, decompressing it if its name ends in `.gz`. Rows of one size are added up, counts of zero left out.
pub fn read(path: impl AsRef<Path>) -> Result<Histogram<2>, HistogramCsvError> {
    let path = path.as_ref();
    let text = |cells: &csv::StringRecord| cells.iter().collect::<Vec<_>>().join(",");
    let mut records = CsvRecords::open(path)?;
    if records.header().iter().ne(HEADER) {
        return Err(HistogramCsvError::Header { path: path.to_owned(), found: text(records.header()) });
    }
    let mut rows = Vec::new();
    while let Some((line, record)) = records.advance()? {
        match record.deserialize::<(u32, u32, u64)>(None) {
            Ok((nodes, edges, count)) if record.len() == 3 => rows.push((Size([nodes, edges]), count)),
            _ => return Err(HistogramCsvError::Row { path: path.to_owned(), line, found: text(record) }),
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
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
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
