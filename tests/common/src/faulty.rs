//! [`Faulty`]: a source that misbehaves as a test asks for.

use graphpack_loader::{BoxError, Schema, Size, Slot, Source, Store, Worker};

/// A store whose graphs are written by a function of the test, which may fail, panic, wait, or leave rows out.
pub struct Faulty<F> {
    store: Store,
    write: F,
}

impl<F: Fn(&Store, usize, &mut Slot<'_>) -> Result<(), BoxError> + Send + Sync> Faulty<F> {
    /// The graphs of `store`; `write` gets the store, the number of a graph and the place to write that graph to.
    pub fn new(store: Store, write: F) -> Self {
        Self { store, write }
    }
}

impl<F: Fn(&Store, usize, &mut Slot<'_>) -> Result<(), BoxError> + Send + Sync + 'static> Source for Faulty<F> {
    fn schema(&self) -> &Schema {
        self.store.schema()
    }

    fn len(&self) -> usize {
        self.store.len()
    }

    fn size(&self, graph: usize) -> Result<Size, BoxError> {
        Ok(self.store.size(graph)?)
    }

    fn write(&self, graph: usize, slot: &mut Slot<'_>, _: &mut Worker) -> Result<(), BoxError> {
        (self.write)(&self.store, graph, slot)
    }
}
