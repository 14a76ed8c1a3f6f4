//! [`Batch`]: what one training step gets; [`BatchMemory`]: its memory, which the loader recycles.

use super::BatchInfo;
use crate::error::Error;
use crate::layout::{
    Arena, ArrayError, ArrayKind, BatchGraph, Builtin, Element, Index, MemoryError, Pool, Recycled, Shape, Size,
};
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// A batch: the graphs of one or more packs as one disjoint union, padded to a fixed shape.
///
/// For example, a path of three nodes and a single node make this batch in a shape of 6 nodes, 5 edges, 4 graphs:
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
/// The fields of the data set (`x [6, width]`, `edge_attr [5, width]`, `y [4, width]`) have their padding value in
/// padding rows, which is 0 unless the schema says otherwise; [`Padding`](crate::Padding) says what `pos` has. A row may
/// have other axes, as in `y [4]` and `cell [4, 3, 3]` ([`Field::row`](crate::schema::Field::row)).
///
/// ```
/// use graphpack_loader::{Loader, Options, molecules};
///
/// let loader = Loader::new(molecules::generate(1, 100), Options::graphs(8))?;
/// for batch in loader.epoch(0) {
///     let batch = batch?;
///     let x = batch.get::<i64>("x")?; // 9 values of each node, row by row
///     let (sources, targets) = batch.edge_index::<i64>()?;
///     assert_eq!((x.len(), sources.len()), (9 * batch.shape().nodes(), batch.shape().edges()));
///     assert_eq!(targets.len(), sources.len());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Several threads may read a batch, in an `Arc` for example.
pub struct Batch {
    memory: BatchMemory,
    info: BatchInfo,
}

impl Batch {
    pub(super) fn new(memory: BatchMemory, info: BatchInfo) -> Self {
        Self { memory, info }
    }

    /// All arrays, as one contiguous piece of memory. Bytes between arrays are 0.
    pub fn bytes(&self) -> &[u8] {
        self.memory.bytes()
    }

    /// Splits the batch into its memory, which returns to the loader when it is dropped, and what is known of the batch
    /// beside its arrays.
    pub fn into_parts(self) -> (BatchMemory, BatchInfo) {
        (self.memory, self.info)
    }

    /// Returns the array named `name`, row by row, padding included. Errors if there is none, or if its elements are
    /// not of type `T`.
    pub fn get<T: Element>(&self, name: &str) -> Result<&[T], Error> {
        let array = self.layout().typed::<T>(name)?;
        let rows = &self.bytes()[array.range()];
        bytemuck::checked::try_cast_slice(rows).map_err(|_| ArrayError::invalid(name, rows))
    }

    /// Returns the two rows of `edge_index`: sources and targets. As for all indices, `I` is `i64`, or `i32` if
    /// [`Options::index`](field@crate::Options::index) says so.
    pub fn edge_index<I: Element>(&self) -> Result<(&[I], &[I]), Error> {
        let [sources, targets] = self.index(Index::EDGE_INDEX)?[..] else {
            return Err(self.layout().missing(Index::EDGE_INDEX));
        };
        Ok((sources, targets))
    }

    /// Returns the columns of the index named `name`, padding included.
    pub fn index<I: Element>(&self, name: &str) -> Result<Vec<&[I]>, Error> {
        let (array, elements) = (self.layout().typed::<I>(name)?, self.get(name)?);
        if !matches!(array.kind, ArrayKind::Index(_)) {
            let arrays = self.layout().arrays().iter();
            let indices = arrays.filter(|array| matches!(array.kind, ArrayKind::Index(_))).map(|array| &array.name);
            return Err(ArrayError::missing(name, indices));
        }
        // A column may be empty.
        let rows = elements.len() / array.rows.max(1);
        Ok((0..array.rows).map(|column| &elements[column * rows..(column + 1) * rows]).collect())
    }

    /// Returns the graph of each node, counted within the batch.
    pub fn batch<I: Element>(&self) -> Result<&[I], Error> {
        self.get("batch")
    }

    /// Returns the first node of each graph; the last entry is the number of nodes.
    pub fn ptr<I: Element>(&self) -> Result<&[I], Error> {
        self.get("ptr")
    }

    /// Returns the real graphs, each with its own rows and indices.
    pub fn graphs(&self) -> impl Iterator<Item = BatchGraph<'_>> {
        let mut before = Shape::of(self.shape().sets().len(), 0, |_| 0);
        self.memory.sizes().iter().zip(self.graph_ids()).map(move |(&size, &number)| {
            let graph = BatchGraph::new(self.layout(), self.bytes(), before, size, number);
            before.push(&size);
            graph
        })
    }

    /// The number of each real graph in the data set.
    pub fn graph_ids(&self) -> &[i64] {
        let ids = self.layout().builtin(Builtin::GraphIds).map_or(0..0, |ids| ids.range());
        &bytemuck::cast_slice(&self.bytes()[ids])[..self.real().graphs()]
    }
}

impl Deref for Batch {
    type Target = BatchInfo;

    fn deref(&self) -> &BatchInfo {
        &self.info
    }
}

impl fmt::Debug for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (epoch, step) = (self.epoch(), self.step());
        write!(f, "Batch of step {step} of epoch {epoch}, {} real of {}", self.real(), self.shape())
    }
}

/// The memory of a [`Batch`](crate::Batch). Dropping it, on any thread, returns it to the loader.
pub struct BatchMemory {
    /// `None` only while it is dropped.
    arena: Option<Box<dyn Arena>>,
    /// The size of each real graph.
    sizes: Vec<Size>,
    /// Number of bytes of the arrays; the arena may have more.
    bytes: usize,
    pool: Arc<Pool>,
}

impl BatchMemory {
    /// Takes memory for a batch of `bytes` bytes and at most `graphs` graphs from `pool`; its contents are arbitrary.
    pub(super) fn take(pool: &Arc<Pool>, bytes: usize, graphs: usize) -> Result<Self, MemoryError> {
        let Recycled { arena, sizes } = pool.take(bytes, graphs)?;
        Ok(Self { arena: Some(arena), sizes, bytes, pool: pool.clone() })
    }

    /// All arrays, to read; [`BatchInfo::layout`](crate::BatchInfo::layout) says where each lies.
    pub fn bytes(&self) -> &[u8] {
        self.arena.as_ref().map_or(&[], |arena| &arena.bytes()[..self.bytes])
    }

    /// All arrays, to write. The memory is not cleared before the next batch is written into it.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        self.parts().0
    }

    /// The size of each real graph.
    pub fn sizes(&self) -> &[Size] {
        &self.sizes
    }

    /// Leaves out the bytes from the first `bytes` on.
    pub(super) fn shrink(&mut self, bytes: usize) {
        self.bytes = self.bytes.min(bytes);
    }

    /// The arrays, and the list of the sizes of the graphs, to write.
    pub(super) fn parts(&mut self) -> (&mut [u8], &mut Vec<Size>) {
        let Self { arena, sizes, bytes, .. } = self;
        (arena.as_mut().map_or(&mut [], |arena| &mut arena.bytes_mut()[..*bytes]), sizes)
    }
}

impl Drop for BatchMemory {
    fn drop(&mut self) {
        if let Some(arena) = self.arena.take() {
            self.pool.put(Recycled { arena, sizes: std::mem::take(&mut self.sizes) });
        }
    }
}
