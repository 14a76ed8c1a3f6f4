//! [`Schedule`]: makes the epoch order.

use super::{Division, EpochOrder, Picking, PlanPlaces, streamed};
use crate::Random;
use crate::error::BoxError;
use crate::layout::Shape;
use crate::options::Order;
use crate::plan::sizes::Sizes;

/// Makes the epoch order: picks graphs in some order, then divides them into batches.
pub(crate) struct Schedule {
    pub(crate) picking: Picking,
    /// The size of every graph of the source.
    pub(crate) sizes: Sizes,
    pub(crate) division: Division,
    /// Number of packs per batch.
    pub(crate) per_batch: usize,
    /// Whether an incomplete last batch is left out.
    pub(crate) drop_last: bool,
    /// Graphs that exceed the limits and are batches of their own.
    pub(crate) alone: Vec<u32>,
}

impl Schedule {
    /// The number of batches; `None` if it may differ between epochs.
    pub(crate) fn batches(&self) -> Option<usize> {
        match &self.division {
            Division::Planned(plans) => {
                let per_batch = self.per_batch;
                let batches = |packs: usize| if self.drop_last { packs / per_batch } else { packs.div_ceil(per_batch) };
                Some(plans.iter().map(|places| batches(places.packs())).sum::<usize>() + self.alone.len())
            }
            _ => None,
        }
    }

    /// Returns the number of rows that `graphs` have together.
    pub(crate) fn rows(&self, graphs: &[u32]) -> Shape {
        self.sizes.rows(graphs)
    }

    /// Returns the order of epoch `epoch`, the same for every epoch unless graphs are shuffled or drawn.
    pub(crate) fn epoch(&self, seed: u64, epoch: u64) -> Result<EpochOrder, BoxError> {
        let mut random = Random::new(seed, epoch);
        let graphs = self.picking.epoch(&mut random);
        let shuffled = self.picking.order.is_shuffled();
        let mut shuffle = |list: &mut [u32]| {
            if shuffled {
                random.shuffle(list);
            }
        };
        let near = matches!(self.picking.order, Order::Blocks(_));
        let mut several = !self.alone.is_empty();
        let mut fill = |plans: &mut dyn ExactSizeIterator<Item = &PlanPlaces>| {
            several |= plans.len() > 1;
            let mut order = EpochOrder::with_capacity(graphs.len());
            for places in plans {
                let mut filled = places.fill(&self.sizes, &graphs, near, &mut shuffle).merge(self.per_batch);
                if self.drop_last {
                    filled.drop_incomplete();
                }
                order.append(filled);
            }
            order
        };
        let mut order = match &self.division {
            Division::Planned(plans) => fill(&mut plans.iter()),
            Division::Replanned { packer, buckets } => {
                let plans = PlanPlaces::plan(&self.sizes, &graphs, packer, buckets)?;
                fill(&mut plans.iter().map(|(places, _)| places))
            }
            Division::Streamed { limits, open: None } => {
                streamed::in_turn(&graphs, &self.sizes, limits).merge(self.per_batch)
            }
            Division::Streamed { limits, open: Some(open) } => {
                streamed::by_window(&graphs, &self.sizes, limits, *open).merge(self.per_batch)
            }
        };
        if self.drop_last {
            order.drop_incomplete();
        }
        for &graph in &self.alone {
            order.extend(&[graph]);
            order.close();
        }
        if several {
            // Shuffled, batches of one kind come between the others, not after them.
            let mut places: Vec<u32> = (0..order.len() as u32).collect();
            shuffle(&mut places);
            order.rearrange(&places);
        }
        Ok(order)
    }
}
