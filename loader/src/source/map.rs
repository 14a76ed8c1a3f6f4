//! [`Map`]: a source whose graphs are changed by a function.

use super::{DataSet, Graphs, Source, SourceError};
use crate::layout::{Schema, Size, Slot};
use std::sync::Arc;

/// Changes a graph that is written.
type Change = dyn Fn(&mut Slot<'_>) -> Result<(), SourceError> + Send + Sync;

/// A source whose graphs are changed by a function once they are written: [`Data::map`](crate::Data::map).
pub(super) struct Map {
    source: Arc<dyn Source>,
    name: String,
    change: Box<Change>,
    /// Whether the source derives sets, which the function shall find written.
    after_derived: bool,
}

impl Map {
    pub(super) fn new(source: Arc<dyn Source>, name: &str, change: Box<Change>) -> Self {
        let after_derived = !source.derived_from().is_empty();
        Self { source, name: name.to_owned(), change, after_derived }
    }
}

impl Source for Map {
    fn schema(&self) -> &Schema {
        self.source.schema()
    }

    fn len(&self) -> usize {
        self.source.len()
    }

    fn size(&self, graph: usize) -> Size {
        self.source.size(graph)
    }

    fn write(&self, graph: usize, slot: &mut Slot<'_>) -> Result<(), SourceError> {
        self.source.write(graph, slot)?;
        if self.after_derived { Ok(()) } else { slot.change(&self.name, &self.change) }
    }

    fn write_derived(&self, graph: usize, slot: &mut Slot<'_>) -> Result<(), SourceError> {
        self.source.write_derived(graph, slot)?;
        if self.after_derived { slot.change(&self.name, &self.change) } else { Ok(()) }
    }

    fn derived_from(&self) -> Vec<(&str, &str)> {
        self.source.derived_from()
    }

    fn will_write(&self, graph: usize) {
        self.source.will_write(graph);
    }

    fn will_write_all(&self, graphs: Graphs<'_>) {
        self.source.will_write_all(graphs);
    }

    fn check(&self, graphs: Graphs<'_>) -> Result<(), SourceError> {
        self.source.check(graphs)
    }

    fn fingerprint(&self) -> u64 {
        self.source.fingerprint()
    }

    fn contents_fingerprint(&self) -> u64 {
        self.source.contents_fingerprint()
    }

    fn checksum(&self) -> Option<u64> {
        self.source.checksum()
    }

    fn number(&self, graph: usize) -> u64 {
        self.source.number(graph)
    }

    fn data_sets(&self) -> &[DataSet] {
        self.source.data_sets()
    }

    fn maps(&self) -> Vec<String> {
        let mut maps = self.source.maps();
        maps.push(self.name.clone());
        maps
    }
}
