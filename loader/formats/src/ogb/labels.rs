//! [`Labels`]: what graphs are labelled with, numbers or texts; splits: which graphs are for training, validation and
//! testing; [`Table`]: a csv file of numbers, of which each graph has some rows.

use crate::common::{CellKind, CsvRows, OfRecord, Record, Values};
use crate::{FormatError, ReadError, common, compressed};
use graphpack_loader::{Error, Level};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Subtokens of the vocabulary, and of a label.
const VOCABULARY: usize = 5000;
const LENGTH: usize = 5;

/// What graphs are labelled with.
pub(super) enum Labels {
    None,
    /// Numbers, and whether some are missing.
    Numbers(Table, bool),
    /// For each graph the places of its subtokens.
    Texts {
        y: Vec<u16>,
        vocabulary: Vec<String>,
        next: usize,
    },
}

impl Labels {
    /// Opens the labels of `graphs` graphs.
    pub(super) fn open(directory: &Path, graphs: usize, notes: &mut Vec<String>) -> Result<Self, Error> {
        let path = compressed::existing(&directory.join("raw/graph-label.csv.gz"));
        let Some(table) = Table::open(&path)? else { return Ok(Self::None) };
        let mut rows = CsvRows::open(&path, b',')?;
        let (mut missing, mut texts) = (false, Vec::<String>::new());
        while rows.advance()? {
            // Whether labels are texts, the first says.
            if !texts.is_empty() || (rows.line() == 1 && rows.double(0).is_err() && rows.width() == 1) {
                if rows.double(0).is_ok_and(f64::is_finite) {
                    // Not names of functions, but numbers of which the first cannot be read.
                    let expected = format!("a number, as in line {}", rows.line());
                    return Err(FormatError::wrong(path, "line 1", expected, format!("{:?}", texts[0])));
                }
                rows.expect_width(1)?;
                texts.push(rows.cell(0).into_owned());
            } else {
                missing |= (0..rows.width()).any(|column| rows.double(column).is_ok_and(f64::is_nan));
            }
        }
        if texts.is_empty() {
            return Ok(Self::Numbers(table, missing));
        }
        if texts.len() != graphs {
            return Err(FormatError::wrong(path, "", format!("{graphs} rows"), texts.len().to_string()));
        }
        let split = directory.join("split");
        let train = if split.is_dir() && kinds_of_split(&split)?.len() == 1 {
            graphs_of_split(directory, "train", graphs)?
        } else {
            notes.push("graph-label: the vocabulary is that of all graphs, there is no training split".into());
            (0..graphs as u32).collect()
        };
        Ok(Self::of_texts(&texts, &train))
    }

    fn of_texts(texts: &[String], train: &[u32]) -> Self {
        // The number of each subtoken and where it was first.
        let mut counts: HashMap<&str, (u64, usize)> = HashMap::new();
        for subtoken in train.iter().flat_map(|&graph| texts[graph as usize].split(' ')) {
            let first = counts.len();
            counts.entry(subtoken).or_insert((0, first)).0 += 1;
        }
        let mut vocabulary: Vec<_> = counts.into_iter().collect();
        vocabulary.sort_unstable_by_key(|&(_, (count, first))| (std::cmp::Reverse(count), first));
        vocabulary.truncate(VOCABULARY);
        let places: HashMap<&str, u16> =
            vocabulary.iter().enumerate().map(|(place, &(subtoken, _))| (subtoken, place as u16)).collect();
        let (unknown, end) = (VOCABULARY as u16, VOCABULARY as u16 + 1);
        let mut y = Vec::with_capacity(texts.len() * LENGTH);
        for text in texts {
            let subtokens = text.split(' ').map(|subtoken| places.get(subtoken).copied().unwrap_or(unknown));
            y.extend(subtokens.chain(std::iter::repeat(end)).take(LENGTH));
        }
        let vocabulary = vocabulary.into_iter().map(|(subtoken, _)| subtoken.to_owned()).collect();
        Self::Texts { y, vocabulary, next: 0 }
    }

    /// Adds the label of the next graph. With `nan`, numbers that are missing are NaN; else they are 0, and `has_y`
    /// says which are there.
    pub(super) fn push(&mut self, record: &mut Record, nan: bool) -> OfRecord<()> {
        match self {
            Self::None => {}
            Self::Numbers(table, missing) => {
                let (mut values, width) = match table.take(1, CsvRows::double)? {
                    Ok(label) => label,
                    Err(error) => return Ok(Err(error)),
                };
                if *missing && !nan {
                    record.push("has_y", Level::Graph, width, Values::Bool(values.mask_nan()));
                    record.shape_last(&[width]);
                }
                record.push("y", Level::Graph, width, values);
                // As `PygGraphPropPredDataset` has it, also of one task.
                record.shape_last(&[width]);
            }
            Self::Texts { y, next, .. } => {
                let y = y[*next * LENGTH..(*next + 1) * LENGTH].iter().map(|&place| i64::from(place)).collect();
                *next += 1;
                record.push("y", Level::Graph, LENGTH, Values::I64(y));
            }
        }
        Ok(Ok(()))
    }

    pub(super) fn end(&mut self) -> Result<(), Error> {
        if let Self::Numbers(table, _) = self { table.end() } else { Ok(()) }
    }
}

/// The graphs of a split, `PART` or `KIND/PART`, of a data set of `available` graphs.
pub(super) fn graphs_of_split(directory: &Path, name: &str, available: usize) -> Result<Vec<u32>, Error> {
    let (path, graphs) = CsvRows::read_integers(&file(directory, name)?, 1)?;
    let number = |(line, &graph): (usize, &i64)| match u32::try_from(graph) {
        Ok(number) if (number as usize) < available => Ok(number),
        _ => {
            let place = format!("line {}", line + 1);
            Err(FormatError::wrong(&path, place, format!("a graph below {available}"), graph.to_string()))
        }
    };
    graphs.iter().enumerate().map(number).collect()
}

