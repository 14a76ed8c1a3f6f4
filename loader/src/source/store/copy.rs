//! Makes stores from other stores: parts, concatenations, copies in memory, with other fields.

use super::bytes::Bytes;
use super::column::LocalIndex;
use super::offsets::Offsets;
use super::push::names;
use super::store::counted;
use super::{Column, Store, StoreError};
use crate::error::Error;
use crate::layout::{Carried, Field, Level, codes_among, common_labels, has_nan, mask_nan};
use crate::source::Data;
use crate::source::each_graph::each_graph;
use std::borrow::Cow;
use std::ops::Range;

impl Store {
    /// Copies the graphs in a range into a store in memory. Errors if the range goes beyond the last graph.
    pub fn part(&self, graphs: Range<usize>) -> Result<Self, Error> {
        if graphs.end > self.len() {
            return Err(StoreError::Graph { graph: graphs.end - 1, graphs: self.len() }.into());
        }
        self.check_pages_of(graphs.clone())?;
        let ptr = self.ptr.iter().map(|offsets| sums(graphs.clone().map(|graph| offsets.span(graph).len())));
        let indices = self.schema.indices().iter().zip(&self.indices).map(|(of, index)| {
            let mut columns = vec![Vec::new(); of.width()];
            for graph in graphs.clone() {
                let found = index.rows(self.span(of.level, graph));
                columns.iter_mut().zip(found).for_each(|(column, found)| column.extend(found.iter()));
            }
            columns
        });
        let columns = self.columns.iter().map(|column| {
            let (mut rows, level) = (Vec::new(), column.field().level);
            graphs.clone().for_each(|graph| rows.extend_from_slice(column.rows(self.span(level, graph))));
            Column::from_parts(column.field().clone(), Bytes::new(&rows))
        });
        let part = Self::of_sets(self.schema.clone(), ptr.collect(), indices.collect(), columns.collect());
        part.map_err(|error| counted(error, graphs.start))
    }

    /// Writes all graphs of any data into a store in memory, on all cores: edges and other sets that are made on the
    /// way are then columns, and what [maps](crate::Data::map) change is as in epoch 0 with seed 0. Errors at the first
    /// graph that cannot be written.
    ///
    /// ```
    /// use graphpack_loader::{Data, Store, molecules};
    ///
    /// let triplets = Data::from(molecules::generate(1, 100)).triplets()?;
    /// let store = Store::collect(&triplets)?;
    /// assert_eq!((store.schema(), store.size(7)?), (triplets.schema(), triplets.size(7)?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn collect(data: impl Into<Data>) -> Result<Self, Error> {
        let data = data.into();
        let schema = data.schema();
        let carried = Carried::all(schema);
        let parts = each_graph(
            &**data.graphs(),
            &carried,
            false,
            || Self::new(schema.clone()),
            |store, slot| {
                slot.check()?;
                Ok(store.push_graph(&slot.graph())?)
            },
        );
        let parts = parts?;
        parts.first().map_or_else(|| Ok(Self::new(schema.clone())), |first| first.joined(&parts))
    }

    /// Copies the graphs of several stores, one store after the other, into one in memory. Labels are those of the first
    /// store, then what others have besides. Errors if their fields differ, or state different units.
    pub fn concat(parts: &[Self]) -> Result<Self, Error> {
        let Some(first) = parts.first() else {
            return Self::of_columns(vec![0], vec![0], [Vec::new(), Vec::new()], Vec::new());
        };
        if let Some(part) = parts.iter().position(|part| part.schema() != first.schema()) {
            let (expected, found) = (names(first.schema()), names(parts[part].schema()));
            return Err(StoreError::Parts { part, expected, found }.into());
        }
        parts.iter().try_for_each(|part| part.check_pages_of(0..part.len()))?;
        first.joined(parts)
    }

    /// Copies the graphs of stores that all have the schema of this one. Errors if they state different units.
    fn joined(&self, parts: &[Self]) -> Result<Self, Error> {
        let ptr = |set: usize| {
            sums(parts.iter().flat_map(|part| (0..part.len()).map(move |graph| part.ptr[set].span(graph).len())))
        };
        let indices = (0..self.indices.len())
            .map(|position| LocalIndex::joined(parts.iter().map(move |part| &part.indices[position])));
        let common = |at: usize| common_labels(parts.iter().map(|part| &part.schema.fields()[at].labels));
        let fields = self.schema.fields().iter().enumerate();
        let fields: Vec<Field> = fields.map(|(at, field)| field.clone().labelled(common(at))).collect();
        let firsts = sums(parts.iter().map(Self::len));
        let coded = parts
            .iter()
            .zip(firsts)
            .map(|(part, first)| part.coded(&fields).map_err(|error| counted(error, first as usize)));
        let parts = coded.collect::<Result<Vec<_>, _>>()?;
        let mut schema = parts.first().map_or(&self.schema, |part| &part.schema).clone();
        schema.agree(&parts.iter().map(|part| part.schema()).collect::<Vec<_>>())?;
        let columns = schema.fields().iter().enumerate().map(|(position, field)| {
            let parts: Vec<&[u8]> = parts.iter().map(|part| part.columns[position].bytes()).collect();
            Column::from_parts(field.clone(), Bytes::joined(&parts))
        });
        let ptr = (0..self.ptr.len()).map(|set| Offsets::from_vec(&ptr(set))).collect();
        let (indices, columns) = (indices.collect(), columns.collect());
        Ok(Self { schema, ptr, indices, columns, map: None, origin: None, room: None })
    }

    /// Returns the store with the labels that these fields have where it has labels, and with their codes. Errors if a
    /// code has no label.
    pub(super) fn coded(&self, fields: &[Field]) -> Result<Cow<'_, Self>, Error> {
        let mut columns = Vec::new();
        for column in self.columns.iter().filter(|column| !column.field().labels.is_empty()) {
            let own = column.field();
            let Some(common) = fields.iter().find(|of| of.name == own.name && of.labels != own.labels) else {
                continue;
            };
            let mut bytes = column.bytes().to_vec();
            if let Some(codes) = codes_among(&own.labels, &common.labels) {
                for (graph, bytes) in bytes.as_chunks_mut().0.iter_mut().enumerate() {
                    if let Some(code) = self.code(column, graph)? {
                        *bytes = codes[code].to_ne_bytes();
                    }
                }
            }
            let field = own.clone().labelled(common.labels.clone());
            columns.push(Column::from_parts(field, Bytes::new(&bytes)));
        }
        if columns.is_empty() {
            return Ok(Cow::Borrowed(self));
        }
        columns.into_iter().try_fold(self.clone(), Self::with_column).map(Cow::Owned)
    }

    /// Copies the store into memory, checks its indices and makes their numbers as narrow as the graphs allow. Loading
    /// from the copy is faster than from a mapped file, if it fits into memory.
    pub fn to_memory(&self) -> Result<Self, Error> {
        self.part(0..self.len())
    }
}

