//! What is made of records: stores.
//!
//! [`Gather`] unites the fields of graphs that differ in them; each is a [`gathered`] column.

mod gathered;

use crate::FormatError;
use crate::common::{Record, RecordField};
pub(crate) use gathered::Called;
pub use gathered::Fields;
use gathered::Gathered;
use graphpack_loader::memory::Builtin;
use graphpack_loader::schema::Field;
use graphpack_loader::{Column, Error, Level, Schema, Store};
use std::collections::BTreeSet;
use std::mem;
use std::path::{Path, PathBuf};

/// Unites the fields of the graphs of a file, whose stores a [`StoreWriter`](graphpack_loader::store::StoreWriter) puts
/// one after the other.
///
/// A field has the level and the width that it had in the first graph with it. Where only some graphs have it, its rows
/// are 0 in the others, and a field `has_NAME`, bool, says which have it. Of NaN, numbers that a graph lacks, the same
/// holds number by number, and `has_NAME` is then as wide as the field and has its rows. Integers become floating point
/// where another graph has such numbers, and are refused where that would round them.
///
/// ```
/// use graphpack_formats::Fields;
/// use graphpack_formats::records::{Gather, Record, Values};
/// use graphpack_loader::Level;
///
/// let mut gather = Gather::new("labels.xyz", Fields::default());
/// for energy in [Some(-1.5), None] {
///     let mut record = Record { nodes: 1, ..Record::default() };
///     record.push("z", Level::NODE, 1, Values::I64(vec![2]));
///     if let Some(energy) = energy {
///         record.push("energy", Level::Graph, 1, Values::F64(vec![energy]));
///     }
///     gather.push(&record)?;
/// }
/// let store = gather.take()?;
/// assert_eq!(store.values::<f64>("energy")?, [-1.5, 0.0]);
/// assert_eq!(store.values::<bool>("has_energy")?, [true, false]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Gather {
    path: PathBuf,
    fields: Fields,
    /// Graphs that were taken before.
    taken: usize,
    /// Rows of nodes and edges so far, and where those of each graph start.
    ptr: [Vec<u64>; 2],
    /// Sources and targets, if graphs have edges; unknown before the first.
    edges: Option<Option<[Vec<i64>; 2]>>,
    gathered: Vec<Gathered>,
    /// Whether NaN stays NaN.
    keeps_nan: bool,
    /// Names of all fields, whether they are taken or not.
    seen: BTreeSet<String>,
    /// Names of labels that graphs lacked though the file has a place for them.
    missing: BTreeSet<String>,
}

impl Gather {
    /// Gathers graphs of a file, which errors name.
    pub fn new(path: impl AsRef<Path>, fields: Fields) -> Self {
        let (path, ptr, gathered) = (path.as_ref().to_owned(), [vec![0], vec![0]], Vec::new());
        let (seen, missing) = (BTreeSet::new(), BTreeSet::new());
        Self { path, fields, taken: 0, ptr, edges: None, gathered, keeps_nan: false, seen, missing }
    }

    /// Leaves NaN, the labels that graphs lack, as it is.
    pub(crate) fn keeping_nan(mut self, keeps_nan: bool) -> Self {
        self.keeps_nan = keeps_nan;
        self
    }

    /// Takes fields of these names, too, where only some are selected.
    pub(crate) fn also_select(&mut self, names: &[&str]) {
        if let Some(select) = &mut self.fields.select {
            select.extend(names.iter().map(|name| (*name).to_owned()));
        }
    }

    /// Number of graphs that are not taken yet.
    pub fn len(&self) -> usize {
        self.ptr[0].len() - 1
    }

    /// Whether all graphs are taken.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of memory that the graphs take.
    pub fn bytes(&self) -> usize {
        let edges = self.edges.iter().flatten().flatten().map(|column| 8 * column.len()).sum::<usize>();
        16 * self.ptr[0].len() + edges + self.gathered.iter().map(Gathered::bytes).sum::<usize>()
    }

    /// Names of the fields that the graphs had, taken or not.
    pub fn seen(&self) -> &BTreeSet<String> {
        &self.seen
    }

    /// Says which labels no graph so far has, though the file has a place for them: they become no fields.
    pub fn never_given(&self) -> impl Iterator<Item = String> {
        let absent = self.missing.difference(&self.seen).filter(|name| self.fields.name(name).is_some());
        absent.map(|name| format!("{name}: left out, it is empty, null or NaN in all graphs"))
    }

