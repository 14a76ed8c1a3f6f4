//! Histograms as csv files: one row per size, ascending, and its number of graphs.
//!
//! The header names the sets, 1 to 16, and ends in `count`: `num_nodes,num_edges,count`, or
//! `num_nodes,num_edges,num_triplets,count`; semicolons and tabs separate cells as well as commas do. A file without
//! `count` has a row per graph, in any order.

use crate::FormatError;
use crate::common::CsvRecords;
use csv::StringRecord;
use graphpack_core::{Histogram, MAX_SETS, Size};
use graphpack_loader::extend::Cause;
use graphpack_loader::{Error, ErrorKind};
use std::io::{self, Write};
use std::iter;
use std::path::Path;

/// What precedes the name of a set in the header.
const PREFIX: &str = "num_";
/// The last column.
const COUNT: &str = "count";

/// How many graphs have which size, and the names of the sets.
///
/// ```
/// use graphpack_core::Histogram;
/// use graphpack_formats::histogram_csv::SizeCounts;
///
/// let sizes = Histogram::from_counts([([9, 18, 30], 5)])?;
/// let counts = SizeCounts::new(["nodes", "edges", "triplets"], sizes)?;
/// assert_eq!(counts.histogram().largest().to_string(), "(9, 18, 30)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SizeCounts {
    sets: Vec<String>,
    sizes: Histogram,
}

impl SizeCounts {
    /// Makes a histogram with the names of its sets. Errors unless there are 1 to 16 different names, one per set of the
    /// sizes, none of them empty, `graphs` or `count`: others could not be read again.
    pub fn new(sets: impl IntoIterator<Item = impl Into<String>>, sizes: Histogram) -> Result<Self, Error> {
        let sets = checked(sets.into_iter().map(Into::into).collect())?;
        if sizes.graphs() > 0 && sets.len() != sizes.sets() {
            return Err(SetsError(format!("expected the names of {} sets, found {}", sizes.sets(), sets.len())).into());
        }
        Ok(Self { sets, sizes })
    }

    /// Names of the sets, in their order.
    pub fn sets(&self) -> &[String] {
        &self.sets
    }

    /// Number of graphs.
    pub fn graphs(&self) -> u64 {
        self.sizes.graphs()
    }

    /// The histogram.
    pub fn histogram(&self) -> &Histogram {
        &self.sizes
    }
}

/// Reads a file, decompressing it if it is compressed. Rows of one size are added up, counts of zero left out.
/// Without the column `count`, each row is one graph.
pub fn read(path: impl AsRef<Path>) -> Result<SizeCounts, Error> {
    let path = path.as_ref();
    let mut records = CsvRecords::open(path)?;
    let delimiter = records.delimiter();
    let text = |cells: &StringRecord| cells.iter().collect::<Vec<_>>().join(delimiter);
    let (sets, counted) = sets(records.header()).map_err(|problem| {
        let expected = "the header \"num_nodes,num_edges,count\", or other sets in the same form";
        FormatError::wrong(path, "line 1", expected, format!("{:?}: {problem}", text(records.header())))
    })?;
    let mut graphs = 0_u64;
    let mut advance = || -> Result<Option<_>, Error> {
        let Some((line, record)) = records.advance()? else { return Ok(None) };
        let row = row(record, sets.len(), counted).ok_or_else(|| {
            let expected = format!("{}{}", sets.join(", "), if counted { " and a count" } else { "" });
            FormatError::wrong(path, format!("line {line}"), expected, format!("{:?}", text(record)))
        })?;
        graphs = graphs.checked_add(row.1).ok_or_else(|| {
            let problem = ": with this row the number of graphs exceeds 64 bits".to_owned();
            FormatError::Csv { path: path.to_owned(), line, problem }
        })?;
        Ok(Some(row))
    };
    let mut failed = None;
    // Row by row: a file of single graphs may be larger than memory. Cannot fail: graphs are counted in 64 bits.
    let rows = iter::from_fn(|| {
        advance().unwrap_or_else(|error| {
            failed = Some(error);
            None
        })
    });
    let sizes = Histogram::from_counts(rows).unwrap_or_default();
    match failed {
        Some(error) => Err(error),
        None => Ok(SizeCounts { sets, sizes }),
    }
}

/// Writes a histogram.
pub fn write(counts: &SizeCounts, to: impl Write) -> io::Result<()> {
    // Names with what may separate cells are only known by their quotes.
    let is_plain = !counts.sets.iter().any(|set| set.contains([';', '\t']));
    let style = if is_plain { csv::QuoteStyle::Necessary } else { csv::QuoteStyle::NonNumeric };
    let mut to = csv::WriterBuilder::new().quote_style(style).from_writer(to);
    let columns = counts.sets.iter().map(|set| format!("{PREFIX}{set}"));
    to.write_record(columns.chain([COUNT.to_owned()]))?;
    for (size, count) in counts.sizes.entries() {
        let rows = size.as_slice().iter().map(u32::to_string);
        to.write_record(rows.chain([count.to_string()]))?;
    }
    to.flush()
}

/// The sets that a header names, and whether a count follows.
fn sets(header: &StringRecord) -> Result<(Vec<String>, bool), Error> {
    let columns: Vec<&str> = header.iter().collect();
    let (columns, counted) = match &columns[..] {
        [columns @ .., COUNT] => (columns, true),
        columns => (columns, false),
    };
    let name = |column: &&str| {
        let name = column.strip_prefix(PREFIX).map(str::to_owned);
        name.ok_or_else(|| SetsError(format!("column {column:?} does not begin with {PREFIX}")).into())
    };
    Ok((checked(columns.iter().map(name).collect::<Result<_, Error>>()?)?, counted))
}

/// The names, if they can be those of sets.
fn checked(sets: Vec<String>) -> Result<Vec<String>, Error> {
    let problem = if sets.is_empty() {
        "there is no set".to_owned()
    } else if sets.len() > MAX_SETS {
        format!("there are {} sets, more than {MAX_SETS}", sets.len())
    } else if let Some(at) = (1..sets.len()).find(|&at| sets[..at].contains(&sets[at])) {
        format!("two sets are named {:?}", sets[at])
    } else if sets.iter().any(|set| set.is_empty() || set.trim() != set) {
        "the name of a set is empty, or begins or ends with a blank".to_owned()
    } else if let Some(set) = sets.iter().find(|set| ["graphs", COUNT].contains(&&***set)) {
        format!("{set} is not a set, the column of the number of graphs is called {COUNT}")
    } else {
        return Ok(sets);
    };
    Err(SetsError(problem).into())
}

/// The rows of each set, and the count that follows or 1.
fn row(record: &StringRecord, sets: usize, counted: bool) -> Option<(Size, u64)> {
    if record.len() != sets + usize::from(counted) {
        return None;
    }
    let mut size = Size::of(sets, |_| 0);
    for (set, cell) in record.iter().take(sets).enumerate() {
        size.set(set, cell.parse().ok()?);
    }
    let count = if counted { record[sets].parse().ok()? } else { 1 };
    Some((size, count))
}

/// Why names cannot be those of the sets of a histogram.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct SetsError(String);

impl Cause for SetsError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Options
    }
}
