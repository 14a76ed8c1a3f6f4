//! [`Workload`]: the shapes of batches, and how many batches have each; [`probe_shapes`]: which of them to time.

use graphpack_loader::step_cost::StepCost;
use graphpack_loader::{Error, Loader, Shape};
use std::collections::BTreeMap;

/// Batches of some epochs: how many have which shape. Nothing of the graphs is read but their sizes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workload {
    shapes: Vec<(Shape, u64)>,
    batches: u64,
    epochs: u64,
}

impl Workload {
    /// Plans epochs until there are `batches` batches, at most `epochs` and at least one: the more batches, the more
    /// rare shapes are seen. Where all batches have one shape, one epoch is enough.
    pub fn of(loader: &Loader, batches: u64, epochs: u64) -> Result<Self, Error> {
        let epochs = if loader.shape().is_some() { 1 } else { epochs.max(1) };
        let mut counts = BTreeMap::<Shape, u64>::new();
        let (mut planned, mut found) = (0, 0);
        while planned == 0 || planned < epochs && found < batches {
            let shapes = loader.shapes(planned)?;
            if shapes.is_empty() {
                break;
            }
            for (shape, count) in shapes {
                *counts.entry(shape).or_default() += count;
                found += count;
            }
            planned += 1;
        }
        Ok(Self { shapes: counts.into_iter().collect(), batches: found, epochs: planned })
    }

    /// Batches of one epoch that were counted elsewhere.
    pub fn of_epoch(shapes: Vec<(Shape, u64)>) -> Self {
        let batches = shapes.iter().map(|(_, count)| count).sum();
        Self { shapes, batches, epochs: 1 }
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

/// Returns at most `count` shapes to time, so that [`StepCost::fit`] tells the sets apart: first
/// the commonest shapes of the workloads from the smallest to the largest, which make up half, then some of these with
/// one set halved, off the proportion of the data.
///
/// At least one more than there are sets is needed for a fit, and 20 are enough.
pub fn probe_shapes<'a>(workloads: impl IntoIterator<Item = &'a Workload>, count: usize) -> Vec<Shape> {
    let mut common: Vec<Shape> = workloads.into_iter().filter_map(Workload::common).collect();
    common.sort_by_key(|shape| (slots(shape), *shape));
    common.dedup();
    let mut found = spread(&common, count.div_ceil(2));
    let sets = common.first().map_or(0, |shape| shape.sets().len());
    let bases = spread(&found, (count - found.len().min(count)).div_ceil(sets.max(1)));
    for base in bases {
        // Of each base, since workloads may differ in their sets.
        let sets = base.sets().len();
        for halved in 0..sets {
            let rows = |set: usize| if set == halved { base.sets()[set].div_ceil(2) } else { base.sets()[set] };
            let shape = Shape::of(sets, base.graphs(), rows);
            if found.len() < count && !found.contains(&shape) {
                found.push(shape);
            }
        }
    }
    found
}

fn slots(shape: &Shape) -> usize {
    shape.sets().iter().fold(0, |sum, rows| sum.saturating_add(*rows))
}

/// `count` of these shapes at equal distances, the first and the last among them.
fn spread(shapes: &[Shape], count: usize) -> Vec<Shape> {
    if shapes.len() <= count {
        return shapes.to_vec();
    }
    match count {
        0 => Vec::new(),
        1 => shapes.last().copied().into_iter().collect(),
        _ => (0..count).map(|i| shapes[i * (shapes.len() - 1) / (count - 1)]).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Workload, probe_shapes};
    use graphpack_loader::Shape;
    use graphpack_loader::step_cost::{StepCost, TimedStep};

    #[test]
    fn shapes_are_met_as_batches_are_made() {
        let work = Workload::of_epoch(vec![(Shape::new([10, 20], 4), 90), (Shape::new([20, 20], 4), 10)]);
        assert_eq!((work.shapes_met(0.0), work.shapes_met(100.0), work.shapes_met(1e9)), (0.0, 2.0, 2.0));
        let one = work.shapes_met(1.0);
        assert!((one - 1.0).abs() < 1e-9, "{one}");
        assert_eq!(work.batches_per_epoch(), 100.0);
        assert_eq!(work.rows(), [11.0, 20.0]);
        assert!((work.milliseconds(&StepCost::of_rows([1.0, 0.5], 2.0)) - 23.0).abs() < 1e-9);
    }

    #[test]
    fn a_cost_of_nodes_and_edges_is_found_from_shapes_off_the_ratio() {
        let works: Vec<_> = (1..40)
            .map(|graphs| Workload::of_epoch(vec![(Shape::new([18 * graphs, 311 * graphs], graphs), 7)]))
            .collect();
        let shapes = probe_shapes(&works, 20);
        assert_eq!(shapes.len(), 20);
        assert_eq!(shapes[0], Shape::new([18, 311], 1));
        let milliseconds = |shape: &Shape| 1.5 + 0.02 * shape.nodes() as f64 + 0.001 * shape.edges() as f64;
        // The first step of each shape compiles for 2 s.
        let steps = shapes.iter().flat_map(|&shape| {
            [2000.0, 0.0, 0.0].map(|compile| TimedStep { shape, milliseconds: milliseconds(&shape) + compile })
        });
        let cost = StepCost::fit_with_compilation(&steps.collect::<Vec<_>>());
        for (found, expected) in [(cost.rows()[0], 0.02), (cost.rows()[1], 0.001), (cost.step(), 1.5)] {
            assert!((found / expected - 1.0).abs() < 0.01, "{found} {expected}");
        }
        assert!((cost.compilation() - 2000.0).abs() < 1e-6);
        let other = Shape::new([1000, 3000], 9);
        assert!((cost.milliseconds(&other) / milliseconds(&other) - 1.0).abs() < 0.01);
    }

    #[test]
    fn any_number_of_shapes_can_be_asked_for() {
        let work = Workload::of_epoch(vec![(Shape::new([7, 9], 2), 1)]);
        for count in 0..5 {
            assert_eq!(probe_shapes([&work], count).len(), count.min(3));
        }
        assert!(probe_shapes(&[], 5).is_empty());
    }
}
