//! [`Store`]: a whole data set in columns, one contiguous array per field, in memory or in a mapped file; [`Room`]:
//! memory for a graph that is pushed to it.

use super::bytes::Map;
use super::column::LocalIndex;
use super::offsets::Offsets;
use super::pages::Sums;
use super::{Column, StoreError};
use crate::error::Error;
use crate::layout::{
    ArrayError, Carried, Dtype, Element, Field, Index, Layout, Level, PaddingValue, Schema, SchemaError, Shape, Size,
};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// A data set in columns. Of each set, graph i has rows `ptr[i]..ptr[i + 1]` of each column, and row i of each column
/// of graphs.
///
/// For example, a path of three nodes and a single node make this store:
///
/// ```
/// use graphpack_loader::{Column, Level, Size, Store};
///
/// let store = Store::of_columns(
///     vec![0, 3, 4],                                     // node_ptr
///     vec![0, 4, 4],                                     // edge_ptr
///     [vec![0, 1, 1, 2], vec![1, 0, 2, 1]],              // sources and targets, counted within each graph
///     vec![
///         Column::new("x", Level::NODE, 2, vec![0.5_f32, 1.0, 0.1, 0.2, 0.3, 0.4, 0.0, 1.0]),
///         Column::new("y", Level::Graph, 1, vec![1_i64, 0]),
///     ],
/// )?;
/// assert_eq!((store.len(), store.size(0)?, store.size(1)?), (2, Size::new([3, 4]), Size::new([1, 0])));
/// # Ok::<(), graphpack_loader::Error>(())
/// ```
///
/// Any other sets come with their schema ([`of_sets`](Self::of_sets)): here two proteins with their ligands.
///
/// ```
/// use graphpack_loader::{Column, Dtype, Schema, Store};
///
/// let schema = Schema::of(&["protein", "ligand", "contacts"])
///     .field("protein.x", "protein", Dtype::F32, &[1])
///     .index("contact_index", "contacts", &["protein", "ligand"]);
/// let x = Column::of(&schema, "protein.x", vec![0.1_f32, 0.2, 0.3, 0.4, 0.5])?;
/// let ptr = vec![vec![0, 3, 5], vec![0, 2, 4], vec![0, 2, 3]]; // of each set
/// let contacts = vec![vec![2, 0, 1], vec![0, 1, 1]]; // each column, counted within each graph
/// let store = Store::of_sets(schema, ptr, vec![contacts], vec![x])?;
/// assert_eq!(store.index("contact_index", 0)?, [[2, 0], [0, 1]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Store {
    pub(super) schema: Schema,
    /// Where the rows of each graph start, for each set.
    pub(super) ptr: Vec<Offsets>,
    pub(super) indices: Vec<LocalIndex>,
    pub(super) columns: Vec<Column>,
    /// The mapped file that holds the columns; `None` for a store in memory.
    pub(super) map: Option<Arc<Map>>,
    /// The file that the store was opened from; `None` if it is not from a file, or not as it is in the file.
    pub(super) origin: Option<Arc<Origin>>,
    /// Where [`push`](Self::push) writes graphs.
    pub(super) room: Option<Room>,
}

/// A file that a store is the contents of.
#[derive(Debug)]
pub(super) struct Origin {
    pub(super) path: PathBuf,
    /// [`StoredFile::sums`](super::stored_file::StoredFile::sums) of it.
    pub(super) sums: Option<Vec<(u32, u64)>>,
    /// Checksum of its header.
    pub(super) header: Option<Sums>,
}

impl Store {
    /// Makes a data set of nodes and edges from its columns. Errors if they contradict each other.
    pub fn of_columns(
        node_ptr: Vec<u64>,
        edge_ptr: Vec<u64>,
        edge_index: [Vec<i64>; 2],
        columns: Vec<Column>,
    ) -> Result<Self, Error> {
        let fields = columns.iter().map(|column| column.field().clone()).collect();
        let schema = Schema::from_parts(&Schema::DEFAULT_SETS, fields, vec![Index::edge_index()])?;
        Self::of_sets(schema, vec![node_ptr, edge_ptr], vec![edge_index.into()], columns)
    }

