//! [`Pieces`]: the graphs of a file of any format, some at a time; [`read`]: all of them.

use super::{FileFormat, Opened, ReadOptions};
use crate::FormatError;
use crate::common::{Record, Records};
use crate::gather::{Called, Fields, Gather};
use graphpack_loader::{BoxError, Error, Store, StoreFiles};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::mem;
use std::path::{Path, PathBuf};

/// Bytes of a piece, about.
const BYTES: usize = 2 << 20;
/// Rows of a piece of a store, about.
const ROWS: usize = 1 << 16;

/// The graphs of a file or folder of any format as stores in memory, a few thousand at a time, so that it may be larger
/// than memory. Stores of one file differ in the fields that none of their graphs has.
///
/// ```no_run
/// use graphpack_formats::{Fields, Pieces};
/// use graphpack_loader::store::StoreWriter;
///
/// let mut writer = StoreWriter::create("alloys.safetensors")?;
/// for piece in Pieces::open("alloys.db", &Fields::default())? {
///     writer.push(&piece?)?;
/// }
/// writer.finish()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Pieces {
    path: PathBuf,
    fields: Fields,
    /// What records call fields that the file calls otherwise.
    called: Vec<Called>,
    from: From,
    /// Bytes and rows of a piece.
    most: (usize, usize),
    /// Graphs that are still to be read.
    left: usize,
    /// The numbers of the records that are taken, in ascending order, where some are not.
    split: Option<Vec<u32>>,
    /// Whether a record that cannot be read is left out.
    skips_errors: bool,
    failed: Failed,
    /// Whether this file must have all fields that are named.
    is_alone: bool,
    has_ended: bool,
}

/// Changes a store.
pub type Change<'a> = dyn Fn(Store) -> Result<Store, BoxError> + Sync + 'a;

/// Graphs that were read, and records that could not be.
#[derive(Default)]
struct Failed {
    graphs: u64,
    records: u64,
    /// Records that are not of the split.
    others: u64,
    lines: Vec<String>,
    /// The record of each graph of this piece, where records may be left out.
    numbers: Vec<u64>,
}

enum From {
    Records(Box<dyn Records>, Box<Gather>),
    /// A store, and the next graph.
    Store(StoreFiles, usize),
}

impl Pieces {
    /// Opens a file or folder, whose format is recognised.
    pub fn open(path: impl AsRef<Path>, fields: &Fields) -> Result<Self, Error> {
        let path = path.as_ref();
        Self::with(path, FileFormat::of(path)?, fields, &ReadOptions::default())
    }

    /// Opens a file or folder of this format.
    pub fn with(
        path: impl AsRef<Path>,
        format: FileFormat,
        fields: &Fields,
        options: &ReadOptions,
    ) -> Result<Self, Error> {
        let path = path.as_ref();
        let (opened, called) = format.open_with(path, fields, options)?;
        let from = match opened {
            Opened::Records(records) => From::Records(records, Box::new(Gather::new(path, fields.called(&called)))),
            Opened::Store(store) => From::Store(store, 0),
        };
        let (most, left, skips_errors) = ((BYTES, ROWS), usize::MAX, options.skips_errors);
        #[cfg(feature = "readers")]
        let mut split = options.split.as_ref().map(|split| crate::ogb::graphs_of_split(path, split)).transpose()?;
        #[cfg(feature = "readers")]
        split.iter_mut().for_each(|split| split.sort_unstable());
        #[cfg(not(feature = "readers"))]
        let split = None;
        let (path, fields, failed) = (path.to_owned(), fields.clone(), Failed::default());
        Ok(Self {
            path,
            fields,
            called,
            from,
            most,
            left,
            split,
            skips_errors,
            failed,
            is_alone: true,
            has_ended: false,
        })
    }

    /// Adds columns of a csv file with a row for each graph, as [`targets::join`](crate::targets::join) does, beside
    /// the fields that are selected. Errors for a store.
    #[cfg(feature = "readers")]
    pub fn with_targets(mut self, csv: impl AsRef<Path>, columns: &[impl AsRef<str>]) -> Result<Self, Error> {
        let columns: Vec<&str> = columns.iter().map(AsRef::as_ref).collect();
        self.from = match self.from {
            From::Records(records, mut gather) => {
                gather.also_select(&columns);
                From::Records(Box::new(crate::targets::join(records, csv, &columns)?), gather)
            }
            From::Store(..) => {
                return Err(FormatError::wrong(&self.path, "", "a file to which targets can be added", "a store"));
            }
        };
        Ok(self)
    }

