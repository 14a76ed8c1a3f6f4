//! [`Labels`]: the data items of a file that become targets.

use super::lines::Lines;
use super::options::SdfOptions;
use crate::chemistry::features;
use crate::common::{Label, keep_targets};
use crate::{Fields, FormatError, Record};
use graphpack_loader::Level;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::Path;

/// The data items of a file that become targets.
#[derive(Clone, Debug, Default)]
pub(super) struct Labels {
    labels: BTreeMap<String, Label>,
}

impl Labels {
    /// Different data items that a file may have.
    const MOST: usize = 10_000;

    /// Finds the targets of a file by reading it once: those named, or all data items that are numbers. Returns what is
    /// left out, and the number of molecules, too.
    pub(super) fn find(
        path: &Path,
        options: &SdfOptions,
        fields: &Fields,
        skips: bool,
    ) -> Result<(Self, Vec<String>, u64), FormatError> {
        let mut lines = Lines::open(path)?;
        let (mut labels, mut molecules, mut item) = (BTreeMap::new(), 0, Item::default());
        loop {
            let is_end = lines.next()?.is_none();
            if !is_end && lines.text().starts_with("$$$$") {
                molecules += 1;
            }
            let Some((name, value)) = item.take(if is_end { "" } else { lines.text() }) else {
                if is_end {
                    break;
                }
                continue;
            };
            let label = match labels.entry(name) {
                Entry::Occupied(label) => label.into_mut(),
                Entry::Vacant(label) => {
                    let is_named = options.targets.as_ref().is_some_and(|targets| targets.contains(label.key()));
                    if !is_named && options.targets.is_some() {
                        continue;
                    }
                    let Some(new) = fields.label(label.key(), "data item", is_named) else { continue };
                    label.insert(new)
                }
            };
            label.see(path, || lines.place(), &value, skips)?;
            if labels.len() > Self::MOST {
                let expected = format!("at most {} different data items", Self::MOST);
                return Err(FormatError::wrong(path, lines.place(), expected, "more"));
            }
        }
        if let Some(missing) = options.targets.iter().flatten().find(|name| !labels.contains_key(*name)) {
            return Err(FormatError::wrong(path, "", format!("a data item {missing}"), "none"));
        }
        let mut labels = labels.into_values().map(|label| (0, label)).collect();
        let notes = keep_targets(path, &mut labels, features::is_taken)?;
        let labels = labels.into_iter().map(|(_, label)| (label.name.clone(), label)).collect();
        Ok((Self { labels }, notes, molecules))
    }

    /// Adds a data item, which ends at a place, to the fields of a molecule, if it is a target and has a value.
    pub(super) fn push(
        &mut self,
        path: &Path,
        place: impl Fn() -> String,
        (name, value): (String, String),
        record: &mut Record,
    ) -> Result<(), FormatError> {
        let Some(label) = self.labels.get_mut(&name) else { return Ok(()) };
        let Some(values) = label.value(path, place, &value)? else { return Ok(()) };
        record.fields.retain(|field| field.name != name);
        record.push(name, Level::Graph, 1, values);
        Ok(())
    }
}

/// A data item while its lines are read: `> <NAME>`, its value, a blank line.
#[derive(Clone, Debug, Default)]
pub(super) struct Item {
    name: Option<String>,
    value: String,
}

impl Item {
    /// Takes a line. Returns name and value of the item that it ends.
    pub(super) fn take(&mut self, line: &str) -> Option<(String, String)> {
        let text = line.trim();
        if text.is_empty() || text.starts_with("$$$$") || line.starts_with('>') {
            let ended = self.name.take().map(|name| (name, std::mem::take(&mut self.value)));
            self.name = line.strip_prefix('>').and_then(|rest| {
                let (_, rest) = rest.split_once('<')?;
                Some(rest.rsplit_once('>')?.0.to_owned())
            });
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