    /// Adds a graph. After an error the graphs are those before.
    pub fn push(&mut self, record: &Record) -> Result<(), Error> {
        let (known, edges_are_known) = (self.gathered.len(), self.edges.is_some());
        let pushed = self.push_record(record);
        if pushed.is_ok() {
            for name in &record.missing {
                if !self.missing.contains(&**name) {
                    self.missing.insert(name.clone().into_owned());
                }
            }
            for field in &record.fields {
                if !self.seen.contains(&*field.name) {
                    self.seen.insert(field.name.clone().into_owned());
                }
            }
        } else {
            let graphs = self.len();
            self.gathered.truncate(known);
            for gathered in &mut self.gathered {
                gathered.truncate(graphs, rows_before(&self.ptr, gathered.level));
            }
            match &mut self.edges {
                edges if !edges_are_known => *edges = None,
                Some(Some(edges)) => edges.iter_mut().for_each(|column| column.truncate(self.ptr[1][graphs] as usize)),
                _ => {}
            }
        }
        pushed
    }

    fn push_record(&mut self, record: &Record) -> Result<(), Error> {
        self.push_edges(record)?;
        let graphs = self.len();
        for field in &record.fields {
            if self.fields.name(&field.name).is_some() {
                self.push_field(record, field, graphs)?;
            }
        }
        for gathered in self.gathered.iter_mut().filter(|gathered| gathered.graphs() == graphs) {
            if let Err((expected, found)) = gathered.push_none(1, record.rows(gathered.level)) {
                let name = gathered.name.clone();
                return Err(self.wrong(record, &name, expected, found));
            }
        }
        for (ptr, more) in
            self.ptr.iter_mut().zip([record.nodes, record.edges.as_ref().map_or(0, |[from, _]| from.len())])
        {
            ptr.push(ptr[graphs] + more as u64);
        }
        Ok(())
    }

    fn push_edges(&mut self, record: &Record) -> Result<(), Error> {
        let known = self.edges.get_or_insert_with(|| record.edges.as_ref().map(|_| Default::default()));
        match (known, &record.edges) {
            (None, None) => Ok(()),
            (Some(known), Some(found)) => {
                let [sources, targets] = found;
                let nodes = 0..record.nodes as i64;
                if sources.len() != targets.len() {
                    let found = format!("{} and {}", sources.len(), targets.len());
                    return Err(self.wrong(record, "edges", "as many sources as targets", found));
                }
                if let Some(outside) = found.iter().flatten().find(|node| !nodes.contains(node)) {
                    let expected = format!("nodes below {}", record.nodes);
                    return Err(self.wrong(record, "edges", expected, outside.to_string()));
                }
                known.iter_mut().zip(found).for_each(|(known, found)| known.extend_from_slice(found));
                Ok(())
            }
            (Some(_), None) => Err(self.wrong(record, "edges", "edges as in the graphs before", "none")),
            (None, Some(_)) => Err(self.wrong(record, "edges", "no edges as in the graphs before", "edges")),
        }
    }

    fn push_field(&mut self, record: &Record, field: &RecordField, graphs: usize) -> Result<(), Error> {
        let rows = record.rows(field.level);
        let numbers = |width: usize, level: Level| format!("{width} for each {}", level_name(level));
        if field.values.len() != rows.saturating_mul(field.width) {
            let expected = format!("{rows} rows of {} numbers", field.width);
            return Err(self.wrong(record, &field.name, expected, format!("{} numbers", field.values.len())));
        }
        let level_is_known =
            matches!(field.level, Level::Graph | Level::NODE) || (field.level == Level::EDGE && record.edges.is_some());
        if !level_is_known {
            return Err(self.wrong(record, &field.name, "a field of nodes, edges or the graph", "one of another set"));
        }
        let position = self.gathered.iter().position(|gathered| gathered.name == field.name);
        let gathered = match position {
            Some(position) => &mut self.gathered[position],
            None => {
                self.gathered.push(Gathered::new(field, self.fields.is_double(&field.name, field.level)));
                let last = self.gathered.len() - 1;
                &mut self.gathered[last]
            }
        };
        if gathered.graphs() < graphs {
            // A field that is new, or that no graph has had since the last ones were taken.
            if let Err((expected, found)) = gathered.push_none(graphs, rows_before(&self.ptr, gathered.level)) {
                return Err(self.wrong(record, &field.name, expected, found));
            }
        }
        let known = (gathered.width, gathered.level);
        if gathered.graphs() > graphs {
            return Err(self.wrong(record, &field.name, "each field once", "it twice"));
        }
        if known != (field.width, field.level) {
            let expected = format!("{} as in the graphs before", numbers(known.0, known.1));
            return Err(self.wrong(record, &field.name, expected, numbers(field.width, field.level)));
        }
        let pushed = if self.keeps_nan { gathered.push_all(&field.values) } else { gathered.push(&field.values) };
        pushed.map_err(|(expected, found)| self.wrong(record, &field.name, expected, found))
    }

