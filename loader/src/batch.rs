//! [`Batch`]: what one training step gets, the graphs of one or more packs in one disjoint union of fixed shape.

use crate::layout::Layout;
use crate::memory::Arena;
use crate::pool::Pool;
use crate::state::Origin;
use crate::{Dtype, Element, LoaderState, Shape};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// A batch of fixed shape.
///
/// Two graphs, a path of three nodes and a single node, in a shape of 6 nodes, 5 edges, 4 graphs:
///
/// | array | contents |
/// |---|---|
/// | `edge_index` | `[[0, 1, 1, 2, 4], [1, 0, 2, 1, 4]]`: row 0 sources, row 1 targets; the last edge is padding |
/// | `batch` | `[0, 0, 0, 1, 2, 2]`: the graph of each node; 2 is the first padding graph |
/// | `ptr` | `[0, 3, 4, 6, 6]`: the first node of each graph; the second padding graph is empty |
/// | `graph_ids` | `[17, 4, -1, -1]`: numbers of the graphs in the data set |
/// | `node_mask` | `[true, true, true, true, false, false]` |
/// | `edge_mask` | `[true, true, true, true, false]` |
/// | `graph_mask` | `[true, true, false, false]` |
///
/// The fields of the data set (`x [6, width]`, `edge_attr [5, width]`, `y [4, width]`) are zero in all padding rows.
pub struct Batch {
    memory: BatchMemory,
    layout: Arc<Layout>,
    real: Shape,
    collating: Duration,
    place: Place,
}

/// Which batch of which epoch it is.
#[derive(Clone)]
pub(crate) struct Place {
    pub(crate) epoch: u64,
    pub(crate) step: u64,
    /// Batches of the epoch that are behind all processes after this step.
    pub(crate) done: u64,
    /// What the order of graphs follows from.
    pub(crate) origin: Arc<Origin>,
}

impl Batch {
    pub(crate) fn new(
        arena: Box<dyn Arena>,
        pool: Arc<Pool>,
        layout: Arc<Layout>,
        real: Shape,
        collating: Duration,
        place: Place,
    ) -> Self {
        let bytes = layout.bytes();
        Self { memory: BatchMemory { arena: Some(arena), bytes, pool }, layout, real, collating, place }
    }

    /// The shape, the same for every batch of the loader unless its [`Batching`](crate::Batching) has several.
    pub fn shape(&self) -> Shape {
        self.layout.shape()
    }

    /// How much of the shape is real: nodes, edges and graphs that are not padding.
    pub fn real(&self) -> Shape {
        self.real
    }

    /// Time that a worker spent collating it.
    pub fn collating(&self) -> Duration {
        self.collating
    }

    /// The epoch that the batch belongs to.
    pub fn epoch(&self) -> u64 {
        self.place.epoch
    }

    /// The number of the batch in its epoch, from 0.
    pub fn step(&self) -> u64 {
        self.place.step
    }

    /// Where the training is after this batch: [`Loader::resume`](crate::Loader::resume) goes on right behind it.
    pub fn state(&self) -> LoaderState {
        self.place.origin.state(self.place.epoch, self.place.done)
    }

    /// Where the arrays lie in [`bytes`](Self::bytes).
    pub fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// All arrays, as one piece of memory.
    pub fn bytes(&self) -> &[u8] {
        self.memory.bytes()
    }

    /// Gives the memory away, to be recycled when that is dropped.
    pub fn into_memory(self) -> BatchMemory {
        self.memory
    }

    /// The array `name`, row by row, padding included.
    pub fn get<T: Element>(&self, name: &str) -> Result<&[T], ArrayError> {
        let array = self.layout.array(name).ok_or_else(|| ArrayError::Missing { name: name.to_owned() })?;
        if array.dtype != T::DTYPE {
            return Err(ArrayError::Dtype { name: name.to_owned(), expected: array.dtype, found: T::DTYPE });
        }
        bytemuck::checked::try_cast_slice(&self.bytes()[array.range()])
            .map_err(|_| ArrayError::Invalid { name: name.to_owned(), dtype: array.dtype })
    }

    /// Sources and targets of the edges: `edge_index` in its two rows. As for all indices, `I` is `i64`, or `i32` with
    /// [`narrow_indices`](crate::LoaderBuilder::narrow_indices).
    pub fn edge_index<I: Element>(&self) -> Result<(&[I], &[I]), ArrayError> {
        Ok(self.get("edge_index")?.split_at(self.shape().edges))
    }

    /// The graph of each node.
    pub fn batch<I: Element>(&self) -> Result<&[I], ArrayError> {
        self.get("batch")
    }

    /// The first node of each graph, and the number of nodes at the end.
    pub fn ptr<I: Element>(&self) -> Result<&[I], ArrayError> {
        self.get("ptr")
    }

    /// The numbers of the real graphs in the data set.
    pub fn graph_ids(&self) -> &[i64] {
        let ids = &self.bytes()[self.layout.own().graph_ids.range()];
        &bytemuck::cast_slice(ids)[..self.real.graphs]
    }
}

/// The memory of a [`Batch`]. It goes back to the loader when it is dropped, from whichever thread.
pub struct BatchMemory {
    /// Taken only when dropped.
    arena: Option<Box<dyn Arena>>,
    /// Bytes of the arrays; the arena may have more.
    bytes: usize,
    pool: Arc<Pool>,
}

impl BatchMemory {
    /// All arrays; [`Batch::layout`] says where.
    pub fn bytes(&self) -> &[u8] {
        self.arena.as_ref().map_or(&[], |arena| &arena.bytes()[..self.bytes])
    }

    /// All arrays, to be written. They are not cleared before the memory is used again.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        self.arena.as_mut().map_or(&mut [], |arena| &mut arena.bytes_mut()[..self.bytes])
    }
}

impl Drop for BatchMemory {
    fn drop(&mut self) {
        if let Some(arena) = self.arena.take() {
            self.pool.put(arena);
        }
    }
}

impl fmt::Debug for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batch")
            .field("epoch", &self.epoch())
            .field("step", &self.step())
            .field("real", &self.real)
            .field("shape", &self.shape())
            .finish_non_exhaustive()
    }
}

/// An array that cannot be had as asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArrayError {
    /// The batch has no such array.
    #[error("the batch has no array {name:?}")]
    Missing {
        /// Name asked for.
        name: String,
    },
    /// The array has another element type.
    #[error("array {name:?} has dtype {expected}, asked for {found}")]
    Dtype {
        /// Name asked for.
        name: String,
        /// Its dtype.
        expected: Dtype,
        /// The dtype asked for.
        found: Dtype,
    },
    /// The source wrote bytes that are no values of the dtype: a bool other than 0 and 1.
    #[error("array {name:?} holds bytes that are no {dtype}")]
    Invalid {
        /// Name asked for.
        name: String,
        /// Its dtype.
        dtype: Dtype,
    },
}