    /// One of several files, which together have all fields that are named.
    pub(super) fn among_others(mut self) -> Self {
        self.is_alone = false;
        self
    }

    /// Reads no more graphs than the first `graphs`.
    #[must_use]
    pub fn first(mut self, graphs: usize) -> Self {
        self.left = graphs;
        self
    }

    /// Reads all graphs, of which there must be some, without the limit of a piece. [`skipped`](Self::skipped) then
    /// says what was passed over.
    pub fn read(&mut self) -> Result<Store, Error> {
        self.most = (usize::MAX, usize::MAX);
        let store = self.next().transpose()?.unwrap_or_else(|| Store::new(Default::default()));
        self.fields.check(&self.path, &self.seen())?;
        Ok(store)
    }

    /// Reads all graphs as [`read`](Self::read) does and changes each. A graph that cannot be changed counts as a record
    /// that cannot be read.
    pub fn read_changed(&mut self, change: &Change<'_>) -> Result<Store, Error> {
        let store = self.read()?;
        let changed = self.changed(store, change)?;
        if changed.is_empty() {
            return self.end().map(|_| Store::new(Default::default()));
        }
        Store::concat(&changed).map_err(|error| FormatError::refused(&self.path, error))
    }

    /// Changes the last piece; where records that cannot be read are left out, the parts of it that can be changed.
    pub(super) fn changed(&mut self, piece: Store, change: &Change<'_>) -> Result<Vec<Store>, Error> {
        let path = self.path.clone();
        let changed = |piece| change(piece).map_err(|error| FormatError::refused(&path, error));
        if !self.skips_errors {
            return Ok(vec![changed(piece)?]);
        }
        let (mut parts, mut ranges) = (Vec::new(), vec![(0, piece.len())]);
        while let Some((start, end)) = ranges.pop() {
            let part = piece.part(start..end).map_err(|error| FormatError::refused(&path, error))?;
            match changed(part) {
                Ok(part) => parts.push(part),
                Err(error) if end - start == 1 => {
                    self.failed.graphs -= 1;
                    self.failed.add(self.failed.numbers[start], &error);
                }
                Err(_) => {
                    let middle = start.midpoint(end);
                    ranges.extend([(middle, end), (start, middle)]);
                }
            }
        }
        Ok(parts)
    }

    /// Returns the places of these records among the graphs of the last piece, without those that could not be read.
    #[cfg(feature = "readers")]
    pub(super) fn graphs_of(&self, records: &[u32]) -> Vec<u32> {
        if !self.skips_errors {
            return records.to_vec();
        }
        let place = |&record: &u32| self.failed.numbers.binary_search(&record.into()).ok();
        records.iter().filter_map(place).map(|place| place as u32).collect()
    }

    /// How much of the file was read, and how much there is, in a unit of the reader's own.
    pub fn progress(&self) -> (u64, Option<u64>) {
        match &self.from {
            From::Records(records, _) => records.progress(),
            From::Store(store, next) => (*next as u64, Some(store.len() as u64)),
        }
    }

    /// Returns the names of the fields that were found so far, taken or not, as records have them; of the fields that
    /// somebody selected or renamed, also the names that the file has.
    pub fn seen(&self) -> BTreeSet<String> {
        match &self.from {
            From::Records(_, gather) => {
                let seen = gather.seen();
                let is_seen = |called: &&Called| called.of_records.as_ref().is_none_or(|name| seen.contains(name));
                let named = |called: &&Called| self.fields.named().any(|name| *name == called.of_file);
                let of_file = self.called.iter().filter(named).filter(is_seen).map(|called| &called.of_file);
                // One that is renamed by the file's name is not renamed by that of records, too.
                let is_renamed = |name: &str| self.fields.said(name) != name;
                let is_other = |name: &str| {
                    let has = |called: &Called| called.of_records.as_deref() == Some(name) && called.of_file != name;
                    is_renamed(name) && self.called.iter().any(|called| has(called) && is_renamed(&called.of_file))
                };
                seen.iter().filter(|name| !is_other(name)).chain(of_file).cloned().collect()
            }
            From::Store(store, _) => store.schema().fields().iter().map(|field| field.name.clone()).collect(),
        }
    }

    /// What was passed over and why, one line each: first all records that could not be read, then what
    /// [`Records::skipped`] lists, and the labels that no graph has.
    pub fn skipped(&self) -> Vec<String> {
        match &self.from {
            From::Records(records, gather) => {
                let of_file = records.skipped().iter().cloned().chain(gather.never_given());
                self.failed.lines.iter().cloned().chain(of_file).collect()
            }
            From::Store(..) => self.failed.lines.clone(),
        }
    }

