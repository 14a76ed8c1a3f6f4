//! [`limits`]: computes the limits of a pack from a capacity and the sizes of all graphs.

use super::Sizes;
use crate::Random;
use crate::error::BuildError;
use crate::layout::{MAX_SETS, Schema, Shape, Size};
use crate::options::{Capacity, Limits, Options, Padding};
use graphpack_core::search::{self, Candidate};
use graphpack_core::{Cost, Histogram, LeastPadding, Sample, Target};

/// Number of random batches that a percentile is computed from.
const BATCHES: usize = 10_000;

/// Returns the limits of real rows and graphs, each at least 1. An epoch has `draws` graphs. Of a shape or a budget,
/// each batch keeps `reserved` free for padding; shapes that are estimated grow by it instead.
pub(super) fn limits(
    options: &Options,
    schema: &Schema,
    sizes: &Sizes,
    capacity: &Capacity,
    reserved: &LeastPadding,
) -> Result<Limits, BuildError> {
    let (draws, packs) = (options.draws(sizes.graphs()), options.packs);
    let checked = |limits: Limits| {
        let sets = schema.sets();
        if limits.size.sets() != sets.len() || limits.size.as_slice().contains(&0) || limits.graphs == 0 {
            return Err(BuildError::Limits { limits, sets: sets.clone() });
        }
        Ok(limits)
    };
    match *capacity {
        Capacity::Limits(limits) => checked(limits),
        Capacity::Shape(shape) => {
            let least = options.padding.least(schema);
            // The shape is that of one pack; what is kept free beyond the least comes out of all packs of a batch.
            let each = |set: usize| {
                let more = reserved.size[set].saturating_sub(least.size[set]) as usize;
                least.size[set].saturating_add(u32::try_from(more.div_ceil(packs)).unwrap_or(u32::MAX))
            };
            let usable = usable(&shape, &LeastPadding { size: Size::of(schema.sets().len(), each), ..least });
            checked(usable.ok_or(BuildError::Target { capacity: Box::new(*capacity) })?)
        }
        Capacity::Graphs(0) | Capacity::Search(0) => Err(BuildError::Zero { option: "graphs per batch" }),
        Capacity::Percentile { share, .. } if !(share > 0.0 && share <= 1.0) => Err(BuildError::Share { share }),
        _ => {
            // Estimates of TF-GNN include one padding row, whatever the padding of the loader.
            let [own, least] = [options.padding, Padding::SelfLoops].map(|padding| padding.least(schema));
            let paddings = [own, least, *reserved];
            estimated(capacity, sizes, draws, &paddings, packs)
        }
    }
}

/// Returns the limits that real graphs can fill of a shape; `None` if a number exceeds 32 bits.
pub(super) fn usable(shape: &Shape, least: &LeastPadding) -> Option<Limits> {
    let size = shape.sets().iter().map(|&rows| u32::try_from(rows)).collect::<Result<Vec<_>, _>>().ok()?;
    let size = Size::of(size.len(), |set| size[set].saturating_sub(least.size[set]));
    Some(Limits { size, graphs: least.real_graphs(u32::try_from(shape.graphs()).ok()?) })
}

/// Returns the limits of a capacity that follows from the sizes of the graphs. `paddings` are the least of the loader and
/// of estimates, and what is reserved.
fn estimated(
    capacity: &Capacity,
    sizes: &Sizes,
    draws: usize,
    paddings: &[LeastPadding; 3],
    packs: usize,
) -> Result<Limits, BuildError> {
    let [own, least, reserved] = paddings;
    let histogram = sizes.histogram(&sizes.counts(&(0..sizes.graphs() as u32).collect::<Vec<_>>()));
    let sample = || sample(&histogram);
    // A batch cannot have more graphs than an epoch.
    let at_most = |graphs: u32| graphs.min(u32::try_from(draws.max(1)).unwrap_or(u32::MAX));
    let target = match *capacity {
        Capacity::Graphs(graphs) => return Ok(of_mean_size(&histogram, at_most(graphs))),
        Capacity::Search(graphs) => return searched(&histogram, at_most(graphs)),
        Capacity::Cheapest { cost, memory, budget } => {
            let [cost, memory] = [cost, memory].map(|cost| of_batch(&cost, reserved, packs));
            return cheapest(&histogram, &cost, &memory, budget);
        }
        Capacity::Dynamic { batch_size } => sample().dynamic(batch_size),
        Capacity::Constant { batch_size } => sample().constant(batch_size),
        Capacity::Tight { batch_size } => sample().tight(least.real_graphs(batch_size), least),
        Capacity::Percentile { batch_size, share } => {
            let graphs = least.real_graphs(batch_size);
            let mean = |rows: u128| rows * u128::from(graphs) / u128::from(histogram.graphs().max(1));
            // Before graphs are drawn, which may take long.
            let fits = histogram.totals().iter().all(|&rows| mean(rows) < u32::MAX.into());
            fits.then(|| percentile(sizes, at_most(graphs), share, [own, least])).flatten()
        }
        Capacity::Limits(_) | Capacity::Shape(_) | Capacity::Buckets { .. } => None,
    };
    let mut limits = own.usable(&target.ok_or(BuildError::Target { capacity: Box::new(*capacity) })?);
    // A data set may have no edges, or even no nodes.
    limits.size = limits.size.max_each(&Size::of(sizes.sets(), |_| 1));
    limits.check().map_err(|error| BuildError::Pack(error.into()))?;
    Ok(limits)
}

