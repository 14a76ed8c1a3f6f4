//! [`GraphRows`]: the rows of one graph in a batch, for a transform to change.

use super::{ArrayError, Element, GraphSpan, Layout};
use crate::Random;
use graphpack_core::Size;
use rand_core::Rng;

/// The rows of one graph in a batch, which a transform may change. The numbers of nodes and edges are fixed.
///
/// ```
/// use graphpack_loader::{Edges, Loader, Structures};
/// use rand_core::Rng;
///
/// // Adds noise to the positions, different noise in every epoch.
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
    span: GraphSpan,
    draw: GraphDraw,
    random: Option<Random>,
}

/// Determines the random numbers of a graph.
#[derive(Clone, Copy)]
pub(crate) struct GraphDraw {
    pub(crate) seed: u64,
    pub(crate) epoch: u64,
    /// The graph's number in the data set.
    pub(crate) number: u64,
}

impl<'a> GraphRows<'a> {
    pub(crate) fn new(bytes: &'a mut [u8], layout: &'a Layout, span: GraphSpan, draw: GraphDraw) -> Self {
        Self { bytes, layout, span, draw, random: None }
    }

    /// Number of the graph in the data set.
    pub fn number(&self) -> u64 {
        self.draw.number
    }

    /// Number of the epoch.
    pub fn epoch(&self) -> u64 {
        self.draw.epoch
    }

    /// Size of the graph: (nodes, edges).
    pub fn size(&self) -> Size<2> {
        self.span.size()
    }

    /// The graph's rows of the field named `field`, for example `nodes x width` elements of a node-level field.
    pub fn rows<T: Element>(&mut self, field: &str) -> Result<&mut [T], ArrayError> {
        let position = self.layout.schema().position(field);
        let (array, level) =
            position.and_then(|position| self.layout.field(position)).ok_or_else(|| ArrayError::missing(field))?;
        let range = array.expect::<T>()?.bytes_of(self.span.rows(level));
        bytemuck::checked::try_cast_slice_mut(&mut self.bytes[range])
            .map_err(|_| ArrayError::invalid(field, array.dtype))
    }

    /// Returns the random numbers of this graph in this epoch. They are a function of (seed, epoch, number) and do not
    /// depend on the workers.
    pub fn rng(&mut self) -> &mut impl Rng {
        let GraphDraw { seed, epoch, number } = self.draw;
        self.random.get_or_insert_with(|| Random::of_graph(seed, epoch, number))
    }
}
