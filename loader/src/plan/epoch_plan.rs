//! [`EpochPlan`]: the graphs and the shape of each batch of one epoch.

use super::balance::ranks_by_speed;
use super::order::EpochOrder;
use super::{PlanFingerprint, Sizes};
use crate::Random;
use crate::layout::Shape;
use graphpack_core::Cost;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// The graphs and the shape of each batch of one epoch.
pub(crate) struct EpochPlan {
    order: EpochOrder,
    shapes: EpochShapes,
    /// The size of every graph of the source.
    sizes: Arc<Sizes>,
}

/// The shape of all batches, or of each in the order in which batches are handed over.
enum EpochShapes {
    All(Shape),
    Each(Vec<Shape>),
}

impl EpochPlan {
    /// Returns the plan of an epoch whose batches all have `shape`.
    pub(super) fn of_one_shape(order: EpochOrder, shape: Shape, sizes: Arc<Sizes>) -> Self {
        Self { order, shapes: EpochShapes::All(shape), sizes }
    }

    /// Returns the plan of a single batch of the graphs 0, 1, 2, ..., whose sizes only the batch knows.
    pub(crate) fn of_one_batch(graphs: u32, shape: Shape) -> Self {
        let mut order = EpochOrder::default();
        order.push(0..graphs);
        Self::of_one_shape(order, shape, Arc::default())
    }

    /// Returns the plan of an epoch whose batch i has `shapes[i]`.
    pub(super) fn of_shapes(order: EpochOrder, shapes: Vec<Shape>, sizes: Arc<Sizes>) -> Self {
        Self { order, shapes: EpochShapes::Each(shapes), sizes }
    }

    /// Number of batches.
    pub(crate) fn len(&self) -> usize {
        self.order.len()
    }

    /// The plan that the batches follow; `None` if there is none.
    pub(crate) fn plan(&self) -> Option<PlanFingerprint> {
        self.order.plan()
    }

    /// The graphs of batch `batch`; empty after the last batch.
    pub(crate) fn graphs(&self, batch: usize) -> &[u32] {
        self.order.batch(batch)
    }

    /// Returns the numbers of real rows and graphs that some batches have together, as planned.
    pub(crate) fn real(&self, batches: Range<usize>) -> Shape {
        self.sizes.rows(batches.flat_map(|batch| self.graphs(batch)))
    }

    /// How often each graph of batch `batch` comes before in the epoch; empty if no graph comes twice.
    pub(crate) fn copies(&self, batch: usize) -> &[u32] {
        self.order.copies(batch)
    }

    /// Counts how often each graph comes before in the epoch. `firsts` has for each graph the first that is the same.
    pub(super) fn count_copies(&mut self, firsts: &[u32]) {
        self.order.count_copies(firsts);
    }

    /// The shape of batch `batch`; after the last batch, the shape of the last.
    pub(crate) fn shape(&self, batch: usize) -> Shape {
        match &self.shapes {
            EpochShapes::All(shape) => *shape,
            EpochShapes::Each(shapes) => shapes[batch.min(shapes.len() - 1)],
        }
    }

    /// Gives each step one shape: of every `world` consecutive batches after the first `done`, that which `common`
    /// returns for their shapes and real rows.
    pub(super) fn equal_shapes(&mut self, world: usize, done: usize, common: impl Fn(&[Shape], &[Shape]) -> Shape) {
        let EpochShapes::Each(shapes) = &mut self.shapes else { return };
        let mut real = Vec::new();
        for (number, step) in shapes.get_mut(done..).unwrap_or_default().chunks_mut(world).enumerate() {
            let first = done + number * world;
            real.clear();
            real.extend((first..first + step.len()).map(|batch| self.sizes.rows(self.order.batch(batch))));
            step.fill(common(step, &real));
        }
    }

