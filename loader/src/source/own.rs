//! [`Own`]: the graphs of a [`Source`], with their sizes; [`Failed`]: graphs that could not be drawn.

use super::graphs::{Each, Graphs};
use super::{GraphError, Source, Worker};
use crate::error::{BoxError, Error};
use crate::layout::{Schema, SetNames, Size, Slot};
use std::collections::HashMap;
use std::mem;
use std::sync::Arc;

/// The graphs of a source, which was asked for the size of each once.
pub(super) struct Own<S: ?Sized> {
    source: Arc<S>,
    /// Data sets have far fewer sizes than graphs, so that a graph takes four bytes.
    distinct: Vec<Size>,
    /// Where the size of each graph is among them.
    classes: Vec<u32>,
    failed: Option<(u64, SizeError)>,
}

impl<S: Source + ?Sized> Own<S> {
    /// Asks for the size of every graph, up to the first that has none.
    pub(super) fn new(source: Arc<S>) -> Self {
        let (mut found, mut distinct) = (HashMap::new(), Vec::new());
        let (graphs, sets) = (source.len(), source.schema().sets());
        let mut class = |graph| {
            let size = source.size(graph).map_err(|error| SizeError::Source(error.into()))?;
            if size.sets() != sets.len() {
                return Err(SizeError::Sets { found: size, sets: sets.clone() });
            }
            Ok(*found.entry(size).or_insert_with(|| {
                distinct.push(size);
                distinct.len() as u32 - 1
            }))
        };
        // A loader refuses more, and a source may count billions without having them.
        let too_many = u32::try_from(graphs).is_err();
        let mut failed = too_many.then(|| (u64::from(u32::MAX), SizeError::Graphs(graphs)));
        let mut classes = Vec::new();
        while failed.is_none() && classes.len() < graphs {
            match class(classes.len()) {
                Ok(class) => classes.push(class),
                Err(error) => failed = Some((source.number(classes.len()), error)),
            }
        }
        Self { source, distinct, classes, failed }
    }
}

impl<S: Source + ?Sized> Graphs for Own<S> {
    fn schema(&self) -> &Schema {
        self.source.schema()
    }

    fn len(&self) -> usize {
        if self.failed.is_some() { self.source.len() } else { self.classes.len() }
    }

    fn known(&self) -> Result<(), BoxError> {
        let Some((graph, error)) = &self.failed else { return Ok(()) };
        Err(Error::from(GraphError { graph: *graph, source: error.clone().into() }).into())
    }

    fn size(&self, graph: usize) -> Size {
        let size = self.classes.get(graph).map(|&class| self.distinct[class as usize]);
        size.unwrap_or_else(|| Size::of(self.schema().sets().len(), |_| 0))
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

    fn contents_fingerprint(&self) -> Option<u64> {
        let sizes = self.sizes_fingerprint();
        Some(self.source.fingerprint(sizes)).filter(|of| *of != sizes)
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
