//! [`Subset`]: some of other graphs, without copying them.

use super::Worker;
use super::graphs::Graphs;
use crate::error::{BoxError, Cause, Error, ErrorKind};
use crate::fingerprint::mix;
use crate::layout::{Schema, Size, Slot};
use std::sync::Arc;

/// Some of other graphs: [`Data::subset`](crate::Data::subset).
pub(super) struct Subset {
    all: Arc<dyn Graphs>,
    graphs: Arc<[u32]>,
}

impl Subset {
    pub(super) fn new(all: Arc<dyn Graphs>, graphs: Arc<[u32]>) -> Result<Self, Error> {
        let available = all.len();
        match graphs.iter().position(|&graph| graph as usize >= available) {
            Some(place) => Err(SubsetError::Graph { place, graph: graphs[place], available }.into()),
            None => Ok(Self { all, graphs }),
        }
    }
}

impl Graphs for Subset {
    fn of(&self) -> Option<&dyn Graphs> {
        Some(&*self.all)
    }

    fn place(&self, graph: usize) -> usize {
        self.graphs[graph] as usize
    }

    fn schema(&self) -> &Schema {
        self.all.schema()
    }

    fn len(&self) -> usize {
        self.graphs.len()
    }

    fn size(&self, graph: usize) -> Size {
        self.all.size(self.place(graph))
    }

    fn write(&self, graph: usize, slot: &mut Slot<'_>, worker: &mut Worker) -> Result<(), BoxError> {
        self.all.write(self.place(graph), slot, worker)
    }

    // What is asked for every graph of a batch is asked directly: through `of`, a small graph takes 3 % more
    // instructions.
    fn write_derived(&self, graph: usize, slot: &mut Slot<'_>) -> Result<(), BoxError> {
        self.all.write_derived(self.place(graph), slot)
    }

    fn will_write(&self, graph: usize) {
        self.all.will_write(self.place(graph));
    }

    fn number(&self, graph: usize) -> u64 {
        self.all.number(self.place(graph))
    }

    fn fingerprint(&self) -> u64 {
        self.graphs.iter().fold(self.all.fingerprint(), |hash, graph| mix(hash, u64::from(*graph)))
    }
}

/// Data have no such subset.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SubsetError {
    #[error("entry {place} of the subset is graph {graph}, but the data have {available} graphs")]
    Graph { place: usize, graph: u32, available: usize },
    #[error(
        "subset and graphs that are drawn again for each epoch contradict each other: take it where they are drawn"
    )]
    Drawn,
}

impl Cause for SubsetError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Graph { .. } => ErrorKind::Data,
            Self::Drawn => ErrorKind::Options,
        }
    }

    fn graph(&self) -> Option<u64> {
        match *self {
            Self::Graph { graph, .. } => Some(graph.into()),
            Self::Drawn => None,
        }
    }
}
