//! [`GraphRows`]: the rows of one graph in a batch, for a transform to change.

use super::{ArrayError, Dtype, Element, IndexBytes, Schema, Size, Slot, SlotError};
use crate::Random;
use rand_core::Rng;

/// The rows of one graph in a batch, which a transform may change, or [`keep`](Self::keep) fewer of.
///
/// ```
/// use graphpack_loader::{ConnectOptions, Connected, Edges, Loader, Rng, clusters};
///
/// // Adds noise to the positions, different noise in every epoch; the edges follow.
/// let options = ConnectOptions::new(Edges::Radius(3.0)).margin(0.02);
/// let data = Connected::with(clusters::generate(1, 100), options)?;
/// let loader = Loader::new(data).shuffle(7).transform(|graph| {
///     let (positions, random) = graph.rows_and_rng::<f32>("pos")?;
///     for coordinate in positions {
///         *coordinate += 0.01 * (random.next_u32() as f32 / u32::MAX as f32 - 0.5);
///     }
///     Ok(())
/// });
/// assert!(loader.build()?.epoch(0).all(|batch| batch.is_ok()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct GraphRows<'a> {
    pub(super) slot: Slot<'a>,
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

impl GraphDraw {
    fn random(self) -> Random {
        Random::of_graph(self.seed, self.epoch, self.number)
    }
}

impl GraphRows<'_> {
    /// Calls `change` with the rows that are written to `slot`, and then takes over how many rows are left.
    pub(crate) fn change<E>(
        slot: &mut Slot<'_>,
        draw: GraphDraw,
        change: impl FnOnce(&mut GraphRows<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut rows = GraphRows { slot: slot.reborrow(), draw, random: None };
        change(&mut rows)?;
        let size = rows.slot.size();
        slot.span.resize(size);
        Ok(())
    }

    /// Number of the graph in the data set.
    pub fn number(&self) -> u64 {
        self.draw.number
    }

    /// Number of the epoch.
    pub fn epoch(&self) -> u64 {
        self.draw.epoch
    }

    /// How many rows of each set the graph has.
    pub fn size(&self) -> Size {
        self.slot.size()
    }

    /// The sets, fields and indices of the data set.
    pub fn schema(&self) -> &Schema {
        self.slot.schema()
    }

    /// Whether batches carry this field, so that [`rows`](Self::rows) has it.
    pub fn carries(&self, field: &str) -> bool {
        self.slot.carries(field)
    }

    /// Whether batches carry this index, so that [`index`](Self::index) has it.
    pub fn carries_index(&self, index: &str) -> bool {
        self.slot.carries_index(index)
    }

    /// The graph's rows of a field, for example `nodes x width` elements of a field of nodes.
    pub fn rows<T: Element>(&mut self, field: &str) -> Result<&mut [T], ArrayError> {
        rows(&mut self.slot, field)
    }

    /// Returns the random numbers of this graph in this epoch. They are a function of (seed, epoch, number) and do not
    /// depend on the workers.
    pub fn rng(&mut self) -> &mut impl Rng {
        self.random.get_or_insert_with(|| self.draw.random())
    }

    /// Returns [`rows`](Self::rows) and [`rng`](Self::rng), to use one with the other.
    pub fn rows_and_rng<T: Element>(&mut self, field: &str) -> Result<(&mut [T], &mut impl Rng), ArrayError> {
        Ok((rows(&mut self.slot, field)?, self.random.get_or_insert_with(|| self.draw.random())))
    }

    /// Returns the columns of an index, as rows counted within this graph: sources and targets of `edge_index`.
    pub fn index(&self, index: &str) -> Result<Vec<Vec<i64>>, SlotError> {
        let width = self.slot.schema().find_index(index).map_or(1, |at| self.slot.schema().indices()[at].width());
        let column = |column| {
            let mut numbers = Vec::new();
            self.slot.read_index(index, column, &mut numbers).map(|()| numbers)
        };
        (0..width).map(column).collect()
    }

    /// Replaces the columns of an index, which keep their length, by rows counted within this graph.
    pub fn set_index(&mut self, index: &str, columns: &[impl AsRef<[i64]>]) -> Result<(), SlotError> {
        let columns: Vec<_> = columns.iter().map(|column| IndexBytes::of(column.as_ref())).collect();
        self.slot.write_index(index, &columns)
    }
}

fn rows<'a, T: Element>(slot: &'a mut Slot<'_>, field: &str) -> Result<&'a mut [T], ArrayError> {
    let Ok((position, Some((array, range)))) = slot.place(field) else { return Err(slot.layout.missing(field)) };
    if !slot.has_field(position) {
        return Err(ArrayError::Unwritten { name: field.to_owned() });
    }
    array.expect::<T>()?;
    // Looked at before it is borrowed for the caller.
    let bools = array.dtype != Dtype::Bool || slot.bytes[range.clone()].iter().all(|&byte| byte < 2);
    let invalid = (!bools).then(|| ArrayError::invalid(field, &slot.bytes[range.clone()]));
    let rows = bytemuck::checked::try_cast_slice_mut(&mut slot.bytes[range]);
    rows.map_err(|_| invalid.unwrap_or_else(|| ArrayError::invalid(field, &[])))
}