    /// Takes the graphs so far as a store. Graphs that are added later are of the same kind.
    pub fn take(&mut self) -> Result<Store, Error> {
        self.take_in(|_| None, |_| &[])
    }

    /// Takes the graphs so far as a store. `unit` returns the unit of a field by its name in the file, if it is known, and
    /// `labels` what its codes stand for.
    pub(crate) fn take_in<'a>(
        &mut self,
        unit: impl Fn(&str) -> Option<&'a str>,
        labels: impl Fn(&str) -> &'a [String],
    ) -> Result<Store, Error> {
        let has_edges = !matches!(self.edges, Some(None));
        let schema = if has_edges { Schema::default() } else { Schema::of(&["nodes"]) };
        for at in 0..self.gathered.len() {
            let (before, [mask, after @ ..]) = self.gathered.split_at_mut(at) else { continue };
            let mut others = before.iter_mut().chain(after);
            if let Some(field) = others.find(|field| mask.graphs() > 0 && mask.is_mask_of(field)) {
                field.take_mask(mask);
            }
        }
        let fields = &self.fields;
        let columns = self.gathered.iter_mut().filter(|gathered| gathered.graphs() > 0);
        let columns: Vec<_> = columns
            .flat_map(|gathered| {
                let name = gathered.name.clone();
                gathered.take(&fields.name(&name).unwrap_or_default(), unit(&name), labels(&name))
            })
            .collect();
        self.taken += self.len();
        let mut ptr: Vec<Vec<u64>> = self.ptr.iter_mut().map(|ptr| mem::replace(ptr, vec![0])).collect();
        ptr.truncate(schema.sets().len());
        let edges = self.edges.as_mut().and_then(|edges| edges.as_mut().map(mem::take)).unwrap_or_default();
        let entries = schema.indices().iter().map(|_| edges.to_vec()).collect();
        let schema = columns.iter().fold(schema, |schema, column| schema.with_field(column.field().clone()));
        let refused = |found: String| FormatError::wrong(&self.path, "", "fields that make a store", found);
        // A field that is refused alone, and only by this name.
        let reserved = |column: &&Column| {
            let sets: Vec<&str> = schema.sets().iter().map(String::as_str).collect();
            let with = |field: Field| Schema::of(&sets).with_field(field).check();
            let field = column.field();
            with(field.clone()).is_err() && with(Field { name: "x".into(), ..field.clone() }).is_ok()
        };
        let names: Vec<&str> = columns.iter().map(|column| &*column.field().name).collect();
        let twice = (0..names.len()).find(|&at| names[..at].contains(&names[at]));
        schema.check().map_err(|error| match (columns.iter().find(reserved), twice) {
            (_, Some(at)) => self.twice(&names, columns[at].field()),
            (Some(column), _) => {
                let name = &column.field().name;
                let arrays: Vec<_> = Builtin::all(ptr.len()).map(|array| schema.array_name(array)).collect();
                let expected = "another name than a batch has for arrays of its own (rename gives one)";
                let expected = format!("{expected}: {}, ptr_node, ptr_edge", arrays.join(", "));
                FormatError::wrong(&self.path, format!("field {name:?}"), expected, "a reserved name")
            }
            _ => refused(error.to_string()),
        })?;
        Store::of_sets(schema, ptr, entries, columns).map_err(|error| refused(error.to_string()))
    }

    /// The error that a field has the name of one before.
    fn twice(&self, names: &[&str], Field { name, dtype, .. }: &Field) -> Error {
        let (expected, found) = match name.strip_prefix("has_").filter(|of| names.contains(of)) {
            Some(of) => {
                let mask = format!("true or false, which says of each graph whether it has {of}, as some lack it");
                (format!("{mask}, or another name (rename gives one)"), format!("{dtype}"))
            }
            None => ("names that differ (rename gives another)".into(), format!("two fields {name:?}")),
        };
        FormatError::wrong(&self.path, format!("field {name:?}"), expected, found)
    }

    fn wrong(&self, record: &Record, field: &str, expected: impl Into<String>, found: impl Into<String>) -> Error {
        let name = if record.name.is_empty() { String::new() } else { format!(" ({})", record.name) };
        let place = format!("graph {}{name}, {field}", self.taken + self.len());
        FormatError::wrong(&self.path, place, expected, found)
    }
}

fn level_name(level: Level) -> &'static str {
    match level {
        Level::Graph => "graph",
        Level::NODE => "node",
        Level::Set(_) => "edge",
    }
}

/// Rows of the graphs so far.
fn rows_before([nodes, edges]: &[Vec<u64>; 2], level: Level) -> usize {
    let last = |ptr: &[u64]| ptr[ptr.len() - 1] as usize;
    match level {
        Level::Graph => nodes.len() - 1,
        Level::NODE => last(nodes),
        Level::Set(_) => last(edges),
    }
}
