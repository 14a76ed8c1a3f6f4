//! [`Workload`]: the shapes of batches, and how many batches have each.

use super::StepCost;
use crate::error::LoadError;
use crate::layout::Shape;
use crate::loader::Loader;
use crate::source::Source;
use std::collections::BTreeMap;

/// Batches of some epochs: their shapes and the graphs in them. Nothing of the graphs is read but their sizes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workload {
    shapes: Vec<(Shape, u64)>,
    batches: u64,
    graphs: u64,
    epochs: u64,
}

impl Workload {
    /// Plans epochs until there are `batches` batches, at most `epochs` and at least one: the more batches, the more
    /// rare shapes are seen. Where all batches have one shape, one epoch is enough.
    pub fn of<S: Source + 'static>(loader: &Loader<S>, batches: u64, epochs: u64) -> Result<Self, LoadError> {
        let epochs = if loader.shape().is_some() { 1 } else { epochs.max(1) };
        let mut counts = BTreeMap::<Shape, u64>::new();
        let (mut planned, mut found, mut graphs) = (0, 0, 0);
        while planned == 0 || planned < epochs && found < batches {
            let plan = loader.shaped(planned)?;
            if plan.len() == 0 {
                break;
            }
            for batch in 0..plan.len() {
                *counts.entry(plan.shape(batch)).or_default() += 1;
                graphs += plan.graphs(batch).len() as u64;
            }
            found += plan.len() as u64;
            planned += 1;
        }
        Ok(Self { shapes: counts.into_iter().collect(), batches: found, graphs, epochs: planned })
    }

    /// Batches of one epoch of `graphs` graphs that were counted elsewhere.
    pub fn of_epoch(shapes: Vec<(Shape, u64)>, graphs: u64) -> Self {
        let batches = shapes.iter().map(|(_, count)| count).sum();
        Self { shapes, batches, graphs, epochs: 1 }
    }

    /// The distinct shapes, smallest first, and the number of batches of each.
    pub fn shapes(&self) -> &[(Shape, u64)] {
        &self.shapes
    }

    /// The shape of most batches.
    pub fn common(&self) -> Option<Shape> {
        self.shapes.iter().max_by_key(|(_, count)| *count).map(|(shape, _)| *shape)
    }

    /// Mean number of batches of an epoch.
    pub fn batches_per_epoch(&self) -> f64 {
        self.batches as f64 / self.epochs.max(1) as f64
    }

    /// Mean number of real graphs of a batch.
    pub fn graphs_per_batch(&self) -> f64 {
        self.graphs as f64 / self.batches.max(1) as f64
    }

    /// Mean milliseconds of a step, without compilation.
    pub fn milliseconds(&self, cost: &StepCost) -> f64 {
        let all: f64 = self.shapes.iter().map(|(shape, count)| cost.milliseconds(shape) * *count as f64).sum();
        all / self.batches.max(1) as f64
    }

    /// Mean rows of each set of a batch, padding included.
    pub fn rows(&self) -> Vec<f64> {
        let sets = self.shapes.first().map_or(0, |(shape, _)| shape.sets().len());
        let rows = |set: usize| self.shapes.iter().map(move |(shape, count)| shape.sets()[set] as f64 * *count as f64);
        (0..sets).map(|set| rows(set).sum::<f64>() / self.batches.max(1) as f64).collect()
    }

    /// How many distinct shapes `steps` of these batches have, on average over which ones they are. Beyond the batches
    /// that were planned, those of all of them: shapes as rare as one in 100,000 batches cost a training nothing.
    pub fn shapes_met(&self, steps: f64) -> f64 {
        let batches = self.batches.max(1) as f64;
        // Of a batch chosen at random, then without the first: of two counts the larger is the better share.
        let missed = |count: f64| {
            let (few, many) = if count < steps { (count, steps) } else { (steps, count) };
            (1.0 - many / batches).clamp(0.0, 1.0).powf(few)
        };
        self.shapes.iter().map(|(_, count)| 1.0 - missed(*count as f64)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::Workload;
    use crate::advice::StepCost;
    use crate::{Batching, Loader, Shape, molecules};

    #[test]
    fn graphs_of_a_batch_that_is_left_out_do_not_count() {
        let options = Loader::new(molecules::generate(1, 10)).batching(Batching::Static64).batch_graphs(4).drop_last();
        let work = Workload::of(&options.build().expect("a loader"), 2, 1).expect("an epoch");
        assert_eq!((work.batches_per_epoch(), work.graphs_per_batch()), (2.0, 4.0));
    }

    #[test]
    fn shapes_are_met_as_batches_are_made() {
        let work = Workload::of_epoch(vec![(Shape::new([10, 20], 4), 90), (Shape::new([20, 20], 4), 10)], 300);
        assert_eq!((work.shapes_met(0.0), work.shapes_met(100.0), work.shapes_met(1e9)), (0.0, 2.0, 2.0));
        let one = work.shapes_met(1.0);
        assert!((one - 1.0).abs() < 1e-9, "{one}");
        assert_eq!((work.batches_per_epoch(), work.graphs_per_batch()), (100.0, 3.0));
        assert_eq!(work.rows(), [11.0, 20.0]);
        assert!((work.milliseconds(&StepCost::of_rows([1.0, 0.5], 2.0)) - 23.0).abs() < 1e-9);
    }
}
