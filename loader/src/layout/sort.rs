//! The order of rows: how those of a graph, and those of padding, come into the order of a column of an index, and with
//! them all that points to them.

use super::{Builtin, GraphSpan, IndexBytes, Layout, Level, Marks, Shape, Slot, SortedBy};
use std::cell::RefCell;
use std::mem::replace;
use std::ops::Range;

thread_local! {
    /// Serves all graphs that a worker writes, so that nothing is allocated per graph.
    static MEMORY: RefCell<Memory> = RefCell::default();
}

#[derive(Default)]
struct Memory {
    /// A column of an index.
    entries: Vec<i64>,
    /// Where the next entry goes that points to each row.
    places: Vec<u32>,
    /// The new number of each row.
    numbers: Vec<u32>,
    /// Rows as they were.
    old: Vec<u8>,
}

impl Slot<'_> {
    /// Brings the rows that are written of the graph into the orders that the schema of the batch has.
    #[inline]
    pub(crate) fn sort(&mut self) {
        if !self.layout.orders.is_empty() {
            let span = GraphSpan::new(self.before, &self.progress.size);
            sort(self.layout, self.progress.written, |level| span.rows(level), self.bytes);
        }
    }
}

impl Layout {
    /// Brings all padding rows into order, which come after `real` rows, and writes where the entries of indices begin.
    pub(crate) fn finish_orders(&self, real: &Shape, bytes: &mut [u8]) {
        let padding = |level| real.rows(level)..self.shape().rows(level);
        sort(self, self.all_written(), padding, bytes);
        for order in &self.orders {
            let (ptr, index) = (self.builtin(Builtin::IndexPtr(*order)), self.index(order.index.into()));
            let (Some(ptr), Some((_, Some(index)))) = (ptr, index) else { continue };
            let entries = index.column_bytes(order.column.into(), 0..index.width.unwrap_or(0));
            if let Ok(parts) = bytes.get_disjoint_mut([ptr.range(), entries]) {
                SortedBy::write_ptr(parts, ptr.dtype);
            }
        }
    }
}

/// Sorts `rows`, those of one graph or all padding rows, whose indices point to each other alone, by each index that is
/// `written`. Rows with equal entries keep their order.
fn sort(layout: &Layout, written: Marks, rows: impl Fn(Level) -> Range<usize>, bytes: &mut [u8]) {
    let (fields, indices) = (layout.schema().fields(), layout.schema().indices());
    let array = |position: usize| {
        let is_written = written.has(fields.len() + position);
        layout.index(position).and_then(|(_, array)| array).filter(|_| is_written)
    };
    MEMORY.with_borrow_mut(|Memory { entries, places, numbers, old }| {
        for order in &layout.orders {
            let Some(index) = array(order.index.into()) else { continue };
            let [own, into] = [order.edges, order.set].map(|set| rows(Level::Set(set)));
            if index.is_sorted(bytes, order.column.into(), own.clone()) {
                continue;
            }
            entries.clear();
            index.read_column(bytes, order.column.into(), own.clone(), into.start as i64, entries);
            places.clear();
            places.resize(into.len(), 0);
            entries.iter().for_each(|&row| places[row as usize] += 1);
            let mut before = 0;
            places.iter_mut().for_each(|place| before += replace(place, before));
            numbers.clear();
            numbers.extend(entries.iter().map(|&row| {
                let place = &mut places[row as usize];
                replace(place, *place + 1)
            }));
            let is_sorted = |level: Level| level == Level::Set(order.edges);
            for (field, place) in fields.iter().zip(&layout.fields).filter(|(field, _)| is_sorted(field.level)) {
                if let Some(range) = place.bytes_of(own.clone()) {
                    reorder(&mut bytes[range], field.row_bytes(), numbers, old);
                }
            }
            for (position, of) in indices.iter().enumerate() {
                let Some(array) = array(position) else { continue };
                for (column, &target) in of.targets.iter().enumerate() {
                    let range = array.column_bytes(column, rows(of.level));
                    if is_sorted(of.level) {
                        reorder(&mut bytes[range.clone()], array.dtype.bytes(), numbers, old);
                    }
                    if target == order.edges {
                        entries.clear();
                        array.read_column(bytes, column, rows(of.level), own.start as i64, entries);
                        entries.iter_mut().for_each(|row| *row = numbers[*row as usize].into());
                        IndexBytes::of(entries).write(&mut bytes[range], array.dtype, own.start, own.len() as u32);
                    }
                }
            }
        }
    });
}

/// Moves rows of `width` bytes to their new numbers.
fn reorder(rows: &mut [u8], width: usize, numbers: &[u32], old: &mut Vec<u8>) {
    old.clear();
    old.extend_from_slice(rows);
    for (row, &number) in old.chunks_exact(width.max(1)).zip(numbers) {
        let start = number as usize * width;
        rows[start..start + width].copy_from_slice(row);
    }
}