    /// Makes a data set from, in the order of `schema`: for each set, where the rows of each graph start, and the
    /// number of all rows at the end; for each index, its columns, with rows counted within each graph; the column of
    /// each field. Errors if they contradict each other.
    pub fn of_sets(
        schema: Schema,
        ptr: Vec<Vec<u64>>,
        indices: Vec<Vec<Vec<i64>>>,
        columns: Vec<Column>,
    ) -> Result<Self, Error> {
        schema.check()?;
        let ptr: Vec<_> = ptr.iter().map(|ptr| Offsets::from_vec(ptr)).collect();
        check_offsets(&schema, &ptr)?;
        if schema.indices().len() != indices.len() {
            let expected = schema.indices().iter().map(|index| index.name.clone()).collect();
            return Err(StoreError::Indices { expected, found: indices.len() }.into());
        }
        let graphs = ptr[0].len() - 1;
        let mut narrow = Vec::new();
        for (of, columns) in schema.indices().iter().zip(&indices) {
            let (index, expected) = (of.name.clone(), of.width());
            if columns.len() != expected {
                return Err(StoreError::Columns { index, expected, found: columns.len() }.into());
            }
            let expected = rows_at(&ptr, of.level);
            if columns.iter().any(|column| column.len() != expected) {
                let found = columns.iter().map(Vec::len).collect();
                return Err(
                    StoreError::Entries { index, set: schema.level_name(of.level).into(), expected, found }.into()
                );
            }
            let mut largest = 0;
            for graph in 0..graphs {
                let range = span_at(&ptr, of.level, graph);
                for (column, (found, &target)) in columns.iter().zip(&of.targets).enumerate() {
                    let rows = ptr[usize::from(target)].span(graph).len();
                    largest = largest.max(rows as u64);
                    let found = found[range.clone()].iter().copied();
                    check_rows(&schema, of, graph, column, found, rows as u32)?;
                }
            }
            narrow.push(LocalIndex::narrow(columns, largest));
        }
        Self::from_parts(schema, ptr, narrow, columns, None)
    }

    /// Makes a data set from columns whose offsets are checked. Indices are checked later, when a batch writes them.
    pub(super) fn from_parts(
        schema: Schema,
        ptr: Vec<Offsets>,
        indices: Vec<LocalIndex>,
        columns: Vec<Column>,
        map: Option<Arc<Map>>,
    ) -> Result<Self, Error> {
        for (of, index) in schema.indices().iter().zip(&indices) {
            let (expected, found) = (rows_at(&ptr, of.level), index.len());
            if expected != found {
                return Err(StoreError::Rows { field: of.name.clone(), expected, found }.into());
            }
        }
        let fields = || columns.iter().map(Column::field);
        if !fields().eq(schema.fields()) {
            let names = |fields: &mut dyn Iterator<Item = &Field>| fields.map(|field| field.name.clone()).collect();
            let (expected, found) = (names(&mut schema.fields().iter()), names(&mut fields()));
            return Err(StoreError::Fields { expected, found }.into());
        }
        columns.iter().try_for_each(|column| column.check(rows_at(&ptr, column.field().level)))?;
        let columns =
            columns.into_iter().zip(schema.fields()).map(|(column, field)| column.described_as(field)).collect();
        Ok(Self { schema, ptr, indices, columns, map, origin: None, room: None })
    }

    /// Sets what padding rows of a field hold ([`Field::padded`]).
    pub fn padded(mut self, field: &str, value: impl Into<PaddingValue>) -> Result<Self, Error> {
        let position = self.schema.position(field).ok_or_else(|| SchemaError::no_field(field, self.schema.fields()))?;
        let column = self.columns.remove(position).padded(value);
        self.columns.insert(position, column);
        let fields = self.columns.iter().map(|column| column.field().clone()).collect();
        self.schema = self.schema.with_fields(fields, Some)?;
        Ok(self)
    }

