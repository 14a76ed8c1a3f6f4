//! [`FixedBatch`]: a batch in memory that the caller gives; [`FixedSlot`]: the rows of one graph in it, to write;
//! [`PaddedBatch`]: the whole batch, to read.

use super::builtin::{write_batch, write_pool, write_ptr};
use super::dtype::cast;
use super::layout::{Array, MAX_ARRAYS, rows};
use super::numbers::IndexBytes;
use super::{
    Builtin, CollateError, Crowded, Dtype, Element, FixedField, FixedIndex, FixedLayout, Level, Neighbours, RowNumber,
};
use crate::{LeastPadding, Shape, Size};
use core::iter::once;
use core::ops::Range;

/// A batch of one shape in memory that the caller gives: graphs are written one after the other, then padding.
pub struct FixedBatch<'a> {
    layout: &'a FixedLayout,
    bytes: &'a mut [u8],
    /// What padding keeps free.
    least: LeastPadding,
    /// The rows of the graphs that are finished.
    real: Shape,
}

impl<'a> FixedBatch<'a> {
    /// Returns an empty batch in the first [`bytes`](FixedLayout::bytes) of `memory`, whose contents do not matter.
    /// Errors if it has fewer, or is not aligned to 8 bytes.
    pub fn new(layout: &'a FixedLayout, memory: &'a mut [u8]) -> Result<Self, CollateError> {
        let (expected, found, address) = (layout.bytes(), memory.len(), memory.as_ptr().addr());
        let bytes = memory.get_mut(..expected).filter(|_| address.is_multiple_of(8));
        let bytes = bytes.ok_or(CollateError::Memory { expected, found, address })?;
        // What lies between arrays goes to devices and files, too.
        bytes.fill(0);
        let sets = layout.schema.sets.len();
        let least = layout.padding.least(sets, |set| layout.schema.has_padding(set));
        Ok(Self { layout, bytes, least, real: Shape { size: Size::of(sets, |_| 0), graphs: 0 } })
    }

    /// Rows of each set and graphs that are finished, without padding.
    pub fn real(&self) -> Shape {
        self.real
    }

    /// Begins a graph with `size` rows of each set, which the caller knows as `id`, at least 0; graphs may share one.
    /// Errors, before a byte is written, if the graph does not fit beside the graphs that there are and padding.
    pub fn open(&mut self, size: Size, id: i64) -> Result<FixedSlot<'_, 'a>, CollateError> {
        if id < 0 {
            return Err(CollateError::Id { found: id });
        }
        let schema = &self.layout.schema;
        if size.sets() != schema.sets.len() {
            return Err(count("the schema", "sets", schema.sets.len(), size.sets()));
        }
        let usable = self.least.usable(&self.layout.shape);
        if self.real.graphs >= usable.graphs {
            return Err(CollateError::Full { of: "graphs", wanted: 1, left: 0 });
        }
        let left = usable.size.all().iter().zip(self.real.size.all()).map(|(room, real)| room - real);
        for ((left, &wanted), &of) in left.zip(size.all()).zip(schema.sets) {
            if wanted > left {
                return Err(CollateError::Full { of, wanted, left });
            }
        }
        Ok(FixedSlot { batch: self, size, id, written: [0; MAX_ARRAYS] })
    }