/// The file of a split, which may lack its `.gz`.
fn file(directory: &Path, name: &str) -> Result<PathBuf, Error> {
    let split = directory.join("split");
    let missing = |folder: &Path, name: &str, found: Vec<String>| {
        let found = if found.is_empty() { "none".into() } else { found.join(", ") };
        FormatError::wrong(folder, "", format!("a split {name}"), found)
    };
    let (kind, part) = match name.split_once('/') {
        Some((kind, part)) if split.join(kind).is_dir() => (kind.to_owned(), part),
        Some((kind, _)) => return Err(missing(&split, kind, kinds_of_split(&split)?)),
        None => match <[String; 1]>::try_from(kinds_of_split(&split)?) {
            Ok([only]) => (only, name),
            Err(kinds) => {
                let kinds: Vec<_> = kinds.iter().map(|kind| format!("{kind}/{name}")).collect();
                return Err(missing(&split, "of one kind, or the name of one of several", kinds));
            }
        },
    };
    let folder = split.join(kind);
    let file = folder.join(format!("{part}.csv.gz"));
    if compressed::existing(&file).exists() { Ok(file) } else { Err(missing(&folder, part, parts(&folder)?)) }
}

/// The kinds of split.
fn kinds_of_split(split: &Path) -> Result<Vec<String>, Error> {
    let mut kinds = file_names(split)?;
    kinds.retain(|name| split.join(name).is_dir());
    Ok(kinds)
}

/// The splits of a kind.
fn parts(kind: &Path) -> Result<Vec<String>, Error> {
    let names = file_names(kind)?;
    let parts = names.iter().filter_map(|name| name.strip_suffix(".gz").unwrap_or(name).strip_suffix(".csv"));
    Ok(parts.map(str::to_owned).collect())
}

/// What is in a folder, in alphabetical order.
pub(super) fn file_names(folder: &Path) -> Result<Vec<String>, Error> {
    common::file_names(folder).map_err(|source| ReadError::open(folder, source))
}

/// A csv file of numbers, of which each graph has some rows.
pub(super) struct Table {
    path: PathBuf,
    rows: CsvRows,
    /// Cells per row: of the first, or 1 if there is none.
    width: usize,
}

impl Table {
    /// Opens a file; `None` if it is not there.
    pub(super) fn open(path: &Path) -> Result<Option<Self>, Error> {
        let path = compressed::existing(path);
        if !path.exists() {
            return Ok(None);
        }
        let mut first = CsvRows::open(&path, b',')?;
        let width = if first.advance()? { first.width() } else { 1 };
        Ok(Some(Self { rows: CsvRows::open(&path, b',')?, path, width }))
    }

    /// The next rows and cells per row: integers if all cells are, else floating point, which `double` reads.
    pub(super) fn take(
        &mut self,
        rows: usize,
        double: impl Fn(&CsvRows, usize) -> Result<f64, Error>,
    ) -> OfRecord<(Values, usize)> {
        let (mut integers, mut floats, mut kind, width) = (Vec::new(), Vec::new(), CellKind::default(), self.width);
        let read = self.each(rows, "a row for each node, edge or graph", |rows| {
            rows.expect_same_width(width)?;
            for column in 0..width {
                match kind.see(rows, column)? {
                    Some(integer) => integers.push(integer),
                    None => {
                        floats.extend(integers.drain(..).map(|integer| integer as f64));
                        floats.push(double(rows, column)?);
                    }
                }
            }
            Ok(())
        })?;
        let values = || if kind.are_integers()? { Ok(Values::I64(integers)) } else { Ok(Values::F64(floats)) };
        Ok(read.and_then(|()| values()).map(|values| (values, width)))
    }

    /// The next rows, which must be two numbers of nodes each.
    pub(super) fn edges(&mut self, rows: usize, graph: usize, nodes: usize) -> OfRecord<Vec<[i64; 2]>> {
        let (mut edges, path) = (Vec::new(), self.path.clone());
        let read = self.each(rows, "a row for each edge", |rows| {
            rows.expect_width(2)?;
            let node = |column| {
                let node = rows.integer(column)?;
                if (0..nodes as i64).contains(&node) {
                    return Ok(node);
                }
                let (place, expected) =
                    (format!("line {}", rows.line()), format!("the nodes of graph {graph}, below {nodes}"));
                Err(FormatError::wrong(&path, place, expected, format!("node {node}")))
            };
            edges.push([node(0)?, node(1)?]);
            Ok(())
        })?;
        Ok(read.map(|()| edges))
    }

    /// Reads the next rows to the last, whatever is wrong with one of them.
    fn each(
        &mut self,
        rows: usize,
        expected: &str,
        mut read: impl FnMut(&CsvRows) -> Result<(), Error>,
    ) -> OfRecord<()> {
        let mut all = Ok(());
        for _ in 0..rows {
            if !self.rows.advance()? {
                return Err(self.wrong(expected, format!("{} rows", self.rows.line())));
            }
            all = all.and_then(|()| read(&self.rows));
        }
        Ok(all)
    }

    /// Checks that there are no more rows.
    pub(super) fn end(&mut self) -> Result<(), Error> {
        let read = self.rows.line();
        if self.rows.advance()? { Err(self.wrong(format!("{read} rows"), "more")) } else { Ok(()) }
    }

    fn wrong(&self, expected: impl Into<String>, found: impl Into<String>) -> Error {
        FormatError::wrong(&self.path, "", expected, found)
    }
}
