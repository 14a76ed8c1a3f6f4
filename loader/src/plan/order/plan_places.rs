//! [`PlanPlaces`]: fills the places of a plan with the graphs of an epoch.

use super::EpochOrder;
use graphpack_core::{Histogram, Limits, PackError, Packer, Plan, Size};
use std::collections::HashMap;
use std::ops::Range;

/// The packs of a plan, as places for graphs of given sizes. Each epoch shuffles the packs and fills every place with
/// the next graph of its size.
pub(crate) struct PlanPlaces {
    /// The class (distinct size) of each graph; `u32::MAX` for sizes that the plan does not have.
    class_of: Vec<u32>,
    /// Where the graphs of each class start in a list of graphs by class.
    class_ptr: Vec<usize>,
    /// The places of each distinct pack, pack after pack: a class, and the number of places for it.
    places: Vec<(u32, u32)>,
    /// For each distinct pack, its range in `places` and its repeat count.
    packs: Vec<(Range<usize>, u64)>,
}

impl PlanPlaces {
    /// Returns the places of `plan`. `sizes` has the size of every graph of the source, in the plan or not.
    pub(crate) fn new(sizes: &[Size<2>], plan: &Plan<2>) -> Self {
        let mut classes: HashMap<Size<2>, u32> = HashMap::new();
        let mut class_ptr = vec![0];
        for &(size, count) in plan.histogram().entries() {
            classes.insert(size, classes.len() as u32);
            class_ptr.push(class_ptr[class_ptr.len() - 1] + count as usize);
        }
        // Graphs that are not in the plan are never passed to `fill`.
        let class_of = sizes.iter().map(|size| classes.get(size).copied().unwrap_or(u32::MAX)).collect();
        let mut places = Vec::new();
        let packs = plan.iter().map(|pack| {
            let start = places.len();
            places.extend(pack.contents.iter().map(|(size, times)| (classes[size], *times)));
            (start..places.len(), pack.repeat)
        });
        let packs = packs.collect();
        Self { class_of, class_ptr, places, packs }
    }

    /// Plans the given `graphs`, some of which may occur more than once, and returns the places of that plan.
    pub(super) fn plan(
        sizes: &[Size<2>],
        graphs: &[u32],
        packer: &Packer<2>,
        limits: &Limits<2>,
    ) -> Result<Self, PackError<2>> {
        let chosen = graphs.iter().map(|&graph| sizes[graph as usize]);
        // Cannot overflow: there are fewer than 2^32 graphs.
        let histogram = Histogram::from_sizes(chosen).unwrap_or_default();
        Ok(Self::new(sizes, &packer.pack(&histogram, limits)?))
    }

    /// Shuffles the packs with `shuffle`, fills each place with the next of `graphs` that has its size, and makes a
    /// batch of every `per_batch` packs.
    pub(super) fn fill(&self, graphs: &[u32], per_batch: usize, shuffle: &mut dyn FnMut(&mut [u32])) -> EpochOrder {
        let mut next = self.class_ptr.clone();
        let mut by_class = vec![0; graphs.len()];
        for &graph in graphs {
            let next = &mut next[self.class_of[graph as usize] as usize];
            by_class[*next] = graph;
            *next += 1;
        }
        let repeated = self.packs.iter().enumerate();
        let mut sequence: Vec<u32> =
            repeated.flat_map(|(pack, (_, repeat))| (0..*repeat).map(move |_| pack as u32)).collect();
        shuffle(&mut sequence);
        let mut next = self.class_ptr.clone();
        let mut order = EpochOrder::with_capacity(graphs.len());
        for batch in sequence.chunks(per_batch) {
            for &pack in batch {
                for &(class, times) in &self.places[self.packs[pack as usize].0.clone()] {
                    let next = &mut next[class as usize];
                    order.extend(&by_class[*next..*next + times as usize]);
                    *next += times as usize;
                }
            }
            order.close();
        }
        order
    }

    /// Number of packs, repeats included.
    pub(super) fn packs(&self) -> usize {
        self.packs.iter().map(|(_, repeat)| *repeat).sum::<u64>() as usize
    }
}
