//! [`Shared`]: what workers need to make a batch.

use crate::batch::Place;
use crate::collate::{Change, collate};
use crate::fingerprint::mix;
use crate::order::{Division, EpochOrder, Schedule};
use crate::pool::Pool;
use crate::random::Random;
use crate::shapes::{ShapeRule, Shapes};
use crate::state::Origin;
use crate::transform::Transform;
use crate::{Batch, LoadError, Padding, Shape, Source};
use std::sync::Arc;
use std::time::Instant;

/// What workers need to make a batch.
pub(crate) struct Shared<S> {
    pub(crate) source: Arc<S>,
    pub(crate) schedule: Schedule,
    pub(crate) padding: Padding,
    pub(crate) shapes: Shapes,
    pub(crate) pool: Arc<Pool>,
    pub(crate) transform: Option<Arc<Transform>>,
    pub(crate) origin: Arc<Origin>,
}

/// The batches of one epoch: graphs and shape of each.
pub(crate) struct EpochPlan {
    order: EpochOrder,
    shapes: EpochShapes,
}

/// Shapes by batch, in the order in which they are handed over.
enum EpochShapes {
    All(Shape),
    Each(Vec<Shape>),
}

impl EpochPlan {
    /// Number of batches.
    pub(crate) fn len(&self) -> usize {
        self.order.len()
    }

    /// The graphs of a batch; none behind the last.
    fn graphs(&self, batch: usize) -> &[u32] {
        if batch < self.order.len() { self.order.batch(batch) } else { &[] }
    }

    /// The shape of a batch; behind the last, that of the last.
    pub(crate) fn shape(&self, batch: usize) -> Shape {
        match &self.shapes {
            EpochShapes::All(shape) => *shape,
            EpochShapes::Each(shapes) => shapes[batch.min(shapes.len() - 1)],
        }
    }
}

impl<S: Source> Shared<S> {
    /// The batches of an epoch, all of which fit their shapes. Where these differ, `alike` batches in a row are made alike, so that as
    /// many processes have as much to do in each step.
    pub(crate) fn plan(&self, epoch: u64, alike: u32) -> Result<EpochPlan, LoadError> {
        #[cfg(feature = "tracing")]
        let _span = tracing::debug_span!("order", epoch).entered();
        let seed = self.origin.order.seed;
        let order = self.schedule.epoch(seed, epoch).map_err(|source| LoadError::Plan { epoch, source })?;
        let fixed = match self.shapes.rule() {
            &ShapeRule::Fixed { shape, alone: None } => Some(shape),
            _ => None,
        };
        if let (Some(shape), Division::Planned(_) | Division::Replanned { .. }) = (fixed, &self.schedule.division) {
            return Ok(EpochPlan { order, shapes: EpochShapes::All(shape) });
        }
        let shapes = (0..order.len()).map(|step| self.shape(&order, step)).collect::<Result<Vec<_>, _>>()?;
        let mut plan = EpochPlan { order, shapes: EpochShapes::Each(shapes) };
        match fixed {
            Some(shape) => plan.shapes = EpochShapes::All(shape),
            None if alike > 1 => {
                if let Some(seed) = seed {
                    plan.bring_alike_together(alike as usize, &mut Random::new(mix(seed, 1), epoch));
                }
            }
            None => {}
        }
        Ok(plan)
    }

    /// The shape of a batch, unless its graphs exceed it, as a fixed number of graphs of any size may.
    fn shape(&self, order: &EpochOrder, step: usize) -> Result<Shape, LoadError> {
        let graphs = order.batch(step);
        let mut found = Shape { nodes: 0, edges: 0, graphs: graphs.len() };
        for &graph in graphs {
            let [nodes, edges] = self.schedule.sizes[graph as usize].0;
            found.nodes += nodes as usize;
            found.edges += edges as usize;
        }
        let shape = self.shapes.rule().shape(found, self.padding).ok_or(LoadError::Unaddressable { step, found })?;
        let exceeds = found.nodes + self.padding.nodes() > shape.nodes
            || found.edges > shape.edges
            || found.graphs >= shape.graphs;
        if exceeds { Err(LoadError::Exceeds { step, found, shape }) } else { Ok(shape) }
    }

    /// Makes batch `batch` of the plan, which may lie behind its end: an empty one.
    pub(crate) fn make(&self, plan: &EpochPlan, batch: usize, place: Place) -> Result<Batch, LoadError> {
        let begun = Instant::now();
        let (step, epoch) = (place.step as usize, place.epoch);
        #[cfg(feature = "tracing")]
        let _span = tracing::trace_span!("collate", epoch, step).entered();
        let check = || self.source.check().map_err(|source| LoadError::Changed { step, source });
        check()?;
        let shape = plan.shape(batch);
        let layout = self.shapes.layout(shape).ok_or(LoadError::Unaddressable { step, found: shape })?;
        let mut arena = self.pool.take(layout.bytes()).map_err(|source| LoadError::Memory { step, source })?;
        let bytes = &mut arena.bytes_mut()[..layout.bytes()];
        let seed = self.origin.order.seed.unwrap_or_default();
        let change = self.transform.as_deref().map(|transform| Change { transform, seed, epoch });
        match collate(&*self.source, plan.graphs(batch), &layout, self.padding, change, bytes) {
            Ok(real) => {
                check()?;
                Ok(Batch::new(arena, self.pool.clone(), layout, real, begun.elapsed(), place))
            }
            Err(error) => {
                self.pool.put(arena);
                Err(LoadError::Source { step, graph: error.graph, source: error.source })
            }
        }
    }
}

impl EpochPlan {
    /// Sorts batches by shape into groups of `alike`; groups come in random order, and their batches in random rotation. An incomplete group
    /// stays at the end.
    fn bring_alike_together(&mut self, alike: usize, random: &mut Random) {
        let EpochShapes::Each(shapes) = &mut self.shapes else { return };
        // Any batches are left over, not the largest: these may be dropped.
        let mut batches: Vec<u32> = (0..shapes.len() as u32).collect();
        random.shuffle(&mut batches);
        let (groups, rest) = batches.split_at_mut(shapes.len() / alike * alike);
        groups.sort_by_key(|&batch| (shapes[batch as usize].edges, shapes[batch as usize].nodes, batch));
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
        let before = self.order.sequence.take();
        let batch = |place: u32| before.as_ref().map_or(place, |sequence| sequence[place as usize]);
        self.order.sequence = Some(places.into_iter().map(batch).collect());
    }
}
