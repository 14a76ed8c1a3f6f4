//! [`Schedule`]: makes the epoch order.

use super::{EpochOrder, Grouping, Picking, PlanPlaces, streamed};
use crate::Random;
use crate::layout::Shape;
use crate::plan::sizes::Sizes;
use crate::source::SourceError;

/// Makes the epoch order: picks graphs in some order, then divides them into batches.
pub(crate) struct Schedule {
    pub(crate) picking: Picking,
    /// The size of every graph of the source.
    pub(crate) sizes: Sizes,
    pub(crate) grouping: Grouping,
    /// Number of packs per batch.
    pub(crate) per_batch: usize,
    /// Whether an incomplete last batch is left out.
    pub(crate) drop_last: bool,
    /// Graphs that exceed the limits and are batches of their own.
    pub(crate) alone: Vec<u32>,
}

impl Schedule {
    /// Number of graphs that exceed the limits and are batches of their own.
    pub(crate) fn alone(&self) -> usize {
        self.alone.len()
    }

    /// The number of batches; `None` if it may differ between epochs.
    pub(crate) fn batches(&self) -> Option<usize> {
        match &self.grouping {
            Grouping::Planned(plans) => {
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

    /// Returns the order of epoch `epoch`. Without a seed it is the same for every epoch, unless graphs are drawn. Unless
    /// `spread`, packs of a plan are composed as if all padding entries pointed to one row.
    pub(crate) fn epoch(&self, seed: Option<u64>, epoch: u64, spread: bool) -> Result<EpochOrder, SourceError> {
        let mut random = Random::new(seed.unwrap_or_default(), epoch);
        let graphs = self.picking.epoch(seed.is_some(), &mut random);
        let mut shuffle = |list: &mut [u32]| {
            if seed.is_some() {
                random.shuffle(list);
            }
        };
        let near = seed.is_some() && self.picking.block.is_some();
        let mut several = !self.alone.is_empty();
        let mut fill = |plans: &mut dyn ExactSizeIterator<Item = &PlanPlaces>| {
            several |= plans.len() > 1;
            let mut order = EpochOrder::with_capacity(graphs.len());
            for places in plans {
                let mut filled = places.fill(&self.sizes, &graphs, (near, spread), &mut shuffle).merge(self.per_batch);
                if self.drop_last {
                    filled.drop_incomplete();
                }
                order.append(filled);
            }
            order
        };
        let mut order = match &self.grouping {
            Grouping::Planned(plans) => fill(&mut plans.iter()),
            Grouping::Replanned { packer, buckets } => {
                let plans = PlanPlaces::plan(&self.sizes, &graphs, packer, buckets)?;
                fill(&mut plans.iter().map(|(places, _)| places))
            }
            Grouping::Streamed { limits, open: None } => {
                streamed::in_turn(&graphs, &self.sizes, limits).merge(self.per_batch)
            }
            Grouping::Streamed { limits, open: Some(open) } => {
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