    /// Copies all elements of the field `name`, row by row over the whole data set.
    pub fn values<T: Element>(&self, name: &str) -> Result<Vec<T>, Error> {
        let column = self.columns.iter().find(|column| column.field().name == name);
        let names = self.schema.fields().iter().map(|field| &field.name);
        column.ok_or_else(|| ArrayError::missing(name, names))?.values()
    }

    /// Copies the two columns of `edge_index` of a graph: the sources and the targets of its edges, as node numbers
    /// from 0 within the graph. Errors if there is no such graph, or no `edge_index` with two columns.
    pub fn edges(&self, graph: usize) -> Result<(Vec<i64>, Vec<i64>), Error> {
        let columns: Result<[_; 2], _> = self.index(Index::EDGE_INDEX, graph)?.try_into();
        let two = |columns: Vec<_>| StoreError::Columns {
            index: Index::EDGE_INDEX.into(),
            expected: 2,
            found: columns.len(),
        };
        Ok(columns.map_err(two)?.into())
    }

    /// Copies the columns of an index of a graph, as rows counted within the graph. Errors if there is no such index,
    /// or no such graph.
    pub fn index(&self, name: &str, graph: usize) -> Result<Vec<Vec<i64>>, Error> {
        let names = self.schema.indices().iter().map(|index| &index.name);
        let position = self.schema.find_index(name).ok_or_else(|| ArrayError::missing(name, names))?;
        self.expect(graph)?;
        let rows = self.span(self.schema.indices()[position].level, graph);
        Ok(self.indices[position].rows(rows).map(|column| column.iter().collect()).collect())
    }
}

impl Store {
    /// The rows of a graph at a level.
    #[inline]
    pub(super) fn span(&self, level: Level, graph: usize) -> Range<usize> {
        span_at(&self.ptr, level, graph)
    }

    /// Number of rows of all graphs at a level.
    pub(super) fn rows(&self, level: Level) -> usize {
        rows_at(&self.ptr, level)
    }

    /// Errors if a graph in a mapped file is not as it was written.
    pub(super) fn check_pages(&self, graph: usize) -> Result<(), Error> {
        if self.map.is_none() {
            return Ok(());
        }
        self.columns.iter().try_for_each(|column| column.check_pages(self.span(column.field().level, graph)))?;
        let indices = self.schema.indices().iter().zip(&self.indices);
        { indices }.try_for_each(|(of, index)| index.check_pages(self.span(of.level, graph)))
    }

    /// Errors if one of several graphs in a mapped file is not as it was written.
    pub(super) fn check_pages_of(&self, mut graphs: Range<usize>) -> Result<(), Error> {
        if self.map.is_none() {
            return Ok(());
        }
        graphs.try_for_each(|graph| self.check_pages(graph))
    }

    /// Returns the code of a graph in a field with labels, if the graph has one. Errors if no label has this code.
    pub(super) fn code(&self, column: &Column, graph: usize) -> Result<Option<usize>, Error> {
        let Field { name, labels, .. } = column.field();
        let mask = self.columns.iter().find(|mask| mask.field().masks(column.field()));
        if mask.is_some_and(|mask| mask.bytes()[graph] == 0) {
            return Ok(None);
        }
        let found: i64 = bytemuck::pod_read_unaligned(column.rows(graph..graph + 1));
        let wrong = || StoreError::Code { field: name.clone(), graph, labels: labels.len(), found };
        let code = usize::try_from(found).ok().filter(|&code| code < labels.len());
        Ok(Some(code.ok_or_else(wrong)?))
    }