fn sample(histogram: &Histogram) -> Sample {
    let mut sample = Sample::new();
    for &(size, count) in histogram.entries() {
        sample.add_times(size, count);
    }
    sample
}

/// Returns the shape that a share of random batches fit into with `least` padding, and the largest graph with its `own`.
fn percentile(sizes: &Sizes, graphs: u32, share: f64, [own, least]: [&LeastPadding; 2]) -> Option<Target> {
    let mut random = Random::new(0, 0);
    let mut draw = || sizes.of(random.below(sizes.graphs() as u32)).all();
    let mut sums = vec![[0_u64; MAX_SETS]; BATCHES];
    for sum in &mut sums {
        for _ in 0..graphs {
            sum.iter_mut().zip(draw()).for_each(|(sum, &rows)| *sum += u64::from(rows));
        }
    }
    let misses = ((1.0 - share) * BATCHES as f64) as usize;
    let mut target = Target::percentile(sizes.sets(), &mut sums, graphs, misses, least)?;
    let none = Size::of(sizes.sets(), |_| 0);
    let largest = sizes.distinct().iter().fold(none, |largest, size| largest.max_each(size));
    // Sets without padding rows need at least one row to be a shape at all.
    let needed = |set| u64::from(if least.size[set] == 0 { largest[set].max(1) } else { largest[set] });
    let needed: Vec<u64> = (0..sizes.sets()).map(needed).collect();
    target.size = target.size.max_each(&own.target(&needed, graphs)?.size);
    Some(target)
}

/// Returns the limits of [`Capacity::Search`].
fn searched(histogram: &Histogram, graphs: u32) -> Result<Limits, BuildError> {
    let candidates = search::around(histogram, f64::from(graphs), 8);
    let evaluate = |limits: &[_], _| limits.iter().map(|&limits| Candidate::evaluate(histogram, limits)).collect();
    let tried = search::evaluate_for_fullest(histogram, &candidates, f64::from(graphs), evaluate)
        .map_err(|error| BuildError::Pack(error.into()))?;
    let best = search::fullest(&tried, histogram, f64::from(graphs));
    Ok(best.map_or_else(|| of_mean_size(histogram, graphs), |best| best.limits))
}

/// Returns the limits of [`Capacity::Cheapest`] for what batches cost and need by the limits of a pack.
fn cheapest(histogram: &Histogram, cost: &Cost, memory: &Cost, budget: u64) -> Result<Limits, BuildError> {
    let limits = search::within(histogram, memory, budget, u32::MAX, 8);
    let best = search::cheapest(histogram, &limits, cost).map_err(|error| BuildError::Pack(error.into()))?;
    best.map(|best| best.limits).ok_or_else(|| {
        let least = search::around(histogram, 0.0, 8).iter().map(|limits| memory.of(limits)).min();
        BuildError::Budget { needed: least.unwrap_or_default(), budget }
    })
}

/// Returns the cost of a batch of `packs` packs and its padding, by the limits of a pack.
fn of_batch(cost: &Cost, padding: &LeastPadding, packs: usize) -> Cost {
    let times = |each: u64| each.saturating_mul(packs as u64);
    let padding = cost.of(&Limits { size: padding.size, graphs: padding.graphs });
    let step = u64::try_from(padding).unwrap_or(u64::MAX);
    Cost { rows: cost.rows.map(times), graph: times(cost.graph), step }
}

/// Returns the limits of [`Capacity::Graphs`].
fn of_mean_size(histogram: &Histogram, graphs: u32) -> Limits {
    let (totals, largest) = (histogram.totals(), histogram.largest());
    let count = u128::from(histogram.graphs().max(1));
    let sets = histogram.sets();
    let size = Size::of(sets, |k| {
        let wanted = (totals[k] * u128::from(graphs)).div_ceil(count);
        let wanted = wanted.max(u128::from(largest[k])).max(1);
        // At most a quarter more: 64 rows are ten small graphs where one was asked for.
        let roundings = (0..=6).rev().map(|power| wanted.next_multiple_of(1 << power));
        let rounded = { roundings }.find(|rounded| rounded - wanted <= wanted / 4).unwrap_or(wanted);
        u32::try_from(rounded).unwrap_or(u32::MAX)
    });
    // If the largest graph raised all limits, more than `graphs` graphs fit on average.
    let fitting = (0..sets).map(|k| u128::from(size[k]) * count / totals[k].max(1)).min().unwrap_or(0);
    let graphs = graphs.max(u32::try_from(fitting).unwrap_or(u32::MAX));
    // A limit of exactly `graphs` would leave the packer no freedom; a quarter more costs only rows of `y`. Two graphs
    // instead of one would be far from what was asked for.
    let more = if graphs == 1 { 0 } else { graphs.div_ceil(4) };
    Limits::new(size).graphs(graphs.saturating_add(more))
}

#[cfg(test)]
mod tests {
    use crate::{Batching, BuildError, Capacity, Loader, molecules};

    #[test]
    fn a_percentile_draws_no_more_graphs_than_an_epoch_has() {
        let build = |batch_size| {
            let capacity = Capacity::Percentile { batch_size, share: 0.9 };
            Loader::new(molecules::generate(1, 50)).batching(Batching::Dynamic).capacity(capacity).build()
        };
        assert!(matches!(build(u32::MAX).err(), Some(BuildError::Target { .. })));
        assert_eq!(build(10_000_000).expect("it fits").shape().map(|shape| shape.graphs()), Some(51));
    }
}
