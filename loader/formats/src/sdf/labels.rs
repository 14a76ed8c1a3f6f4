//! [`Lines`]: the lines of a file, of which one is in memory; [`Labels`]: the data items among them that become targets, as
//! [`SdfOptions`] say.

use crate::chemistry::features;
use crate::common::{Label, Record, keep_targets, quoted};
use crate::gather::Fields;
use crate::{FormatError, ReadError, compressed};
use graphpack_loader::{Error, Level};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// The data items of a file that become targets.
#[derive(Clone, Debug, Default)]
pub(super) struct Labels {
    labels: BTreeMap<String, Label>,
}

impl Labels {
    /// Different data items that a file may have.
    const MOST: usize = 10_000;
    /// The most bytes of a molecule that are kept to find out whether it can be read.
    const LONGEST: usize = 1 << 26;

    /// Finds the targets of a file by reading it once: those named, or all data items that are numbers. Returns what is
    /// left out, and the number of molecules, too. With `is_molecule`, which says whether the text of a molecule can be
    /// read, molecules may be left out.
    pub(super) fn find(
        path: &Path,
        options: &SdfOptions,
        fields: &Fields,
        is_molecule: Option<&dyn Fn(Vec<u8>) -> bool>,
    ) -> Result<(Self, Vec<String>, u64), Error> {
        let mut lines = Lines::open(path)?;
        let (mut labels, mut molecules, mut item): (BTreeMap<_, Label>, _, _) = (BTreeMap::new(), 0, Item::default());
        let (mut text, mut is_changed, mut seen) = (Vec::new(), false, Ok(()));
        let (mut is_after_table, mut names, mut stray) = (false, BTreeSet::new(), BTreeMap::new());
        let mut double = BTreeMap::new();
        loop {
            let is_end = lines.next()?.is_none();
            if let Some(what) = item.stray(lines.text()).filter(|_| is_after_table && !is_end) {
                let line = || format!("{what}: left out, {} has {}", lines.place(), quoted(lines.text()));
                stray.entry(what).or_insert_with(line);
            }
            is_after_table =
                (is_after_table || lines.text().starts_with("M  END")) && !lines.text().starts_with("$$$$");
            if is_molecule.is_some() && !is_end && text.len() < Self::LONGEST {
                text.extend_from_slice(lines.text().as_bytes());
                text.push(b'\n');
            }
            if let Some((name, value)) = item.take(if is_end { "" } else { lines.text() }) {
                if !names.insert(name.clone()) {
                    // An error where molecules are read, if it is a target.
                    let line =
                        || format!("data item {name}: twice in a molecule, the second ends at {}", lines.place());
                    double.entry(name.clone()).or_insert_with(line);
                }
                let is_named = options.targets.as_ref().is_some_and(|targets| targets.contains(&name));
                let is_label = is_named || options.targets.is_none();
                let label = match labels.entry(name) {
                    Entry::Occupied(label) => Some(label.into_mut()),
                    Entry::Vacant(label) if is_label => {
                        fields.label(label.key(), "data item", is_named).map(|new| label.insert(new))
                    }
                    Entry::Vacant(_) => None,
                };
                match label.map_or(Ok(false), |label| label.see(path, || lines.place(), &value)) {
                    Ok(changes) => is_changed |= changes,
                    Err(error) => seen = seen.and(Err(error)),
                }
                if labels.len() > Self::MOST {
                    let expected = format!("at most {} different data items", Self::MOST);
                    return Err(FormatError::wrong(path, lines.place(), expected, "more"));
                }
            }
            if is_end || lines.text().starts_with("$$$$") {
                molecules += u64::from(!is_end);
                if is_changed || seen.is_err() {
                    let is_read = match is_molecule {
                        Some(is_molecule) => seen.is_ok() && is_molecule(std::mem::take(&mut text)),
                        None => std::mem::replace(&mut seen, Ok(())).map(|()| true)?,
                    };
                    labels.values_mut().for_each(|label| label.end_record(!is_read));
                }
                (is_changed, seen) = (false, Ok(()));
                text.clear();
                names.clear();
            }
            if is_end {
                break;
            }
        }
        if let Some(missing) = options.targets.iter().flatten().find(|name| !labels.contains_key(*name)) {
            return Err(FormatError::wrong(path, "", format!("a data item {missing}"), "none"));
        }
        let mut labels = labels.into_values().map(|label| (0, label)).collect();
        let mut notes = keep_targets(path, &mut labels, features::is_taken)?;
        let labels: BTreeMap<_, _> = labels.into_iter().map(|(_, label)| (label.name.clone(), label)).collect();
        notes.extend(double.into_iter().filter(|(name, _)| !labels.contains_key(name)).map(|(_, line)| line));
        notes.extend(stray.into_values());
        Ok((Self { labels }, notes, molecules))
    }

    /// Whether a data item is a target.
    pub(super) fn has(&self, name: &str) -> bool {
        self.labels.contains_key(name)
    }

    /// Adds a data item, which ends at a place, to the fields of a molecule, if it is a target and has a value.
    pub(super) fn push(
        &self,
        path: &Path,
        place: impl Fn() -> String,
        name: String,
        value: &str,
        record: &mut Record,
    ) -> Result<(), Error> {
        let Some(label) = self.labels.get(&name) else { return Ok(()) };
        let Some(values) = label.value(path, place, value)? else { return Ok(()) };
        record.push(name, Level::Graph, 1, values);
        Ok(())
    }
}