    /// Number of records that could not be read and were left out.
    pub fn failed(&self) -> u64 {
        self.failed.records
    }

    /// The end of a file, which is an error if it had no graphs, or has not a field that is named.
    fn end(&mut self) -> Result<Option<Store>, Error> {
        // Errors are said once: whoever goes on after them comes to the end.
        if mem::replace(&mut self.has_ended, true) {
            return Ok(None);
        }
        if self.failed.graphs > 0 {
            if self.is_alone && self.left > 0 {
                self.fields.check(&self.path, &self.seen())?;
            }
            return Ok(None);
        }
        // The first record may be wrong in its own way, where all others are in another.
        let found = match (&self.failed.lines[..], &self.skipped()[..]) {
            ([first, .., last], _) => format!("none; {first}; {last}"),
            (_, [first, ..]) => format!("none; {first}"),
            _ => "none".to_owned(),
        };
        Err(FormatError::wrong(&self.path, "", "graphs", found))
    }

    fn next_piece(&mut self) -> Result<Option<Store>, Error> {
        let (bytes, rows) = self.most;
        match &mut self.from {
            From::Records(records, gather) => {
                let mut record = Record::default();
                self.failed.numbers.clear();
                while self.left > 0 && gather.bytes() < bytes {
                    let number = self.failed.next();
                    let is_of_split =
                        self.split.as_ref().is_none_or(|split| split.binary_search(&(number as u32)).is_ok());
                    // Fields that do not fit are known once the record was read.
                    let (read, goes_on) = match records.next(&mut record) {
                        Ok(false) => break,
                        Ok(true) if !is_of_split => {
                            self.failed.others += 1;
                            continue;
                        }
                        Err(_) if !is_of_split && records.goes_on() => {
                            self.failed.others += 1;
                            continue;
                        }
                        Ok(true) => (gather.push(&record), true),
                        Err(error) => (Err(error), records.goes_on()),
                    };
                    match read {
                        Ok(()) => {
                            if self.skips_errors {
                                self.failed.numbers.push(number);
                            }
                            (self.left, self.failed.graphs) = (self.left - 1, self.failed.graphs + 1);
                        }
                        Err(error) if self.skips_errors && goes_on => self.failed.add(number, &error),
                        Err(error) => return Err(error),
                    }
                }
                if !gather.is_empty() {
                    return gather.take_in(|field| records.unit(field), |field| records.labels(field)).map(Some);
                }
                self.end()
            }
            From::Store(store, next) => {
                let (from, mut found) = (*next, 0);
                while self.left > 0 && *next < store.len() && found < rows {
                    found += 1 + store.size(*next)?.as_slice().iter().map(|&rows| rows as usize).sum::<usize>();
                    *next += 1;
                    self.left -= 1;
                }
                self.failed.graphs += (*next - from) as u64;
                if from == *next {
                    return self.end();
                }
                let invalid = |error| FormatError::refused(&self.path, error);
                let name = |name: &str| self.fields.name(name).map(Cow::into_owned);
                let piece = store.part(from..*next)?;
                Ok(Some(piece.with_names(name).map_err(invalid)?))
            }
        }
    }
}

impl Failed {
    /// The number of the next record.
    fn next(&self) -> u64 {
        self.graphs + self.records + self.others
    }

    /// Lists a record, by its number in the file.
    fn add(&mut self, record: u64, error: &Error) {
        self.records += 1;
        self.lines.push(format!("record {record}: {error}"));
    }
}

impl Iterator for Pieces {
    type Item = Result<Store, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_piece().transpose()
    }
}

/// Reads a file or folder of any format into memory. A record that cannot be read is an error; [`ReadOptions`] of
/// [`Pieces::with`] leave such out.
///
/// ```no_run
/// use graphpack_formats::{Fields, read};
/// use graphpack_loader::{Loader, Options, Order};
///
/// let molecules = read("qm9.sdf", &Fields::default())?;
/// for batch in Loader::new(molecules, Options::graphs(64).order(Order::Shuffled).seed(0))?.epoch(0) {
///     let batch = batch?;
///     println!("{} atoms", batch.real().nodes());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read(path: impl AsRef<Path>, fields: &Fields) -> Result<Store, Error> {
    Pieces::open(path, fields)?.read()
}