    /// Gives each batch the shape that `shape` returns for its graphs and its number.
    pub(super) fn reshape<E>(&mut self, shape: impl Fn(&[u32], usize) -> Result<Shape, E>) -> Result<(), E> {
        let EpochShapes::Each(shapes) = &mut self.shapes else { return Ok(()) };
        shapes.iter_mut().enumerate().try_for_each(|(batch, of)| {
            *of = shape(self.order.batch(batch), batch)?;
            Ok(())
        })
    }

    /// Groups `alike` batches of similar cost, if `cost` says what costs, or of similar shape, so that this number of
    /// ranks have equal work in each step. Groups come in random order, the batches of a group in random rotation. An
    /// incomplete group stays at the end.
    pub(super) fn bring_alike_together(&mut self, alike: usize, random: &mut Random, cost: Option<Cost>) {
        let costs = cost.map(|cost| self.costs(&cost));
        let EpochShapes::Each(shapes) = &self.shapes else { return };
        // The incomplete group may be dropped, so that its batches are chosen at random: the largest must not always be
        // lost.
        let mut batches: Vec<u32> = (0..shapes.len() as u32).collect();
        random.shuffle(&mut batches);
        let (groups, rest) = batches.split_at_mut(shapes.len() / alike * alike);
        // By the last set first: edges, which cost most, before nodes.
        let rows = |batch: u32| shapes[batch as usize].sets().iter().rev();
        let cost = |batch: u32| costs.as_ref().map(|costs| costs[batch as usize]);
        groups.sort_by(|&a, &b| cost(a).cmp(&cost(b)).then(rows(a).cmp(rows(b))).then(a.cmp(&b)));
        let mut order: Vec<u32> = (0..(groups.len() / alike) as u32).collect();
        random.shuffle(&mut order);
        let mut places = Vec::with_capacity(shapes.len());
        for group in order {
            let start = group as usize * alike;
            let by = random.below(alike as u32) as usize;
            places.extend((0..alike).map(|place| groups[start + (place + by) % alike]));
        }
        places.extend_from_slice(rest);
        self.rearrange(&places);
    }

    /// Gives each rank of a step a batch for its speed, of batches that come by speed, slow ranks first, in equal
    /// numbers for each rank. With `random`, batches of a step have similar costs for their speed, and steps come in
    /// random order.
    pub(super) fn share_steps(&mut self, speeds: &[u32], cost: &Cost, random: Option<&mut Random>) {
        let costs = self.costs(cost);
        let mut steps: Vec<usize> = (0..self.len() / speeds.len().max(1)).collect();
        let mut first = 0;
        let mut by_speed: BTreeMap<u32, (usize, Vec<u32>)> = BTreeMap::new();
        for (speed, ranks) in ranks_by_speed(speeds) {
            let end = first + steps.len() as u32 * ranks;
            by_speed.insert(speed, (ranks as usize, (first..end).collect()));
            first = end;
        }
        if let Some(random) = random {
            for (ranks, batches) in by_speed.values_mut() {
                batches.sort_by_key(|&batch| costs[batch as usize]);
                batches.chunks_mut(*ranks).for_each(|step| random.shuffle(step));
            }
            random.shuffle(&mut steps);
        }
        let mut places = Vec::with_capacity(self.len());
        for step in steps {
            let mut taken: BTreeMap<u32, usize> = BTreeMap::new();
            for speed in speeds {
                let ((ranks, batches), taken) = (&by_speed[speed], taken.entry(*speed).or_default());
                places.push(batches[step * ranks + *taken]);
                *taken += 1;
            }
        }
        self.rearrange(&places);
    }

    /// What each batch costs, without padding.
    fn costs(&self, cost: &Cost) -> Vec<u128> {
        (0..self.len()).map(|batch| self.real(batch..batch + 1).cost(cost)).collect()
    }

    /// Changes the order of batches: batch i becomes the one that is number `places[i]` now.
    fn rearrange(&mut self, places: &[u32]) {
        if let EpochShapes::Each(shapes) = &mut self.shapes {
            *shapes = places.iter().map(|&batch| shapes[batch as usize]).collect();
        }
        self.order.rearrange(places);
    }
}
