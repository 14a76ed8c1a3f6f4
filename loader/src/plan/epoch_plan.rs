//! [`EpochPlan`]: the graphs and the shape of each batch of one epoch.

use super::order::EpochOrder;
use super::{PlanFingerprint, ShapeRule};
use crate::Random;
use crate::layout::Shape;

/// The graphs and the shape of each batch of one epoch.
pub(crate) struct EpochPlan {
    order: EpochOrder,
    shapes: EpochShapes,
}

/// The shape of all batches, or of each in the order in which batches are handed over.
enum EpochShapes {
    All(Shape),
    Each(Vec<Shape>),
}

impl EpochPlan {
    /// Returns the plan of an epoch whose batches all have `shape`.
    pub(super) fn of_one_shape(order: EpochOrder, shape: Shape) -> Self {
        Self { order, shapes: EpochShapes::All(shape) }
    }

    /// Returns the plan of an epoch whose batch i has `shapes[i]`.
    pub(super) fn of_shapes(order: EpochOrder, shapes: Vec<Shape>) -> Self {
        Self { order, shapes: EpochShapes::Each(shapes) }
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

    /// The shape of batch `batch`; after the last batch, the shape of the last.
    pub(crate) fn shape(&self, batch: usize) -> Shape {
        match &self.shapes {
            EpochShapes::All(shape) => *shape,
            EpochShapes::Each(shapes) => shapes[batch.min(shapes.len() - 1)],
        }
    }

    /// Gives each step the largest rows and graphs of its batches: of every `world` consecutive ones after the first
    /// `done`. If there are several shapes, that is the first that holds these.
    pub(super) fn equal_shapes(&mut self, rule: &ShapeRule, world: usize, done: usize) {
        let EpochShapes::Each(shapes) = &mut self.shapes else { return };
        for step in shapes.get_mut(done..).unwrap_or_default().chunks_mut(world) {
            let largest = step.iter().fold(Shape::default(), |largest, shape| largest.max_each(shape));
            step.fill(rule.common(largest));
        }
    }

    /// Groups `alike` batches of similar shape, so that this number of ranks have equal work in each step. Groups come
    /// in random order, the batches of a group in random rotation. An incomplete group stays at the end.
    pub(super) fn bring_alike_together(&mut self, alike: usize, random: &mut Random) {
        let EpochShapes::Each(shapes) = &mut self.shapes else { return };
        // The incomplete group may be dropped, so that its batches are chosen at random: the largest must not always be
        // lost.
        let mut batches: Vec<u32> = (0..shapes.len() as u32).collect();
        random.shuffle(&mut batches);
        let (groups, rest) = batches.split_at_mut(shapes.len() / alike * alike);
        // By the last set first: edges, which cost most, before nodes.
        let rows = |batch: u32| shapes[batch as usize].sets().iter().rev();
        groups.sort_by(|&a, &b| rows(a).cmp(rows(b)).then(a.cmp(&b)));
        let mut order: Vec<u32> = (0..(groups.len() / alike) as u32).collect();
        random.shuffle(&mut order);
        let mut places = Vec::with_capacity(shapes.len());
        for group in order {
            let start = group as usize * alike;
            let by = random.below(alike as u32) as usize;
            places.extend((0..alike).map(|place| groups[start + (place + by) % alike]));
        }
        places.extend_from_slice(rest);
        *shapes = places.iter().map(|&batch| shapes[batch as usize]).collect();
        self.order.rearrange(&places);
    }
}
