//! [`Fields`]: which fields of records become fields of a store, and how; [`Gathered`]: one field of several graphs, in
//! a column.

use crate::FormatError;
use crate::common::{RecordField, Values};
use graphpack_loader::schema::{Field, PaddingValue};
use graphpack_loader::{Column, Dtype, Error, Level};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::mem;
use std::ops::Range;
use std::path::Path;

/// Which fields of records become fields of a store, and how. By default all do, with floating point numbers of 64 bits
/// in energies of graphs and of 32 bits elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fields {
    /// Only these, by their names in the file, and those that every structure needs: `z`, `pos`, `cell` and `pbc`.
    pub select: Option<Vec<String>>,
    /// Pairs of a name in the file and the name that the store has for it. A new name that readers know, such as
    /// `forces`, says what the field is where the file's own name does not. Besides, readers know `z`, `pos` and
    /// `num_atoms` in npz and parquet, and `node_NAME` and `graph_NAME` in other formats.
    pub rename: Vec<(String, String)>,
    /// Whether all floating point numbers have 64 bits or all have 32. By default only energies of graphs have 64: 32
    /// bits do not have the digits in which those of large structures differ. Fields are energies if their names in the
    /// file or the store contain `energ`.
    pub double: Option<bool>,
    /// Texts of structures, as `config_type` of extended XYZ, that become codes: an int64 of each graph, the number of
    /// its text in the order in which they come first, and [`Field::labels`] has the texts. They are taken whatever is
    /// selected. An error for formats other than XYZ and ASE's databases.
    pub labels: Vec<String>,
}

/// What a file calls a field, and what its records do; `None` if it is no field, but says how many nodes there are or
/// where edges lead.
#[derive(Clone, Debug)]
pub(crate) struct Called {
    pub(crate) of_file: String,
    pub(crate) of_records: Option<String>,
}

impl Called {
    pub(crate) fn new(of_file: &str, of_records: Option<&str>) -> Self {
        Self { of_file: of_file.to_owned(), of_records: of_records.map(str::to_owned) }
    }
}

impl Fields {
    /// Fields that are taken whatever is selected.
    const ALWAYS: [&str; 4] = ["z", "pos", "cell", "pbc"];

    /// The name in the store of a field of the file; `None` if it is not taken. A field `has_NAME` goes with `NAME`,
    /// under the name that this has.
    pub fn name<'a>(&'a self, field: &'a str) -> Option<Cow<'a, str>> {
        let of = field.strip_prefix("has_").unwrap_or(field);
        let listed = |select: &Vec<String>| select.iter().any(|name| name == field || name == of);
        let is_always = Self::ALWAYS.contains(&of) || self.labels.iter().any(|label| label == of);
        if !is_always && !self.select.as_ref().is_none_or(listed) {
            return None;
        }
        let renamed = |name: &str| self.rename.iter().find(|(from, _)| from == name).map(|(_, to)| to.as_str());
        Some(match (renamed(field), renamed(of)) {
            (Some(name), _) => name.into(),
            (None, Some(name)) => format!("has_{name}").into(),
            (None, None) => field.into(),
        })
    }

    /// What somebody says that a name is by renaming it; otherwise the name.
    pub(crate) fn said<'a>(&'a self, name: &'a str) -> &'a str {
        self.rename.iter().find(|(from, _)| from == name).map_or(name, |(_, to)| to)
    }

    /// The name in records of a field that is renamed while another of its file has the same meaning.
    pub(crate) fn renamed_beside(means: &str, becomes: &str) -> String {
        format!("{means} ({becomes})")
    }

    /// Returns this choice with the names that records have in place of those of the file.
    pub(crate) fn called(&self, called: &[Called]) -> Self {
        let name = |name: &String| match called.iter().find(|called| called.of_file == *name) {
            Some(called) => called.of_records.clone(),
            None => Some(name.clone()),
        };
        let select = self.select.as_ref().map(|select| select.iter().filter_map(name).collect());
        let rename = self.rename.iter().filter_map(|(from, to)| Some((name(from)?, to.clone()))).collect();
        Self { select, rename, double: self.double, labels: self.labels.clone() }
    }

    /// The names that somebody gave: those that are selected or renamed, or labels.
    pub(crate) fn named(&self) -> impl Iterator<Item = &String> {
        self.select.iter().flatten().chain(self.rename.iter().map(|(from, _)| from)).chain(&self.labels)
    }

