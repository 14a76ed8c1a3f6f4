//! [`Label`]: cells of one name that may become a target.

use super::Values;
use super::error::quoted;
use super::record::says_none;
use crate::FormatError;
use crate::gather::Fields;
use graphpack_loader::Error;
use std::path::Path;

/// What the cells of a label are, besides empty ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Kind {
    /// There are none.
    #[default]
    Empty,
    /// Integers.
    Integers,
    /// Numbers.
    Floats,
    /// True or false.
    Bools,
    /// Anything else.
    Text,
}

impl Kind {
    /// What a cell is. NaN is how programs write that there is no number. What is infinite, or an integer beyond int64,
    /// is no number that one could train towards.
    fn of(cell: &str) -> Self {
        let is = |texts: [&str; 2]| texts.iter().any(|text| cell.eq_ignore_ascii_case(text));
        let is_whole = || cell.trim_start_matches(['+', '-']).bytes().all(|byte| byte.is_ascii_digit());
        if says_none(cell) {
            Self::Empty
        } else if cell.parse::<i64>().is_ok() {
            Self::Integers
        } else if !is_whole() && cell.parse::<f64>().is_ok_and(f64::is_finite) {
            Self::Floats
        } else if is(["true", "false"]) {
            Self::Bools
        } else {
            Self::Text
        }
    }

    /// What cells of this kind are with one of another; `None` if they are not the same sort of thing.
    fn with(self, cell: Self) -> Option<Self> {
        match (self, cell) {
            (_, Self::Text) => None,
            (any, Self::Empty) | (Self::Empty, any) => Some(any),
            (Self::Bools, Self::Bools) => Some(Self::Bools),
            (Self::Bools, _) | (_, Self::Bools) => None,
            (Self::Integers, Self::Integers) => Some(Self::Integers),
            _ => Some(Self::Floats),
        }
    }
}

/// Cells of one name that may become a target. One that was named must be readable in every cell; one that nobody named
/// is left out as a whole, and says at which cell, if it is not.
#[derive(Clone, Debug)]
pub(crate) struct Label {
    pub(crate) name: String,
    /// What it is in its file: a column, a data item.
    what: &'static str,
    is_named: bool,
    kind: Kind,
    /// The first cell that cannot be read with those before.
    bad: Option<Bad>,
    /// The kind before the record whose cells are seen, if that changed the label.
    before: Option<Kind>,
}

/// Where a cell is that cannot be read, what was expected and what was found.
type Bad = (String, &'static str, String);

impl Label {
    pub(crate) fn new(name: &str, what: &'static str, is_named: bool) -> Self {
        Self { name: name.to_owned(), what, is_named, kind: Kind::Empty, bad: None, before: None }
    }

    /// Sees a cell before targets are read. Returns whether that changed the label, which
    /// [`end_record`](Self::end_record) may undo. Errors if the cell cannot be read and the label was named.
    pub(crate) fn see(&mut self, path: &Path, place: impl Fn() -> String, cell: &str) -> Result<bool, Error> {
        if self.bad.is_some() {
            return Ok(false);
        }
        let (kind, bad) = match self.kind.with(Kind::of(cell)) {
            Some(kind) if kind == self.kind => return Ok(false),
            Some(kind) => (kind, None),
            None if self.is_named => return Err(self.wrong(path, place, cell)),
            None => (self.kind, Some((place(), self.expected(), quoted(cell)))),
        };
        self.before.get_or_insert(self.kind);
        (self.kind, self.bad) = (kind, bad);
        Ok(true)
    }

    /// Ends a record whose cells were seen: one that is left out decides nothing.
    pub(crate) fn end_record(&mut self, is_left_out: bool) {
        if let Some(before) = self.before.take().filter(|_| is_left_out) {
            // A label with a bad cell is not changed again.
            (self.kind, self.bad) = (before, None);
        }
    }

    /// Errors if all cells that were seen were empty.
    pub(crate) fn expect_cells(&self, path: &Path) -> Result<(), Error> {
        match self.kind {
            Kind::Empty => {
                Err(FormatError::wrong(path, format!("{} {}", self.what, self.name), "numbers", "only empty cells"))
            }
            _ => Ok(()),
        }
    }

    /// Whether the cells that were seen make a target.
    pub(crate) fn is_target(&self) -> bool {
        self.bad.is_none() && self.kind != Kind::Empty
    }

    /// Says why the label is left out; `None` if it is a target.
    pub(crate) fn note(&self) -> Option<String> {
        let Self { name, what, bad, .. } = self;
        match bad {
            Some((place, expected, found)) => {
                Some(format!("{what} {name}: left out, {place}: expected {expected}, found {found}"))
            }
            None if self.kind == Kind::Empty => Some(format!("{what} {name}: left out, all cells are empty")),
            None => None,
        }
    }

    /// A cell as a number; `None` if it is empty. Errors if it cannot be read with those that were seen.
    pub(crate) fn value(&self, path: &Path, place: impl Fn() -> String, cell: &str) -> Result<Option<Values>, Error> {
        let kind = Kind::of(cell);
        if self.kind.with(kind).is_none() {
            return Err(self.wrong(path, place, cell));
        }
        Ok(match kind {
            Kind::Integers => cell.parse().ok().map(|number| Values::I64(vec![number])),
            Kind::Floats => cell.parse().ok().map(|number| Values::F64(vec![number])),
            Kind::Bools => Some(Values::Bool(vec![cell.eq_ignore_ascii_case("true")])),
            Kind::Empty | Kind::Text => None,
        })
    }

    fn expected(&self) -> &'static str {
        match self.kind {
            Kind::Bools => "true, false or nothing",
            Kind::Empty => "a number, true, false or nothing",
            _ => "a number or nothing",
        }
    }

    fn wrong(&self, path: &Path, place: impl Fn() -> String, cell: &str) -> Error {
        FormatError::wrong(path, format!("{}, {} {}", place(), self.what, self.name), self.expected(), quoted(cell))
    }
}

/// Leaves of the labels of a file, each with its column, those that become targets. Errors if one that was named has
/// only empty cells, or if two targets share a name, or one has the name of a field that graphs have. Returns why
/// others are left out.
pub(crate) fn keep_targets(
    path: &Path,
    labels: &mut Vec<(usize, Label)>,
    is_taken: impl Fn(&str) -> bool,
) -> Result<Vec<String>, Error> {
    labels.iter().filter(|(_, label)| label.is_named).try_for_each(|(_, label)| label.expect_cells(path))?;
    let notes = labels.iter().filter_map(|(_, label)| label.note()).collect();
    labels.retain(|(_, label)| label.is_target());
    for (at, (_, label)) in labels.iter().enumerate() {
        let is_double = labels[..at].iter().any(|(_, other)| other.name == label.name);
        if is_double || is_taken(&label.name) {
            let expected = "targets with names of their own, other than x, edge_attr, edge_index and pos";
            let found = format!("{} {} {:?}", if is_double { "a second" } else { "a" }, label.what, label.name);
            return Err(FormatError::wrong(path, "", expected, found));
        }
    }
    Ok(notes)
}

impl Fields {
    /// The label of a name; `None` if it is not selected.
    pub(crate) fn label(&self, name: &str, what: &'static str, is_named: bool) -> Option<Label> {
        let is_named = is_named || self.named().any(|named| named == name);
        self.name(name).map(|_| Label::new(name, what, is_named))
    }
}
