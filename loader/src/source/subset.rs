//! [`Subset`]: some graphs of another source, without copying them.

use super::{DataSet, Graphs, Source, SourceError, Store, StoreError};
use crate::fingerprint::mix;
use crate::layout::{Schema, Size, Slot};
use std::sync::Arc;

/// Some graphs of a source, in a given order; a graph may occur more than once.
///
/// A split is a subset. Batches number its graphs as the data set does:
///
/// ```
/// use graphpack_loader::{Loader, Options, Order, Source, Subset, molecules};
/// use std::sync::Arc;
///
/// let data = Arc::new(molecules::generate(7, 1000));
/// let (test, training): (Vec<u32>, Vec<u32>) = (0..data.len() as u32).partition(|graph| graph % 10 == 0);
/// let [training, test] = [Subset::new(data.clone(), training)?, Subset::new(data, test)?];
/// let training = Loader::new(training, Options::graphs(64).order(Order::Shuffled).seed(42))?;
/// let test = Loader::new(test, Options::graphs(64))?;
/// let mut tested: Vec<i64> = Vec::new();
/// for batch in test.epoch(0) {
///     tested.extend(batch?.graph_ids());
/// }
/// tested.sort();
/// assert_eq!(tested[..3], [0, 10, 20]);
/// # assert!(training.epoch(0).all(|batch| batch.is_ok_and(|batch| batch.graph_ids().iter().all(|id| id % 10 != 0))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Subset<S> {
    source: Arc<S>,
    graphs: Arc<[u32]>,
}

impl<S: Source> Subset<S> {
    /// Returns the graphs with the numbers `graphs`, in this order. Errors at the first number that the source does not
    /// have.
    pub fn new(source: Arc<S>, graphs: impl Into<Arc<[u32]>>) -> Result<Self, SubsetError> {
        let graphs = graphs.into();
        let available = source.len();
        match graphs.iter().position(|&graph| graph as usize >= available) {
            Some(place) => Err(SubsetError { place, graph: graphs[place], available }),
            None => Ok(Self { source, graphs }),
        }
    }

    /// The source that the graphs are from.
    pub fn source(&self) -> &Arc<S> {
        &self.source
    }
}

impl Subset<Store> {
    /// Copies the graphs into a store in memory.
    pub fn to_store(&self) -> Result<Store, StoreError> {
        self.source.chosen(&self.graphs.iter().map(|&graph| graph as usize).collect::<Vec<_>>())
    }
}

impl<S: Source> Source for Subset<S> {
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
}

/// A subset names a graph that its source does not have.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("entry {place} of the subset is graph {graph}, but the source has {available} graphs")]
pub struct SubsetError {
    /// Position in the list of graphs.
    pub place: usize,
    /// Number of the graph at this position.
    pub graph: u32,
    /// Number of graphs of the source.
    pub available: usize,
}

graphpack_core::debug_is_display!(SubsetError);
