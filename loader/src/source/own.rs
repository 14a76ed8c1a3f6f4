//! [`Own`]: the graphs of a [`Source`], with their sizes; [`Failed`]: graphs that could not be drawn.

use super::graphs::{Each, Graphs};
use super::{GraphError, Sizes, Source, Worker};
use crate::error::{BoxError, Error};
use crate::layout::{Schema, SetNames, Size, Slot};
use std::mem;
use std::sync::Arc;

/// The graphs of a source, which was asked for the size of each once.
pub(super) struct Own<S: ?Sized> {
    source: Arc<S>,
    /// Of the first graph without a size, its number and why.
    sizes: Result<Arc<Sizes>, (u64, SizeError)>,
}

impl<S: Source + ?Sized> Own<S> {
    /// Asks for the size of every graph, up to the first that has none.
    pub(super) fn new(source: Arc<S>) -> Self {
        let (graphs, sets) = (source.len(), source.schema().sets());
        let size = |graph| {
            let size = source.size(graph).map_err(|error| SizeError::Source(error.into()))?;
            if size.sets() == sets.len() { Ok(size) } else { Err(SizeError::Sets { found: size, sets: sets.clone() }) }
        };
        // A loader refuses more, and a source may count billions without having them.
        let sizes = match u32::try_from(graphs) {
            Ok(_) => Sizes::read(graphs, size).map_err(|(graph, error)| (source.number(graph), error)),
            Err(_) => Err((u32::MAX.into(), SizeError::Graphs(graphs))),
        };
        Self { source, sizes: sizes.map(Arc::new) }
    }
}

impl<S: Source + ?Sized> Graphs for Own<S> {
    fn schema(&self) -> &Schema {
        self.source.schema()
    }

    fn len(&self) -> usize {
        self.sizes.as_ref().map_or_else(|_| self.source.len(), |sizes| sizes.graphs())
    }

    fn known(&self) -> Result<(), BoxError> {
        self.sizes().map(drop)
    }

    fn size(&self, graph: usize) -> Size {
        match &self.sizes {
            Ok(sizes) => *sizes.of(graph as u32),
            Err(_) => Size::of(self.schema().sets().len(), |_| 0),
        }
    }

    fn sizes(&self) -> Result<Arc<Sizes>, BoxError> {
        let failed = |(graph, error): (u64, SizeError)| Error::from(GraphError { graph, source: error.into() });
        Ok(self.sizes.clone().map_err(failed)?)
    }

    fn write(&self, graph: usize, slot: &mut Slot<'_>, worker: &mut Worker) -> Result<(), BoxError> {
        self.source.write(graph, slot, worker.of(&*self.source))
    }

    fn prepare(&self, graphs: Each<'_>, worker: &mut Worker) -> Result<(), BoxError> {
        let mut list = mem::take(&mut worker.graphs);
        list.clear();
        graphs(&mut |graph| list.push(graph));
        let prepared = if list.is_empty() { Ok(()) } else { self.source.prepare(&list, worker.of(&*self.source)) };
        worker.graphs = list;
        prepared
    }

    fn fingerprint(&self) -> u64 {
        self.source.fingerprint(self.sizes_fingerprint())
    }

    fn number(&self, graph: usize) -> u64 {
        self.source.number(graph)
    }
}

/// No graphs, since those of epoch 0 could not be drawn.
pub(super) struct Failed {
    schema: Schema,
    error: BoxError,
}

impl Failed {
    pub(super) fn new(error: BoxError) -> Self {
        Self { schema: Schema::default(), error }
    }
}

impl Graphs for Failed {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn len(&self) -> usize {
        0
    }

    fn known(&self) -> Result<(), BoxError> {
        Err(format!("the graphs of epoch 0 cannot be drawn: {}", self.error).into())
    }

    fn size(&self, _: usize) -> Size {
        Size::new([0, 0])
    }

    fn write(&self, _: usize, _: &mut Slot<'_>, _: &mut Worker) -> Result<(), BoxError> {
        self.known()
    }
}

/// Why a graph has no size.
#[derive(Clone, Debug, thiserror::Error)]
enum SizeError {
    #[error("its size cannot be read: {0}")]
    Source(Arc<dyn std::error::Error + Send + Sync>),
    #[error("its size is {found}, expected the rows of {:?}", &**.sets)]
    Sets { found: Size, sets: SetNames },
    #[error("it is one of {0}, at most {max} are supported", max = u32::MAX)]
    Graphs(usize),
}