    /// Errors if an index of a graph has an entry for a row that the graph does not have, a bool is neither 0 nor 1, or
    /// a code has no label.
    pub(super) fn check_values(&self, graph: usize) -> Result<(), Error> {
        for column in self.columns.iter().filter(|column| column.field().dtype == Dtype::Bool) {
            let rows = column.rows(self.span(column.field().level, graph));
            if rows.iter().any(|&byte| byte > 1) {
                return Err(ArrayError::invalid(&column.field().name, rows));
            }
        }
        for column in self.columns.iter().filter(|column| !column.field().labels.is_empty()) {
            self.code(column, graph)?;
        }
        for (of, index) in self.schema.indices().iter().zip(&self.indices) {
            let columns = index.rows(self.span(of.level, graph));
            for (column, (found, &target)) in columns.zip(&of.targets).enumerate() {
                let rows = self.ptr[usize::from(target)].span(graph).len() as u32;
                check_rows(&self.schema, of, graph, column, found.iter(), rows)?;
            }
        }
        Ok(())
    }
}

fn span_at(ptr: &[Offsets], level: Level, graph: usize) -> Range<usize> {
    match level {
        Level::Set(set) => ptr[usize::from(set)].span(graph),
        Level::Graph => graph..graph + 1,
    }
}

fn rows_at(ptr: &[Offsets], level: Level) -> usize {
    match level {
        Level::Set(set) => ptr[usize::from(set)].total() as usize,
        Level::Graph => ptr[0].len() - 1,
    }
}

/// Errors unless there are valid offsets for each set, of the same number of graphs.
pub(super) fn check_offsets(schema: &Schema, ptr: &[Offsets]) -> Result<(), Error> {
    if ptr.len() != schema.sets().len() {
        return Err(StoreError::Sets { expected: schema.sets().to_vec(), found: ptr.len() }.into());
    }
    let name = |set: usize| schema.sets()[set].clone();
    for (set, offsets) in ptr.iter().enumerate() {
        if offsets.len() != ptr[0].len() {
            let [first, other] = [0, set].map(name);
            return Err(StoreError::Graphs { first, expected: ptr[0].len(), other, found: offsets.len() }.into());
        }
        offsets.check(&name(set))?;
    }
    Ok(())
}

/// Errors at the first entry in a column of an index that is not below `rows`. The column is that of a graph.
fn check_rows(
    schema: &Schema,
    index: &Index,
    graph: usize,
    column: usize,
    found: impl Iterator<Item = i64>,
    rows: u32,
) -> Result<(), Error> {
    let outside = |(_, row): &(usize, i64)| !(0..i64::from(rows)).contains(row);
    let Some((entry, row)) = found.enumerate().find(outside) else { return Ok(()) };
    let set = schema.level_name(Level::Set(index.targets[column])).to_owned();
    Err(StoreError::Row { index: index.name.clone(), graph, column, entry, row, set, rows }.into())
}

/// Returns the error of a part of the graphs, from number `first` on, with the graph counted over all graphs.
pub(super) fn counted(mut error: Error, first: usize) -> Error {
    if let Some(StoreError::Row { graph, .. } | StoreError::Code { graph, .. }) = error.cause_mut() {
        *graph += first;
    }
    error
}

/// Memory in which a graph is written before it is appended; it is used again for the next graph.
#[derive(Clone, Debug)]
pub(super) struct Room {
    pub(super) layout: Arc<Layout>,
    /// Words, so that arrays are aligned for their elements.
    pub(super) memory: Vec<u64>,
}

impl Room {
    /// Returns room for a graph of this size and somewhat larger ones; `None` if memory has not as much.
    pub(super) fn new(schema: &Schema, size: &Size) -> Option<Self> {
        let shape = Shape::of(size.sets(), 1, |set| (size[set] as usize).next_power_of_two());
        let layout = Layout::new(Arc::new(schema.clone()), &Carried::all(schema), shape, Dtype::I64)?;
        let mut memory = Vec::new();
        let words = layout.bytes().div_ceil(size_of::<u64>());
        memory.try_reserve_exact(words).ok()?;
        memory.resize(words, 0);
        Some(Self { layout: Arc::new(layout), memory })
    }
}
