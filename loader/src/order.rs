//! [`Schedule`] and [`EpochOrder`]: which graph sits in which place of which batch, a function of (seed, epoch) alone.

use crate::random::Random;
use crate::stream_order::divide;
use graphpack_core::{Limits, Plan, Size};
use std::collections::HashMap;

/// What is the same in every epoch.
pub(crate) enum Schedule {
    /// Packs of a plan. Each epoch brings them into random order and fills every place with a random graph of its size.
    Packed {
        /// Graphs by class (distinct size), class after class.
        by_class: Vec<u32>,
        /// Where each class starts in `by_class`.
        class_ptr: Vec<usize>,
        /// Classes of the places of each distinct pack, one after the other, with multiplicities.
        places: Vec<(u32, u32)>,
        /// Per distinct pack, its range in `places` and how often it is used.
        packs: Vec<(std::ops::Range<usize>, u64)>,
        /// Packs per batch.
        per_batch: usize,
    },
    /// Packs that a stream of graphs in random order is divided into, others in every epoch. A graph that exceeds the limits is alone.
    Streamed {
        /// The graphs, and the sizes of all.
        graphs: Vec<u32>,
        sizes: Vec<Size<2>>,
        limits: Limits<2>,
        /// Packs that are open at once; `None` for one, without looking back.
        open: Option<u8>,
        per_batch: usize,
    },
}

impl Schedule {
    /// Sorts graphs of the given sizes into the places of a plan. `graphs` are those that the plan was made for.
    pub(crate) fn packed(sizes: &[Size<2>], graphs: &[u32], plan: &Plan<2>, per_batch: usize) -> Self {
        let mut classes: HashMap<Size<2>, u32> = HashMap::new();
        let mut class_ptr = vec![0];
        for &(size, count) in plan.histogram().entries() {
            classes.insert(size, classes.len() as u32);
            class_ptr.push(class_ptr[class_ptr.len() - 1] + count as usize);
        }
        let mut next = class_ptr.clone();
        let mut by_class = vec![0; graphs.len()];
        for &graph in graphs {
            let next = &mut next[classes[&sizes[graph as usize]] as usize];
            by_class[*next] = graph;
            *next += 1;
        }
        let mut places = Vec::new();
        let packs = plan.iter().map(|pack| {
            let start = places.len();
            places.extend(pack.contents.iter().map(|(size, times)| (classes[size], *times)));
            (start..places.len(), pack.repeat)
        });
        let packs = packs.collect();
        Self::Packed { by_class, class_ptr, places, packs, per_batch }
    }

    /// The order of one epoch; without a seed that of the plan, and graphs in the order of their numbers.
    pub(crate) fn epoch(&self, seed: Option<u64>, epoch: u64) -> EpochOrder {
        let mut random = seed.map(|seed| Random::new(seed, epoch));
        let mut shuffle = |list: &mut [u32]| {
            if let Some(random) = &mut random {
                random.shuffle(list);
            }
        };
        match self {
            Self::Streamed { graphs, sizes, limits, open, per_batch } => {
                let mut order = graphs.clone();
                shuffle(&mut order);
                divide(&order, sizes, limits, *open, *per_batch)
            }
            Self::Packed { by_class, class_ptr, places, packs, per_batch } => {
                let mut by_class = by_class.clone();
                for range in class_ptr.windows(2) {
                    shuffle(&mut by_class[range[0]..range[1]]);
                }
                let repeated =
                    packs.iter().enumerate().flat_map(|(pack, (_, repeat))| (0..*repeat).map(move |_| pack as u32));
                let mut sequence: Vec<u32> = repeated.collect();
                shuffle(&mut sequence);
                let mut next = class_ptr.clone();
                let mut graphs = Vec::with_capacity(by_class.len());
                let mut ends = Vec::with_capacity(sequence.len().div_ceil(*per_batch));
                for batch in sequence.chunks(*per_batch) {
                    for &pack in batch {
                        for &(class, times) in &places[packs[pack as usize].0.clone()] {
                            let next = &mut next[class as usize];
                            graphs.extend_from_slice(&by_class[*next..*next + times as usize]);
                            *next += times as usize;
                        }
                    }
                    ends.push(graphs.len());
                }
                EpochOrder { graphs, ends }
            }
        }
    }

    /// Number of batches of an epoch.
    pub(crate) fn batches(&self, seed: Option<u64>, epoch: u64) -> usize {
        match self {
            Self::Streamed { .. } => self.epoch(seed, epoch).len(),
            Self::Packed { packs, per_batch, .. } => {
                (packs.iter().map(|(_, repeat)| *repeat).sum::<u64>() as usize).div_ceil(*per_batch)
            }
        }
    }
}

/// The graphs of one epoch, batch after batch.
pub(crate) struct EpochOrder {
    pub(crate) graphs: Vec<u32>,
    /// Where each batch ends in `graphs`.
    pub(crate) ends: Vec<usize>,
}

impl EpochOrder {
    /// Number of batches.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The graphs of batch `step`.
    pub(crate) fn batch(&self, step: usize) -> &[u32] {
        let start = if step == 0 { 0 } else { self.ends[step - 1] };
        &self.graphs[start..self.ends[step]]
    }
}