    /// Whether floating point numbers of a field, by its name in the file, have 64 bits.
    pub fn is_double(&self, name: &str, level: Level) -> bool {
        let says_energy = |name: &str| name.to_ascii_lowercase().contains("energ");
        let is_energy = || says_energy(name) || self.name(name).is_some_and(|name| says_energy(&name));
        self.double.unwrap_or_else(|| level == Level::Graph && is_energy())
    }

    /// Errors unless all names that are selected or renamed are among those that files were `seen` to have, and those
    /// that are renamed among those that are selected.
    pub fn check(&self, path: &Path, seen: &BTreeSet<String>) -> Result<(), Error> {
        if let Some(missing) = self.named().find(|name| !seen.contains(*name)) {
            let seen = seen.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
            return Err(FormatError::wrong(path, "", format!("a field {missing:?}"), format!("the fields {seen}")));
        }
        if let Some(select) = &self.select
            && let Some((name, _)) = self.rename.iter().find(|(name, _)| self.name(name).is_none())
        {
            let expected = format!("the field {name:?}, which is renamed, among those that are selected");
            return Err(FormatError::wrong(path, "", expected, select.join(", ")));
        }
        Ok(())
    }
}

/// The most numbers that stand for missing ones at a time, a gigabyte: a file may say that a graph without fields has
/// any number of nodes.
const MOST_MISSING: usize = 1 << 28;

/// What is three by three numbers, whatever the file says of their shape.
const THREE_BY_THREE: [&str; 7] =
    ["cell", "stress", "stresses", "virial", "virials", "dielectric_tensor", "born_effective_charges"];

/// One field of several graphs, some of which may lack it.
#[derive(Debug)]
pub(super) struct Gathered {
    /// In the file.
    pub(super) name: String,
    pub(super) level: Level,
    pub(super) width: usize,
    /// As the first graph has it.
    row: Option<Vec<usize>>,
    /// The type of floating point numbers.
    float: Dtype,
    numbers: Numbers,
    /// Whether each graph has it.
    has: Vec<bool>,
    /// Where numbers are missing.
    absent: Vec<Range<usize>>,
    /// The graph of these from which on it is said of each number whether it is missing: the first that had some of its
    /// numbers.
    partial: Option<usize>,
    /// The graph of these with which integers became floating point.
    converted: Option<usize>,
}

/// Numbers as a store has them.
#[derive(Debug)]
enum Numbers {
    F32(Vec<f32>),
    F64(Vec<f64>),
    I64(Vec<i64>),
    Bool(Vec<bool>),
}

impl Numbers {
    fn len(&self) -> usize {
        match self {
            Self::F32(numbers) => numbers.len(),
            Self::F64(numbers) => numbers.len(),
            Self::I64(numbers) => numbers.len(),
            Self::Bool(numbers) => numbers.len(),
        }
    }
}

impl Gathered {
    /// The field as the first graph has it, without its numbers.
    pub(super) fn new(field: &RecordField, is_double: bool) -> Self {
        let numbers = match &field.values {
            Values::F64(_) if is_double => Numbers::F64(vec![]),
            Values::F64(_) => Numbers::F32(vec![]),
            Values::I64(_) => Numbers::I64(vec![]),
            Values::Bool(_) => Numbers::Bool(vec![]),
        };
        let (name, float) = (field.name.clone().into_owned(), if is_double { Dtype::F64 } else { Dtype::F32 });
        let (has, absent, partial) = (vec![], vec![], None);
        let (level, width, row) = (field.level, field.width, field.row.clone());
        Self { name, level, width, row, float, numbers, has, absent, partial, converted: None }
    }

    /// Graphs that were added.
    pub(super) fn graphs(&self) -> usize {
        self.has.len()
    }

    /// Bytes of memory.
    pub(super) fn bytes(&self) -> usize {
        let bytes = match &self.numbers {
            Numbers::F32(_) => 4,
            Numbers::F64(_) | Numbers::I64(_) => 8,
            Numbers::Bool(_) => 1,
        };
        bytes * self.numbers.len() + self.has.len()
    }

