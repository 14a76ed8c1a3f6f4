//! [`Schedule`] and [`EpochOrder`]: which graph sits in which place of which batch, a function of (seed, epoch) alone.

mod packed;
mod picking;
mod sampling;
mod streamed;

pub(crate) use packed::Packs;
pub(crate) use picking::Picking;
pub(crate) use sampling::Draws;
pub use sampling::{Weights, WeightsError};

use crate::random::Random;
use graphpack_core::{Limits, PackError, Packer, Size};

/// How an epoch comes about: graphs are picked in some order, then divided into batches.
pub(crate) struct Schedule {
    pub(crate) picking: Picking,
    pub(crate) sizes: Vec<Size<2>>,
    pub(crate) division: Division,
    /// Packs per batch.
    pub(crate) per_batch: usize,
    /// Graphs that exceed the limits and are batches of their own.
    pub(crate) alone: Vec<u32>,
}

/// How graphs are divided into packs.
pub(crate) enum Division {
    /// Places of a plan that is the same in every epoch, as the graphs are.
    Planned(Packs),
    /// A plan for the graphs of each epoch, which differ.
    Replanned { packer: Packer<2>, limits: Limits<2> },
    /// As they come, `open` packs at once, or one without looking back.
    Streamed { limits: Limits<2>, open: Option<u8> },
}

impl Schedule {
    /// The number of batches, where it is the same in every epoch.
    pub(crate) fn planned(&self) -> Option<usize> {
        match &self.division {
            Division::Planned(packs) => Some(packs.len().div_ceil(self.per_batch) + self.alone.len()),
            _ => None,
        }
    }

    /// The order of one epoch; without a seed the same in each, unless graphs are drawn.
    pub(crate) fn epoch(&self, seed: Option<u64>, epoch: u64) -> Result<EpochOrder, PackError<2>> {
        let mut random = Random::new(seed.unwrap_or_default(), epoch);
        let graphs = self.picking.epoch(seed.is_some(), &mut random);
        let mut shuffle = |list: &mut [u32]| {
            if seed.is_some() {
                random.shuffle(list);
            }
        };
        let mut order = match &self.division {
            Division::Planned(packs) => packs.divide(&graphs, self.per_batch, &mut shuffle),
            Division::Replanned { packer, limits } => {
                let packs = Packs::plan(&self.sizes, &graphs, packer, limits)?;
                packs.divide(&graphs, self.per_batch, &mut shuffle)
            }
            Division::Streamed { limits, open } => {
                streamed::divide(&graphs, &self.sizes, limits, *open, self.per_batch)
            }
        };
        if !self.alone.is_empty() {
            for &graph in &self.alone {
                order.graphs.push(graph);
                order.ends.push(order.graphs.len());
            }
            // Among the others, wherever chance puts them.
            let mut sequence: Vec<u32> = (0..order.ends.len() as u32).collect();
            shuffle(&mut sequence);
            order.sequence = Some(sequence);
        }
        Ok(order)
    }
}

/// The graphs of one epoch, batch after batch.
#[derive(Default)]
pub(crate) struct EpochOrder {
    pub(crate) graphs: Vec<u32>,
    /// Where each batch ends in `graphs`.
    pub(crate) ends: Vec<usize>,
    /// The batches in the order in which they are handed over, where it is not that of `graphs`.
    pub(crate) sequence: Option<Vec<u32>>,
}

impl EpochOrder {
    /// Number of batches.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The graphs of batch `step`.
    pub(crate) fn batch(&self, step: usize) -> &[u32] {
        let batch = self.sequence.as_ref().map_or(step, |sequence| sequence[step] as usize);
        let start = if batch == 0 { 0 } else { self.ends[batch - 1] };
        &self.graphs[start..self.ends[batch]]
    }
}
