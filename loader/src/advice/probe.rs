//! [`probe_shapes`]: which shapes to time.

use super::Workload;
use crate::layout::Shape;

/// Returns at most `count` shapes to time, so that [`StepCost::fit`](super::StepCost::fit) tells the sets apart: first
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
    use super::probe_shapes;
    use crate::Shape;
    use crate::advice::{StepCost, TimedStep, Workload};

    #[test]
    fn a_cost_of_nodes_and_edges_is_found_from_shapes_off_the_ratio() {
        let works: Vec<_> = (1..40)
            .map(|graphs| Workload::of_epoch(vec![(Shape::new([18 * graphs, 311 * graphs], graphs), 7)], 1))
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
        let work = Workload::of_epoch(vec![(Shape::new([7, 9], 2), 1)], 1);
        for count in 0..5 {
            assert_eq!(probe_shapes([&work], count).len(), count.min(3));
        }
        assert!(probe_shapes(&[], 5).is_empty());
    }
}