    /// Adds `graphs` graphs with `rows` rows that lack the field. Errors with what was expected and found if its
    /// numbers would be too many.
    pub(super) fn push_none(&mut self, graphs: usize, rows: usize) -> Result<(), (String, String)> {
        let more = rows.saturating_mul(self.width);
        if more > MOST_MISSING {
            let expected = format!("at most {MOST_MISSING} numbers where graphs lack it");
            return Err((expected, format!("{rows} rows of {}", self.width)));
        }
        let all = self.numbers.len() + more;
        self.absent.push(self.numbers.len()..all);
        match &mut self.numbers {
            Numbers::F32(numbers) => numbers.resize(all, 0.0),
            Numbers::F64(numbers) => numbers.resize(all, 0.0),
            Numbers::I64(numbers) => numbers.resize(all, 0),
            Numbers::Bool(numbers) => numbers.resize(all, false),
        }
        self.has.resize(self.has.len() + graphs, false);
        Ok(())
    }

    /// Adds a graph's numbers, of which NaN are missing: integers become floating point where other graphs have such
    /// numbers. Errors with what was expected and found if they are of another kind, or would be rounded.
    pub(super) fn push(&mut self, values: &Values) -> Result<(), (String, String)> {
        let Values::F64(numbers) = values else { return self.push_all(values) };
        let missing = numbers.iter().filter(|number| number.is_nan()).count();
        if missing == 0 {
            return self.push_all(values);
        }
        if missing == numbers.len() {
            return self.push_none(1, numbers.len() / self.width.max(1));
        }
        let (start, mut filled) = (self.numbers.len(), values.clone());
        let has = filled.mask_nan();
        self.push_all(&filled)?;
        let absent = has.iter().enumerate().filter(|(_, has)| !**has);
        self.absent.extend(absent.map(|(at, _)| start + at..start + at + 1));
        self.partial.get_or_insert(self.has.len() - 1);
        Ok(())
    }

    /// Adds a graph's numbers; NaN stays NaN.
    pub(super) fn push_all(&mut self, values: &Values) -> Result<(), (String, String)> {
        if let (Numbers::I64(numbers), Values::F64(_)) = (&self.numbers, values) {
            self.expect_exact("integers in earlier graphs", numbers)?;
            self.converted = Some(self.has.len());
            self.numbers = match self.float {
                Dtype::F64 => Numbers::F64(numbers.iter().map(|&number| number as f64).collect()),
                _ => Numbers::F32(numbers.iter().map(|&number| number as f32).collect()),
            };
        }
        if let (Numbers::F32(_) | Numbers::F64(_), Values::I64(values)) = (&self.numbers, values) {
            self.expect_exact("integers", values)?;
        }
        match (&mut self.numbers, values) {
            (Numbers::F32(numbers), Values::F64(values)) => {
                if let Some(value) = values.iter().find(|value| value.is_finite() && !(**value as f32).is_finite()) {
                    let expected = format!("numbers up to {:e}, or double precision", f32::MAX);
                    return Err((expected, format!("{value:e}")));
                }
                // Labels of a graph that are all so small; beside others, or of nodes, they are as good as 0.
                let is_zero = |value: &f64| *value as f32 == 0.0;
                if self.level == Level::Graph
                    && values.iter().all(is_zero)
                    && let Some(value) = values.iter().find(|value| **value != 0.0)
                {
                    let expected = format!("numbers of at least {:e}, or double precision", f32::from_bits(1));
                    return Err((expected, format!("{value:e}")));
                }
                numbers.extend(values.iter().map(|&value| value as f32));
            }
            (Numbers::F64(numbers), Values::F64(values)) => numbers.extend_from_slice(values),
            (Numbers::F32(numbers), Values::I64(values)) => numbers.extend(values.iter().map(|&value| value as f32)),
            (Numbers::F64(numbers), Values::I64(values)) => numbers.extend(values.iter().map(|&value| value as f64)),
            (Numbers::I64(numbers), Values::I64(values)) => numbers.extend_from_slice(values),
            (Numbers::Bool(numbers), Values::Bool(values)) => numbers.extend_from_slice(values),
            (Numbers::Bool(_), _) | (Numbers::I64(_), Values::F64(_)) => {
                return Err(("true or false as in the graphs before".into(), "numbers".into()));
            }
            (_, Values::Bool(_)) => return Err(("numbers as in the graphs before".into(), "true or false".into())),
        }
        self.has.push(true);
        Ok(())
    }

    /// Errors if one of these integers would be rounded where they become floating point.
    fn expect_exact(&self, what: &str, integers: &[i64]) -> Result<(), (String, String)> {
        let float = self.float;
        match integers.iter().find(|&&integer| float.rounds(integer)) {
            Some(integer) => Err((
                format!("{what} that {float} holds exactly, since other graphs have floating point numbers"),
                format!("{integer}, which {float} rounds"),
            )),
            None => Ok(()),
        }
    }