    /// Writes padding into all rows that no graph has, and what follows from the graphs. More graphs may be added to
    /// the batch afterwards, and it be padded again.
    pub fn pad(&mut self) -> PaddedBatch<'_> {
        let Self { layout, real, .. } = *self;
        let FixedLayout { schema, padding, shape, index, .. } = *layout;
        let surplus = |level| rows(&real, level)..rows(&shape, level);
        let graphs = real.graphs as usize;
        for (at, of) in schema.fields.iter().enumerate() {
            let rows = self.at(layout.array(at).bytes_of(surplus(of.level)));
            padding.write_rows(rows, of.dtype, of.width, of.padding);
        }
        for (at, of) in schema.indices.iter().enumerate() {
            let array = layout.array(schema.fields.len() + at);
            for (column, &target) in of.targets.iter().enumerate() {
                let entries = self.at(array.column(column, surplus(of.level)));
                padding.write_entries(entries, index, column, surplus(Level::Set(target)));
            }
        }
        for (array, of) in self.builtins() {
            let of_padding = surplus(of.of());
            let (start, padding) = (of_padding.start, once(of_padding.len()));
            let real = rows(&real, of.length().0);
            match of {
                Builtin::Batch(_) => write_batch(self.at(array.bytes_of(real..array.rows)), index, graphs, padding),
                Builtin::Ptr(_) => write_ptr(self.at(array.bytes_of(real..array.rows)), index, start, padding),
                Builtin::Pool(_) => self.at(array.bytes_of(real..array.rows)).fill(0),
                _ => of.write(self.at(array.bytes_of(0..array.rows)), index, real, padding),
            }
        }
        let whole = |array: Array| array.bytes_of(0..array.rows);
        for (of, arrays) in self.neighbours() {
            let sources = schema.indices.get(usize::from(of.index)).and_then(|of| of.targets.first());
            let [row, edge] = [*sources.unwrap_or(&of.set), of.edges].map(|set| surplus(Level::Set(set)).start);
            let real = rows(&real, Level::Set(of.set));
            if let Ok(parts) = self.bytes.get_disjoint_mut(arrays.map(whole)) {
                of.pad(parts, index, real, row, edge);
            }
            for (array, builtin) in self.builtins() {
                let Builtin::NeighbourField(field) = builtin else { continue };
                let rows = layout.array(field.field.into());
                let parts = [array, arrays[1], rows].map(whole);
                if field.of == of
                    && let Ok(parts) = self.bytes.get_disjoint_mut(parts)
                {
                    Neighbours::gather(parts, index, rows.bytes_of(0..1).len());
                }
            }
        }
        PaddedBatch { layout, bytes: self.bytes, real }
    }

    /// Begins the batch again, without a graph.
    pub fn restart(&mut self) {
        self.real = Shape { size: Size::of(self.least.size.sets(), |_| 0), graphs: 0 };
    }

    /// The bytes of a range that lies in the batch.
    fn at(&mut self, range: Range<usize>) -> &mut [u8] {
        self.bytes.get_mut(range).unwrap_or_default()
    }

    /// The matrices of neighbours and their first three arrays.
    fn neighbours(&self) -> impl Iterator<Item = (Neighbours, [Array; 3])> + use<'a> {
        let (first, layout) = (self.first_builtin(), self.layout);
        layout.schema.builtins.iter().enumerate().filter_map(move |(at, of)| match of {
            Builtin::Neighbours(of) => Some((*of, [0, 1, 2].map(|more| layout.array(first + at + more)))),
            _ => None,
        })
    }

    fn first_builtin(&self) -> usize {
        self.layout.schema.fields.len() + self.layout.schema.indices.len()
    }

    fn builtins(&self) -> impl Iterator<Item = (Array, Builtin)> + use<'a> {
        let (first, layout) = (self.first_builtin(), self.layout);
        layout.schema.builtins.iter().enumerate().map(move |(at, of)| (layout.array(first + at), *of))
    }
}

/// The rows of one graph in a [`FixedBatch`]. If it is dropped before it is [finished](Self::finish), the batch is
/// without the graph.
pub struct FixedSlot<'b, 'a> {
    batch: &'b mut FixedBatch<'a>,
    size: Size,
    id: i64,
    /// How many elements of each field, then how many entries of each index are written.
    written: [usize; MAX_ARRAYS],
}

impl FixedSlot<'_, '_> {
    /// Appends `values` to the field at a position, row by row: all `rows x width`, or some as they come over a line.
    /// Errors, without a change, if the field has another dtype or fewer rows.
    pub fn field<T: Element>(&mut self, position: usize, values: &[T]) -> Result<(), CollateError> {
        let layout = self.batch.layout;
        let fields = layout.schema.fields;
        let of = fields.get(position).ok_or(CollateError::Position { position, count: fields.len() })?;
        let FixedField { name, level, dtype, width, .. } = *of;
        if dtype != T::DTYPE {
            return Err(CollateError::Dtype { name, expected: dtype, found: T::DTYPE });
        }
        let first = rows(&self.batch.real, level) * width;
        let added = self.append(position, name, self.count(level) * width, values.len())?;
        let target = self.batch.at(layout.array(position).bytes(first + added.start..first + added.end));
        target.copy_from_slice(bytemuck::cast_slice(values));
        Ok(())
    }

