//! [`GraphRows`]: one graph in its place in a batch, for a user's transform to change.

use crate::layout::Layout;
use crate::random::Random;
use crate::{ArrayError, Element, SourceError};
use graphpack_core::Size;
use rand_chacha::ChaCha8Rng;
use rand_core::Rng;

/// A function on each graph, called by the workers after the graph was written into its batch.
pub(crate) type Transform = dyn Fn(&mut GraphRows<'_>) -> Result<(), SourceError> + Send + Sync;

/// One graph in its place in a batch. Fields can be changed, the number of nodes and edges cannot.
///
/// ```
/// use graphpack_loader::{Edges, Loader, Structures};
/// use rand_core::Rng;
///
/// // Positions a little off, differently in every epoch.
/// let data = Structures::generate(1, 100).connect(Edges::FullyConnected)?;
/// let loader = Loader::new(data).shuffle(7).transform(|graph| {
///     for at in 0..graph.rows::<f32>("pos")?.len() {
///         let noise = graph.rng().next_u32() as f32 / u32::MAX as f32 - 0.5;
///         graph.rows::<f32>("pos")?[at] += 0.01 * noise;
///     }
///     Ok(())
/// });
/// assert!(loader.build()?.epoch(0).all(|batch| batch.is_ok()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct GraphRows<'a> {
    bytes: &'a mut [u8],
    layout: &'a Layout,
    size: Size<2>,
    /// First node, first edge and number of the graph in the batch.
    start: [usize; 3],
    number: u64,
    epoch: u64,
    seed: u64,
    random: Option<ChaCha8Rng>,
}

impl<'a> GraphRows<'a> {
    pub(crate) fn new(
        bytes: &'a mut [u8],
        layout: &'a Layout,
        (size, start): (Size<2>, [usize; 3]),
        (seed, epoch, number): (u64, u64, u64),
    ) -> Self {
        Self { bytes, layout, size, start, number, epoch, seed, random: None }
    }

    /// Its number in the data set.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The epoch.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// (nodes, edges).
    pub fn size(&self) -> Size<2> {
        self.size
    }

    /// Its rows of a field: `nodes x width` elements of a node-level field.
    pub fn rows<T: Element>(&mut self, field: &str) -> Result<&mut [T], ArrayError> {
        let missing = || ArrayError::Missing { name: field.to_owned() };
        let position = self.layout.schema().position(field).ok_or_else(missing)?;
        let array = &self.layout.arrays()[position];
        if array.dtype != T::DTYPE {
            return Err(ArrayError::Dtype { name: field.to_owned(), expected: array.dtype, found: T::DTYPE });
        }
        let [node, edge, graph] = self.start;
        let [nodes, edges] = self.size.0.map(|n| n as usize);
        let rows = self.layout.schema().fields()[position].level.of([
            node..node + nodes,
            edge..edge + edges,
            graph..graph + 1,
        ]);
        bytemuck::checked::try_cast_slice_mut(&mut self.bytes[array.rows(rows)])
            .map_err(|_| ArrayError::Invalid { name: field.to_owned(), dtype: array.dtype })
    }

    /// Random numbers of this graph in this epoch: a function of (seed, epoch, number), whichever worker asks and when.
    pub fn rng(&mut self) -> &mut impl Rng {
        let (seed, epoch, number) = (self.seed, self.epoch, self.number);
        self.random.get_or_insert_with(|| Random::of_graph(seed, epoch, number))
    }
}