/// Returns the sums of the sizes before each graph, and of all at the end.
fn sums(sizes: impl Iterator<Item = usize>) -> Vec<u64> {
    let mut sum = 0;
    let ends = sizes.map(|size| {
        sum += size as u64;
        sum
    });
    std::iter::once(0).chain(ends).collect()
}

impl Store {
    /// Returns the store with other names of its fields: `name` gets the name of each field and returns the new one, or
    /// `None` to leave the field out.
    ///
    /// ```
    /// use graphpack_loader::molecules;
    ///
    /// let store = molecules::generate(1, 10).with_names(|name| (name == "y").then(|| "energy".to_owned()))?;
    /// assert_eq!((store.schema().fields().len(), &*store.schema().fields()[0].name), (1, "energy"));
    /// # Ok::<(), graphpack_loader::Error>(())
    /// ```
    pub fn with_names(self, name: impl Fn(&str) -> Option<String>) -> Result<Self, Error> {
        let renamed: Vec<_> = self.columns.into_iter().map(|column| column.renamed(&name)).collect();
        let place = |at: usize| renamed[at].is_some().then(|| renamed[..at].iter().flatten().count());
        let fields = renamed.iter().flatten().map(|column| column.field().clone()).collect();
        let schema = self.schema.with_fields(fields, place)?;
        Self::from_parts(schema, self.ptr, self.indices, renamed.into_iter().flatten().collect(), self.map)
    }

    /// Returns the store with `column` in place of the column of the same name, or after all others if there is none.
    /// Errors unless it has a row for each row of its set, or for each graph.
    pub fn with_column(mut self, column: Column) -> Result<Self, Error> {
        match self.schema.position(&column.field().name) {
            Some(position) => self.columns[position] = column,
            None => self.columns.push(column),
        }
        let fields = self.columns.iter().map(|column| column.field().clone()).collect();
        let schema = self.schema.with_fields(fields, Some)?;
        Self::from_parts(schema, self.ptr, self.indices, self.columns, self.map)
    }

