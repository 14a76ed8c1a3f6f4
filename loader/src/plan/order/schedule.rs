//! [`Schedule`]: makes the epoch order; [`Division`]: how the graphs of an epoch are divided into packs.

use super::places::{PlanPlaces, by_window, in_turn};
use super::{EpochOrder, Picking};
use crate::error::BoxError;
use crate::options::{Limits, Order};
use crate::plan::{Balance, PlanFingerprint, ShapeLimits, Sizes};
use crate::random::{Random, Use};
use graphpack_core::Packer;
use std::sync::Arc;

/// Makes the epoch order: picks graphs in some order, then divides them into batches.
pub(crate) struct Schedule {
    pub(crate) picking: Picking,
    /// The size of every graph of the source.
    pub(crate) sizes: Arc<Sizes>,
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

    /// Returns the order of epoch `epoch` by `division`, this schedule's own or that for other ranks: the same for
    /// every epoch unless graphs are shuffled or drawn.
    pub(crate) fn epoch(&self, seed: u64, epoch: u64, division: &Division) -> Result<EpochOrder, BoxError> {
        let mut random = Random::of(seed, Use::Order { epoch });
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
            let shapes = plans.len();
            let mut order = EpochOrder::with_capacity(graphs.len());
            for places in plans {
                several |= shapes > 1 && !places.are_of_one_speed();
                let mut filled = places.fill(&self.sizes, &graphs, near, &mut shuffle).merge(self.per_batch);
                // Each plan has a last batch of its own.
                if self.drop_last {
                    filled.drop_incomplete();
                }
                order.append(filled);
            }
            order
        };
        let mut order = match division {
            Division::Planned(plans) => fill(&mut plans.iter()),
            Division::Replanned { packer, by_shape, balance } => {
                let plans = PlanPlaces::plan(&self.sizes, &graphs, packer, by_shape, balance.as_ref())?;
                fill(&mut plans.iter().map(|(places, _)| places))
            }
            Division::InOrder { limits, exactly } => {
                let order = in_turn(&graphs, &self.sizes, limits);
                if let Some(graphs) = *exactly {
                    expect_exactly(&order, graphs)?;
                }
                order.merge(self.per_batch)
            }
            Division::Window { limits, open } => by_window(&graphs, &self.sizes, limits, *open).merge(self.per_batch),
        };
        if self.drop_last {
            order.drop_incomplete();
        }
        for &graph in &self.alone {
            order.push([graph]);
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

/// How graphs are divided into packs.
pub(crate) enum Division {
    /// By one plan of each shape for all epochs, because all epochs have the same graphs.
    Planned(Vec<PlanPlaces>),
    /// By plans for each epoch, because epochs have different graphs.
    Replanned {
        /// Makes the plans.
        packer: Packer,
        /// Which graphs are packed under which limits.
        by_shape: Arc<ShapeLimits>,
        /// What packs have equally much of, if that was asked for.
        balance: Option<Balance>,
    },
    /// One graph after the other, without a plan, into a pack that ends before the first graph that does not fit.
    InOrder {
        limits: Limits,
        /// The number of graphs of all packs but the last, if they must have it.
        exactly: Option<u32>,
    },
    /// One graph after the other, without a plan, into one of several packs.
    Window {
        limits: Limits,
        /// Number of packs that are open at once.
        open: u8,
    },
}

/// Where other data decide the shape, or epoch 0 does, it may have no room for as many graphs as a batch must have.
fn expect_exactly(order: &EpochOrder, graphs: u32) -> Result<(), BoxError> {
    for batch in 0..order.len().saturating_sub(1) {
        let found = order.batch(batch).len();
        if found != graphs as usize {
            return Err(format!(
                "batch {batch} of all ranks holds {found} graphs, expected exactly {graphs}: the shape follows from the \
                 sizes of other graphs"
            )
            .into());
        }
    }
    Ok(())
}

impl Division {
    /// The plans of all epochs; `None` if there are none.
    pub(crate) fn plan(&self) -> Option<PlanFingerprint> {
        match self {
            Self::Planned(plans) => plans.iter().map(PlanPlaces::fingerprint).reduce(PlanFingerprint::and),
            _ => None,
        }
    }
}
