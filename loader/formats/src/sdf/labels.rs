//! [`Labels`]: the data items of a file that become targets.

use super::lines::Lines;
use super::options::SdfOptions;
use crate::chemistry::features;
use crate::common::LabelKind;
use crate::{FormatError, Record};
use graphpack_loader::Level;
use std::collections::BTreeMap;
use std::path::Path;

/// The data items of a file that become targets, and what they are.
#[derive(Clone, Debug, Default)]
pub(super) struct Labels {
    kinds: BTreeMap<String, LabelKind>,
}

impl Labels {
    /// Different data items that a file may have.
    const MOST: usize = 10_000;

    /// Finds the targets of a file by reading it once: those named, or all data items that are numbers. Returns the
    /// number of molecules, too.
    pub(super) fn find(path: &Path, options: &SdfOptions) -> Result<(Self, u64), FormatError> {
        let mut lines = Lines::open(path)?;
        let (mut labels, mut molecules, mut item) = (Self::default(), 0, Item::default());
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
            let is_named = options.targets.as_ref().is_some_and(|targets| targets.contains(&name));
            if !is_named && options.targets.is_some() {
                continue;
            }
            let cell = LabelKind::of(&value);
            if is_named && cell == LabelKind::Text {
                let place = format!("{}, data item {name}", lines.place());
                return Err(FormatError::wrong(path, place, "a number or nothing", format!("{value:?}")));
            }
            let kind = labels.kinds.entry(name).or_default();
            *kind = kind.with(cell);
            if labels.kinds.len() > Self::MOST {
                let expected = format!("at most {} different data items", Self::MOST);
                return Err(FormatError::wrong(path, lines.place(), expected, "more"));
            }
        }
        if let Some(missing) = options.targets.iter().flatten().find(|name| !labels.kinds.contains_key(*name)) {
            return Err(FormatError::wrong(path, "", format!("a data item {missing}"), "none"));
        }
        labels.kinds.retain(|_, kind| !matches!(kind, LabelKind::Empty | LabelKind::Text));
        match labels.kinds.keys().find(|name| features::is_taken(name)) {
            Some(name) => {
                let expected = "data items other than x, edge_attr, edge_index and pos";
                Err(FormatError::wrong(path, "", expected, format!("a number called {name}")))
            }
            None => Ok((labels, molecules)),
        }
    }

    /// Adds a data item to the fields of a molecule, if it is a target and has a value.
    pub(super) fn push(&self, (name, value): (String, String), record: &mut Record) {
        let Some(values) = self.kinds.get(&name).and_then(|kind| kind.value(&value)) else { return };
        record.fields.retain(|field| field.name != name);
        record.push(name, Level::Graph, 1, values);
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
