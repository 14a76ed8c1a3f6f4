//! [`Trimming`]: writes graphs that exceed the limits, trimmed to them.

use super::BatchMemory;
use crate::Random;
use crate::error::BoxError;
use crate::layout::{Carried, Dtype, GraphDraw, GraphSpan, Heap, Layout, Pool, Schema, Shape, Size, Slot};
use crate::source::{Graphs, Worker};
use std::sync::Arc;

/// Writes graphs that exceed the limits, trimmed to them.
pub(super) struct Trimming {
    /// The most rows that a batch takes of a graph.
    most: Size,
    /// Of the largest graph, whole.
    layout: Layout,
    /// Memory for one whole graph per worker.
    pool: Arc<Pool>,
}

impl Trimming {
    /// Trims graphs of `schema` with at most `largest` rows to `most`. `None` if these have more bytes than memory can
    /// address.
    pub(super) fn new(schema: &Schema, [most, largest]: [Size; 2], workers: usize) -> Option<Self> {
        let shape = Shape::of(largest.sets(), 1, |set| largest[set] as usize);
        let layout = Layout::new(Arc::new(schema.clone()), &Carried::all(schema), shape, Dtype::I64)?;
        Some(Self { most, layout, pool: Arc::new(Pool::new(Arc::new(Heap), workers.max(1))) })
    }

    /// Returns what a batch takes of a graph of this size; `None` if that is all of it.
    pub(super) fn trimmed(&self, size: &Size) -> Option<Size> {
        (!size.fits(&self.most)).then(|| size.min_each(&self.most))
    }

    /// Writes a graph of `size` into `slot`. It is written into memory of its own first: which rows stay is drawn
    /// there, derived sets are made of what is left, and it is copied.
    pub(super) fn write(
        &self,
        (data, worker): (&dyn Graphs, &mut Worker),
        (graph, size): (usize, Size),
        draw: GraphDraw,
        slot: &mut Slot<'_>,
    ) -> Result<(), BoxError> {
        let before = Shape::of(size.sets(), 0, |_| 0);
        let span = GraphSpan::new(&before, size);
        if !span.fits(&self.layout.shape()) {
            let sets = data.schema().sets();
            let (found, largest) = (sets.counts(size.as_slice()), sets.shape(&self.layout.shape()));
            return Err(format!("its {found} are more than the largest had, {largest}; did its size change?").into());
        }
        let mut memory = BatchMemory::take(&self.pool, self.layout.bytes(), 0)?;
        let mut whole = Slot::new(memory.bytes_mut(), &self.layout, span, draw);
        data.write(graph, &mut whole, worker)?;
        let mut random = Random::of_trim([draw.seed, draw.epoch, draw.number], draw.copy);
        whole.trim(&self.most, &mut random)?;
        data.write_derived(graph, &mut whole)?;
        whole.check()?;
        whole.trim(&self.most, &mut random)?;
        slot.leave_out(whole.left_out());
        Ok(slot.copy(&whole)?)
    }
}