    /// Forgets all but the first `graphs` graphs, which have `rows` rows.
    pub(super) fn truncate(&mut self, graphs: usize, rows: usize) {
        let numbers = rows * self.width;
        match &mut self.numbers {
            Numbers::F32(all) => all.truncate(numbers),
            Numbers::F64(all) => all.truncate(numbers),
            Numbers::I64(all) => all.truncate(numbers),
            Numbers::Bool(all) => all.truncate(numbers),
        }
        if self.converted.take_if(|converted| *converted >= graphs).is_some() {
            // None of them was rounded.
            match &self.numbers {
                Numbers::F32(all) => self.numbers = Numbers::I64(all.iter().map(|&number| number as i64).collect()),
                Numbers::F64(all) => self.numbers = Numbers::I64(all.iter().map(|&number| number as i64).collect()),
                Numbers::I64(_) | Numbers::Bool(_) => {}
            }
        }
        self.has.truncate(graphs);
        self.absent.retain(|absent| absent.end <= numbers);
        self.partial = self.partial.filter(|partial| *partial < graphs);
    }

    /// Takes a field that graphs have as `has_NAME` for the mask of this one: graphs that lack the field lack it there,
    /// too.
    pub(super) fn take_mask(&mut self, mask: &mut Self) {
        let Numbers::Bool(says) = &mut mask.numbers else { return };
        for ((has, said), says) in self.has.iter_mut().zip(&mut mask.has).zip(says.chunks_exact_mut(mask.width.max(1)))
        {
            match (*has, *said) {
                (false, _) => says.fill(false),
                (true, false) => says.fill(true),
                (true, true) => {}
            }
            (*has, *said) = (true, true);
        }
    }

    /// Whether it is a mask of a field that graphs have, or of its columns.
    pub(super) fn is_mask_of(&self, field: &Self) -> bool {
        let kind = self.level == Level::Graph && matches!(self.numbers, Numbers::Bool(_));
        let of = self.name.strip_prefix("has_") == Some(&*field.name) && [1, field.width].contains(&self.width);
        kind && of && field.has.contains(&true)
    }

    /// The column of the graphs so far, in this unit or of these labels, and the mask where some of them lack the field,
    /// or one of each number where graphs had only some of theirs; nothing if all lack it. Later graphs are of the same
    /// kind.
    pub(super) fn take(&mut self, name: &str, unit: Option<&str>, labels: &[String]) -> Vec<Column> {
        fn column<T: graphpack_loader::Element>(name: &str, of: (Level, usize), numbers: &mut Vec<T>) -> Column {
            Column::new(name, of.0, of.1, mem::take(numbers))
        }
        let (has, of) = (mem::take(&mut self.has), (self.level, self.width));
        self.converted = None;
        let mut each = vec![true; if self.partial.is_some() { self.numbers.len() } else { 0 }];
        let absent = mem::take(&mut self.absent);
        absent.into_iter().filter(|_| self.partial.is_some()).for_each(|absent| each[absent].fill(false));
        // Later graphs are before all that had some of their numbers.
        self.partial = self.partial.map(|_| 0);
        let column = match &mut self.numbers {
            Numbers::F32(numbers) => column(name, of, numbers),
            Numbers::F64(numbers) => column(name, of, numbers),
            Numbers::I64(numbers) => column(name, of, numbers),
            Numbers::Bool(numbers) => column(name, of, numbers),
        };
        // A field keeps its meaning under a new name.
        let names = [&*self.name, name];
        let called = |name: &str| Field { name: name.to_owned(), ..column.field().clone() }.usual_padding();
        let padding = names.map(called).into_iter().find(|of| *of != PaddingValue::default()).unwrap_or_default();
        let row = self.row.clone().unwrap_or_else(|| match self.width {
            1 => vec![],
            9 if names.iter().any(|name| THREE_BY_THREE.contains(name)) => vec![3, 3],
            width => vec![width],
        });
        let column = column.padded(padding).shaped(&row);
        let column = unit.into_iter().fold(column, |column, unit| column.in_unit(unit)).labelled(labels);
        let mask = column.field().mask();
        match (has.contains(&true), has.contains(&false)) {
            (false, _) => vec![],
            _ if self.partial.is_some() => vec![column, Column::new(&mask.name, of.0, of.1, each).shaped(&row)],
            (true, false) => vec![column],
            (true, true) => vec![column, Column::new(&mask.name, Level::Graph, 1, has).shaped(&mask.row)],
        }
    }
}
