//! How the graphs of a [`Store`] in memory or in a mapped file are written into batches; `positioned` does it for
//! files.

use super::stored_file::StoredFile;
use super::{Store, StoreError};
use crate::error::{BoxError, Error};
use crate::fingerprint::{self, mix, mix_bytes};
use crate::layout::{IndexBytes, Level, MAX_COLUMNS, MAX_SETS, Schema, Size, Slot};
use crate::source::{Each, Graphs, Worker, will_read};
use std::ops::Range;

impl Store {
    /// The sets, fields and indices that each graph has.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Number of graphs.
    pub fn len(&self) -> usize {
        self.ptr[0].len() - 1
    }

    /// Whether there are no graphs.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns how many rows of each set graph `graph` has. Errors if there is no such graph.
    pub fn size(&self, graph: usize) -> Result<Size, Error> {
        self.expect(graph)?;
        Ok(self.size_of(graph))
    }

    /// Returns the sizes of all graphs, in their order.
    pub fn sizes(&self) -> impl ExactSizeIterator<Item = Size> {
        (0..self.len()).map(|graph| self.size_of(graph))
    }

    /// Errors unless there is such a graph.
    pub(super) fn expect(&self, graph: usize) -> Result<(), Error> {
        let graphs = self.len();
        if graph < graphs { Ok(()) } else { Err(StoreError::Graph { graph, graphs }.into()) }
    }

    /// The size of a graph, which must exist.
    pub(super) fn size_of(&self, graph: usize) -> Size {
        match &self.ptr[..] {
            [nodes, edges] => Size::new([nodes.count(graph), edges.count(graph)]),
            all => Size::of(all.len(), |set| all[set].count(graph)),
        }
    }

    /// Writes graph `graph` into a batch, for a [`Source`](crate::Source) of your own around the store. Errors if there
    /// is no such graph, or if `slot` is of another schema.
    pub fn write(&self, graph: usize, slot: &mut Slot<'_>) -> Result<(), BoxError> {
        self.expect(graph)?;
        self.write_graph(graph, slot)
    }

    /// Writes a graph, which must exist.
    pub(super) fn write_graph(&self, graph: usize, slot: &mut Slot<'_>) -> Result<(), BoxError> {
        if self.map.is_some() {
            self.check_pages(graph)?;
        }
        let mut spans = NO_SPANS;
        self.set_spans(graph, &mut spans);
        for (position, bytes) in self.fields(&spans).enumerate() {
            slot.set_at(position, bytes)?;
        }
        for (position, (of, index)) in self.schema.indices().iter().zip(&self.indices).enumerate() {
            let mut found = index.rows(at(&spans, of.level));
            if let (2, Some(sources), Some(targets)) = (of.width(), found.next(), found.next()) {
                slot.set_index_at(position, &[sources, targets])?;
                continue;
            }
            let mut columns = [IndexBytes::EMPTY; MAX_COLUMNS];
            columns.iter_mut().zip(index.rows(at(&spans, of.level))).for_each(|(column, found)| *column = found);
            slot.set_index_at(position, &columns[..of.width()])?;
        }
        Ok(())
    }

    /// Returns a hash of all sizes and of the contents of some graphs. It is the same in memory, in one file and in
    /// several, whatever the width of the indices.
    pub fn fingerprint(&self) -> u64 {
        let samples = fingerprint::samples(self.len());
        samples.fold(self.sizes_fingerprint(), |hash, graph| self.mix_graph(hash, graph))
    }
}

impl Graphs for Store {
    fn schema(&self) -> &Schema {
        self.schema()
    }

    fn len(&self) -> usize {
        self.len()
    }

    fn size(&self, graph: usize) -> Size {
        self.size_of(graph)
    }

    fn write(&self, graph: usize, slot: &mut Slot<'_>, _: &mut Worker) -> Result<(), BoxError> {
        self.write_graph(graph, slot)
    }

    fn will_write(&self, graph: usize) {
        let mut spans = NO_SPANS;
        self.set_spans(graph, &mut spans);
        self.fields(&spans).for_each(will_read);
        for (of, index) in self.schema.indices().iter().zip(&self.indices) {
            index.rows(at(&spans, of.level)).for_each(|column| will_read(column.bytes()));
        }
    }

    fn fingerprint(&self) -> u64 {
        self.fingerprint()
    }

    fn checksum(&self) -> Option<u64> {
        let sums = self.origin.as_ref()?.sums.as_deref()?;
        StoredFile::checksum([Some(sums)])
    }

    fn check(&self, _graphs: Each<'_>) -> Result<(), BoxError> {
        match &self.map {
            Some(map) => Ok(map.check()?),
            None => Ok(()),
        }
    }
}

impl Store {
    /// Sets the rows of a graph in each set, and then its row among graphs: offsets are read once for all columns. Into
    /// `spans`, because returning them costs a copy that waits for what was just written.
    #[inline]
    fn set_spans(&self, graph: usize, spans: &mut [Range<usize>; MAX_SETS + 1]) {
        // Most data have two sets, which need no loop.
        match &self.ptr[..] {
            [nodes, edges] => (spans[0], spans[1]) = (nodes.span(graph), edges.span(graph)),
            all => spans.iter_mut().zip(all).for_each(|(span, ptr)| *span = ptr.span(graph)),
        }
        spans[MAX_SETS] = graph..graph + 1;
    }

    /// The bytes of a graph in each column.
    #[inline]
    fn fields<'a>(&'a self, spans: &'a [Range<usize>; MAX_SETS + 1]) -> impl Iterator<Item = &'a [u8]> {
        self.columns.iter().map(|column| column.rows(at(spans, column.field().level)))
    }

    /// Returns `hash` with the rows of every field and index of a graph mixed in.
    pub(super) fn mix_graph(&self, hash: u64, graph: usize) -> u64 {
        let mut spans = NO_SPANS;
        self.set_spans(graph, &mut spans);
        let hash = self.fields(&spans).fold(hash, mix_bytes);
        self.schema.indices().iter().zip(&self.indices).fold(hash, |hash, (of, index)| {
            let columns = index.rows(self.span(of.level, graph));
            columns.fold(hash, |hash, column| column.iter().fold(hash, |hash, row| mix(hash, row as u64)))
        })
    }
}

const NO_SPANS: [Range<usize>; MAX_SETS + 1] = [const { 0..0 }; MAX_SETS + 1];

#[inline]
fn at(spans: &[Range<usize>; MAX_SETS + 1], level: Level) -> Range<usize> {
    let place = match level {
        Level::Set(set) => usize::from(set) % MAX_SETS,
        Level::Graph => MAX_SETS,
    };
    spans[place].clone()
}