/// A data item while its lines are read: `> <NAME>`, its value, a blank line.
#[derive(Clone, Debug, Default)]
pub(super) struct Item {
    name: Option<String>,
    value: String,
    /// Whether no blank line has ended it, with a name or without.
    is_open: bool,
}

/// The error that a molecule has a data item twice.
pub(super) fn twice(path: &Path, place: String, molecule: &str, name: &str) -> Error {
    let molecule = if molecule.is_empty() { String::new() } else { format!(" ({molecule})") };
    FormatError::wrong(path, format!("{place}{molecule}, data item {name}"), "it once in a molecule", "it twice")
}

/// The name in the first line of a data item.
fn name(line: &str) -> Option<&str> {
    let (_, rest) = line.strip_prefix('>')?.split_once('<')?;
    Some(rest.rsplit_once('>')?.0)
}

impl Item {
    /// Whether a line may follow that belongs to it.
    pub(super) fn is_open(&self) -> bool {
        self.is_open
    }

    /// What a line is that belongs to no data item with a name, before it is [taken](Self::take).
    pub(super) fn stray(&self, line: &str) -> Option<&'static str> {
        let text = line.trim();
        match line.starts_with('>') {
            true => name(line).is_none().then_some("data items without > <NAME>"),
            false if self.is_open || text.is_empty() || text.starts_with("$$$$") => None,
            false => Some("lines outside of data items"),
        }
    }

    /// Takes a line. Returns name and value of the item that it ends.
    pub(super) fn take(&mut self, line: &str) -> Option<(String, String)> {
        let text = line.trim();
        if text.is_empty() || text.starts_with("$$$$") || line.starts_with('>') {
            let ended = self.name.take().map(|name| (name, std::mem::take(&mut self.value)));
            self.name = name(line).map(str::to_owned);
            self.is_open = line.starts_with('>');
            return ended;
        }
        // Only the first lines: numbers have one.
        if self.name.is_some() && self.value.len() < 1000 {
            if !self.value.is_empty() {
                self.value.push('\n');
            }
            self.value.push_str(text);
        }
        None
    }
}

/// The lines of a file, plain or compressed, without what ends them. Text that is not UTF-8 is kept as far as it is.
pub(super) struct Lines {
    path: PathBuf,
    reader: BufReader<Box<dyn Read + Send>>,
    line: u64,
    bytes: Vec<u8>,
    text: String,
    is_over: bool,
}

impl Lines {
    /// Bytes that a line may have.
    const LONGEST: u64 = 1 << 20;

    /// The lines of an open file; `path` is only for messages.
    pub(super) fn new(path: &Path, from: impl Read + Send + 'static) -> Self {
        let reader = BufReader::new(Box::new(from) as Box<dyn Read + Send>);
        Self { path: path.to_owned(), reader, line: 0, bytes: Vec::new(), text: String::new(), is_over: false }
    }

    pub(super) fn open(path: &Path) -> Result<Self, Error> {
        Ok(Self::new(path, compressed::open(path)?))
    }

    /// The next line; `None` after the last.
    pub(super) fn next(&mut self) -> Result<Option<&str>, Error> {
        self.bytes.clear();
        let read = self.reader.by_ref().take(Self::LONGEST).read_until(b'\n', &mut self.bytes);
        if read.map_err(|error| ReadError::at(&self.path, self.line + 1, error))? == 0 {
            self.is_over = true;
            return Ok(None);
        }
        self.line += 1;
        if self.bytes.last() != Some(&b'\n') && self.bytes.len() as u64 == Self::LONGEST {
            let expected = format!("lines of less than {} bytes", Self::LONGEST);
            return Err(FormatError::wrong(&self.path, self.place(), expected, "a longer one"));
        }
        self.text.clear();
        self.text.push_str(String::from_utf8_lossy(&self.bytes).trim_end_matches(['\n', '\r']));
        Ok(Some(&self.text))
    }

    /// The next line; an error if the file ends before it.
    pub(super) fn expect(&mut self, expected: &str) -> Result<&str, Error> {
        if self.next()?.is_none() {
            return Err(FormatError::wrong(&self.path, self.place(), expected, "the end of the file"));
        }
        Ok(&self.text)
    }

    /// The last line that was read.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Whether it has an end.
    pub(super) fn is_ended(&self) -> bool {
        self.bytes.last().is_none_or(|byte| *byte == b'\n')
    }

    /// Whether the end of the file was read.
    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Where that is.
    pub(super) fn place(&self) -> String {
        format!("line {}", self.line)
    }
}

/// What is read of an SDF file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SdfOptions {
    /// The data items that become targets. By default all that are numbers, or true and false, wherever they
    /// are given; others are listed. One that is named here must be so in every molecule.
    pub targets: Option<Vec<String>>,
    /// Whether hydrogen atoms stay atoms. By default they become numbers at their neighbours, as in OGB's graphs.
    pub keeps_hydrogens: bool,
    /// Whether double bonds drawn as crossed, or beside a wave, get the category `STEREOANY`, as RDKit reads them. By
    /// default they get none, like those of SMILES that say nothing of their sides, so that a molecule has one graph.
    pub marks_either: bool,
}