    /// Appends entries to the index at a position, column by column, with rows counted from 0 within the graph: all
    /// entries, or some as they come over a line. Errors, without a change, if there are other columns or fewer rows,
    /// or if the graph does not have a row.
    pub fn index<T: RowNumber>(&mut self, position: usize, columns: &[&[T]]) -> Result<(), CollateError> {
        let layout = self.batch.layout;
        let indices = layout.schema.indices;
        let of = indices.get(position).ok_or(CollateError::Position { position, count: indices.len() })?;
        let FixedIndex { name, level, targets } = *of;
        if columns.len() != targets.len() {
            return Err(count(name, "columns", targets.len(), columns.len()));
        }
        let length = columns.first().map_or(0, |column| column.len());
        if let Some(other) = columns.iter().find(|column| column.len() != length) {
            return Err(count(name, "entries in a column", length, other.len()));
        }
        let position = layout.schema.fields.len() + position;
        let before = self.written;
        let added = self.append(position, name, self.count(level), length)?;
        let (array, first) = (layout.array(position), rows(&self.batch.real, level));
        for (column, (numbers, &set)) in columns.iter().zip(targets).enumerate() {
            let (start, of_set) = (rows(&self.batch.real, Level::Set(set)), self.count(Level::Set(set)) as u32);
            let entries = self.batch.at(array.column(column, first + added.start..first + added.end));
            let numbers = IndexBytes::of(numbers);
            if !numbers.write(entries, layout.index, start, of_set) {
                self.written = before;
                let outside = |&(_, row): &(usize, i64)| !(0..i64::from(of_set)).contains(&row);
                let (entry, found) = numbers.iter().enumerate().find(outside).unwrap_or_default();
                let set = layout.schema.sets.get(usize::from(set)).copied().unwrap_or_default();
                return Err(CollateError::Row { name, column, entry: added.start + entry, found, rows: of_set, set });
            }
        }
        Ok(())
    }

    /// Ends the graph. Errors, and leaves the batch without it, if rows of a field or an index are missing, or if a row
    /// has more [`Neighbours`] than batches hold.
    pub fn finish(self) -> Result<(), CollateError> {
        let layout = self.batch.layout;
        let fields = layout.schema.fields.iter().map(|of| (of.name, self.count(of.level) * of.width));
        let indices = layout.schema.indices.iter().map(|of| (of.name, self.count(of.level)));
        for ((name, expected), &found) in fields.chain(indices).zip(&self.written) {
            if found != expected {
                return Err(count(name, "values for this graph", expected, found));
            }
        }
        let real = self.batch.real;
        let graph = real.graphs as usize;
        for (array, of) in self.batch.builtins() {
            match of {
                Builtin::Batch(set) => {
                    let (first, rows) = (rows(&real, Level::Set(set)), self.count(Level::Set(set)));
                    let entries = self.batch.at(array.bytes_of(first..first + rows));
                    write_batch(entries, layout.index, graph, once(rows));
                }
                Builtin::Ptr(set) => {
                    let entry = self.batch.at(array.bytes_of(graph..graph + 1));
                    write_ptr(entry, layout.index, rows(&real, Level::Set(set)), once(0));
                }
                Builtin::GraphIds => {
                    self.batch.at(array.bytes_of(graph..graph + 1)).copy_from_slice(&self.id.to_ne_bytes());
                }
                Builtin::Pool(set) => {
                    let (first, count) = (rows(&real, Level::Set(set)), self.count(Level::Set(set)));
                    let row = self.batch.at(array.bytes_of(graph..graph + 1));
                    write_pool(cast(row), array.width, first, once(count));
                }
                _ => {}
            }
        }
        for (of, arrays) in self.batch.neighbours() {
            let [own, entries] = [of.set, of.edges].map(Level::Set);
            let [own, entries] = [own, entries].map(|of| rows(&real, of)..rows(&real, of) + self.count(of));
            let [neighbours, edges, mask] = arrays.map(|array| array.bytes_of(own.clone()));
            let array = layout.array(layout.schema.fields.len() + usize::from(of.index));
            let [sources, targets] = [0, 1].map(|column| array.column(column, entries.clone()));
            if let Ok(parts) = self.batch.bytes.get_disjoint_mut([neighbours, edges, mask, sources, targets]) {
                let written = of.write(parts, layout.index, own.start, entries.start, |_| true);
                written.map_err(|Crowded { row, found }| {
                    let name = layout.schema.indices.get(usize::from(of.index)).map_or("", |index| index.name);
                    CollateError::Neighbours { name, row, most: of.most, found }
                })?;
            }
        }
        let size = Size::of(real.size.sets(), |set| real.size[set] + self.size[set]);
        self.batch.real = Shape { size, graphs: real.graphs + 1 };
        Ok(())
    }