    /// Returns the store with 0 in place of NaN, and a field of bools `has_NAME` that is false there. It has a row for
    /// each graph if graphs lack all of the field or nothing, otherwise the rows and columns of the field. If the store
    /// has a mask `has_NAME` already, what it says is missing stays missing. Errors if `has_NAME` is no mask.
    ///
    /// ```
    /// use graphpack_loader::{Column, Level, Store};
    ///
    /// let y = Column::new("y", Level::Graph, 1, vec![1.5_f32, f32::NAN]);
    /// let store = Store::of_columns(vec![0, 3, 4], vec![0, 0, 0], [vec![], vec![]], vec![y])?;
    /// let masked = store.with_masks()?;
    /// assert_eq!(masked.values::<f32>("y")?, [1.5, 0.0]);
    /// assert_eq!(masked.values::<bool>("has_y")?, [true, false]);
    /// # Ok::<(), graphpack_loader::Error>(())
    /// ```
    pub fn with_masks(&self) -> Result<Cow<'_, Self>, Error> {
        self.check_pages_of(0..self.len())?;
        let mut masked = Cow::Borrowed(self);
        for column in self.columns.iter().filter(|column| has_nan(column.field().dtype, column.bytes())) {
            let (field, row) = (column.field(), column.field().row_bytes());
            let before = self.columns.iter().find(|mask| mask.field().masks(field));
            let mut mask = before.map_or_else(|| field.mask(), |before| before.field().clone());
            let lacks_some = |graph: usize| {
                let Range { start, end } = self.span(field.level, graph);
                let numbers = column.bytes()[start * row..end * row].chunks_exact(field.dtype.bytes());
                let missing = numbers.clone().filter(|number| has_nan(field.dtype, number)).count();
                (1..numbers.len()).contains(&missing)
            };
            if field.level == Level::Graph {
                (mask.width, mask.row) = (field.width, field.row.clone());
            } else if mask.level == Level::Graph && (0..self.len()).any(lacks_some) {
                (mask.level, mask.width, mask.row) = (field.level, field.width, field.row.clone());
            }
            if before.is_none() && self.columns.iter().any(|other| other.field().name == mask.name) {
                return Err(StoreError::Mask { field: field.name.clone(), mask: mask.name }.into());
            }
            let (mut bytes, mut has) = (column.bytes().to_vec(), Vec::new());
            for graph in 0..self.len() {
                let (rows, first) = (self.span(mask.level, graph), has.len());
                for place in rows.flat_map(|row| (0..mask.width).map(move |column| (row, column))) {
                    has.push(before.map_or(1, |before| said(before, graph, place)));
                }
                let Range { start, end } = self.span(field.level, graph);
                mask_nan(field, &mut bytes[start * row..end * row], &mut has[first..]);
            }
            let store = masked.into_owned().with_column(Column::from_parts(field.clone(), Bytes::new(&bytes)))?;
            masked = Cow::Owned(store.with_column(Column::from_parts(mask, Bytes::new(&has)))?);
        }
        Ok(masked)
    }
}

/// What a mask of graphs or of rows, or of each column of these, says of a number.
fn said(mask: &Column, graph: usize, (row, column): (usize, usize)) -> u8 {
    let Field { level, width, .. } = *mask.field();
    let row = if level == Level::Graph { graph } else { row };
    mask.bytes()[row * width + column.min(width - 1)]
}

#[cfg(test)]
#[allow(unsafe_code, reason = "a test maps a file of its own")]
mod tests {
    use super::*;
    use crate::molecules;
    use crate::source::Graphs;
    use std::fs;

    #[test]
    fn an_error_of_a_part_names_the_graph_of_the_whole() {
        let ptr = |rows: u64| (0..=10).map(|graph| rows * graph).collect();
        let mut store = Store::of_columns(ptr(2), ptr(1), [vec![0; 10], vec![1; 10]], vec![]).expect("ten edges");
        // As a file may have it.
        let targets = (0..10).map(|graph| if graph == 7 { 2 } else { 1 }).collect();
        store.indices = vec![LocalIndex::narrow(&[vec![0; 10], targets], 3)];
        let error = store.part(5..10).expect_err("graph 7 has two nodes");
        let cause = error.cause();
        assert!(matches!(cause, Some(StoreError::Row { graph: 7, row: 2, .. })), "{error}");
    }

    #[test]
    #[cfg_attr(windows, ignore = "nobody can write to a file that is mapped")]
    fn a_mapped_file_is_still_checked() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("store");
        molecules::generate(1, 5).save(&path).expect("it is written");
        // SAFETY: the file changes below, but none of its bytes are read after that.
        let mapped = unsafe { Store::map(&path) }.expect("a store");
        let named = mapped.with_names(|name| Some(name.to_owned())).expect("the same names");
        assert!(named.check(&|_| ()).is_ok());
        fs::write(&path, "other").expect("it is written");
        assert!(named.check(&|_| ()).is_err());
    }
}
