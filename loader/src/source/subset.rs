//! [`Subset`]: some graphs of another source, without copying them.

use super::{DataSet, Graphs, Source, SourceError};
use crate::fingerprint::mix;
use crate::layout::{Schema, Size, Slot};
use std::sync::Arc;

/// Some graphs of a source: [`Data::subset`](crate::Data::subset).
pub(super) struct Subset {
    source: Arc<dyn Source>,
    graphs: Arc<[u32]>,
}

impl Subset {
    pub(super) fn new(source: Arc<dyn Source>, graphs: Arc<[u32]>) -> Result<Self, SubsetError> {
        let available = source.len();
        match graphs.iter().position(|&graph| graph as usize >= available) {
            Some(place) => Err(SubsetError { place, graph: graphs[place], available }),
            None => Ok(Self { source, graphs }),
        }
    }
}

impl Source for Subset {
    fn schema(&self) -> &Schema {
        self.source.schema()
    }

    fn len(&self) -> usize {
        self.graphs.len()
    }

    fn size(&self, graph: usize) -> Size {
        self.source.size(self.graphs[graph] as usize)
    }

    fn write(&self, graph: usize, slot: &mut Slot<'_>) -> Result<(), SourceError> {
        self.source.write(self.graphs[graph] as usize, slot)
    }

    fn write_derived(&self, graph: usize, slot: &mut Slot<'_>) -> Result<(), SourceError> {
        self.source.write_derived(self.graphs[graph] as usize, slot)
    }

    fn derived_from(&self) -> Vec<(&str, &str)> {
        self.source.derived_from()
    }

    fn will_write(&self, graph: usize) {
        self.source.will_write(self.graphs[graph] as usize);
    }

    fn will_write_all(&self, graphs: Graphs<'_>) {
        self.source.will_write_all(&|each| graphs(&mut |graph| each(self.graphs[graph] as usize)));
    }

    fn check(&self, graphs: Graphs<'_>) -> Result<(), SourceError> {
        self.source.check(&|each| graphs(&mut |graph| each(self.graphs[graph] as usize)))
    }

    fn fingerprint(&self) -> u64 {
        self.graphs.iter().fold(self.source.fingerprint(), |hash, graph| mix(hash, u64::from(*graph)))
    }

    fn contents_fingerprint(&self) -> u64 {
        mix(self.fingerprint(), self.source.contents_fingerprint())
    }

    fn checksum(&self) -> Option<u64> {
        self.source.checksum()
    }

    fn number(&self, graph: usize) -> u64 {
        self.source.number(self.graphs[graph] as usize)
    }

    fn data_sets(&self) -> &[DataSet] {
        self.source.data_sets()
    }

    fn maps(&self) -> Vec<String> {
        self.source.maps()
    }
}

/// A subset names a graph that the data do not have.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("entry {place} of the subset is graph {graph}, but the data have {available} graphs")]
pub struct SubsetError {
    /// Position in the list of graphs.
    pub place: usize,
    /// Number of the graph at this position.
    pub graph: u32,
    /// Number of graphs of the data.
    pub available: usize,
}

graphpack_core::debug_is_display!(SubsetError);