    /// Rows of the graph.
    fn count(&self, level: Level) -> usize {
        match level {
            Level::Set(set) => self.size[usize::from(set)] as usize,
            Level::Graph => 1,
        }
    }

    /// Counts `more` elements of an array with `expected` of them, and returns which they are.
    fn append(
        &mut self,
        position: usize,
        name: &'static str,
        expected: usize,
        more: usize,
    ) -> Result<Range<usize>, CollateError> {
        let written = &mut self.written[position];
        let (start, end) = (*written, *written + more);
        if end > expected {
            return Err(count(name, "values for this graph", expected, end));
        }
        *written = end;
        Ok(start..end)
    }
}

fn count(of: &'static str, what: &'static str, expected: usize, found: usize) -> CollateError {
    CollateError::Count { of, what, expected, found }
}

/// A whole batch, to read: padded, as its arrays were described.
pub struct PaddedBatch<'a> {
    layout: &'a FixedLayout,
    bytes: &'a [u8],
    real: Shape,
}

impl<'a> PaddedBatch<'a> {
    /// The memory of all arrays, for a device or an engine.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Rows of each set and graphs without padding.
    pub fn real(&self) -> Shape {
        self.real
    }

    /// Returns the elements of an array, row by row; of an index, column by column. `None` if there is no array of this
    /// name, or it has another dtype.
    pub fn get<T: Element>(&self, name: &str) -> Option<&'a [T]> {
        let schema = &self.layout.schema;
        let set = |set: u8| schema.sets.get(usize::from(set)).copied().unwrap_or_default();
        let field = |field: u8| schema.fields.get(usize::from(field)).map_or("", |field| field.name);
        let is_builtin = |of: &Builtin| {
            let [start, middle, end] = of.name(set, field, |_| "");
            name.strip_prefix(start).and_then(|name| name.strip_prefix(middle)) == Some(end)
        };
        let names = schema.fields.iter().map(|of| of.name).chain(schema.indices.iter().map(|of| of.name));
        let position = { names }.position(|other| other == name).or_else(|| {
            let builtin = schema.builtins.iter().position(is_builtin)?;
            Some(schema.fields.len() + schema.indices.len() + builtin)
        });
        self.elements(position?)
    }

    /// Returns where the rows of a graph lie in the arrays of a set, by the graph's place in the batch, so that results
    /// of rows are taken out again. `None` if there is no such graph, or if batches do not have [`Builtin::Ptr`] of the
    /// set.
    pub fn rows(&self, graph: usize, set: u8) -> Option<Range<usize>> {
        let (position, graphs) = (self.builtin(Builtin::Ptr(set))?, self.real.graphs as usize);
        let row = |at: usize| match self.layout.index {
            Dtype::I32 => self.elements::<i32>(position)?.get(at).map(|&row| row as usize),
            _ => self.elements::<i64>(position)?.get(at).map(|&row| row as usize),
        };
        Some(row(graph).filter(|_| graph < graphs)?..row(graph + 1)?)
    }

    /// The id of each graph in the order of their places, so that results of graphs go to whom they belong. `None` if
    /// batches do not have [`Builtin::GraphIds`].
    pub fn ids(&self) -> Option<&'a [i64]> {
        self.elements(self.builtin(Builtin::GraphIds)?)?.get(..self.real.graphs as usize)
    }

    fn builtin(&self, builtin: Builtin) -> Option<usize> {
        let schema = &self.layout.schema;
        let position = schema.builtins.iter().position(|of| *of == builtin)?;
        Some(schema.fields.len() + schema.indices.len() + position)
    }

    fn elements<T: Element>(&self, position: usize) -> Option<&'a [T]> {
        let array = self.layout.array(position);
        let bytes = self.bytes.get(array.bytes_of(0..array.rows)).filter(|_| array.dtype == T::DTYPE)?;
        bytemuck::checked::try_cast_slice(bytes).ok()
    }
}
