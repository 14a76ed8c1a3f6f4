//! [`limits`]: computes the limits of a pack from a capacity and the sizes of all graphs; [`warning`]: whether batches
//! under them have more graphs than were asked for.

use super::Sizes;
use super::contradictions::refuse;
use crate::error::{BuildError, Error};
use crate::layout::{MAX_SETS, Schema, SetNames, Shape, Size};
use crate::options::{Estimate, FromEpoch0, Grouping, Holds, Limits, Options, Oversize, Padding, Shapes};
use crate::random::{Random, Use};
use crate::source::Graphs;
use graphpack_core::search::{self, Trials};
use graphpack_core::{Cost, Histogram, LeastPadding, Sample};

/// Number of random batches that a percentile is computed from.
const BATCHES: usize = 10_000;
/// A graph with at most the rows of this number of mean graphs is not large, however few graphs are asked for: 0.3 % of
/// ogbg-molhiv's graphs and 4 % of IMDB-BINARY's have more, where 41 and 39 % have more than one mean graph.
const FEW: u32 = 4;

/// Returns the limits of real rows and graphs of a pack, each at least 1; `u32::MAX` of a set, or of graphs, if any
/// number will do. Of a shape or a budget, each batch keeps `reserved` free for padding; shapes that are estimated grow
/// by it instead.
pub(super) fn limits(
    options: &Options,
    schema: &Schema,
    sizes: &Sizes,
    reserved: &LeastPadding,
) -> Result<Limits, Error> {
    let sets = schema.sets();
    let checked = |limits: Limits| {
        if limits.size.sets() != sets.len() || limits.size.as_slice().contains(&0) || limits.graphs == 0 {
            return Err(BuildError::Limits { limits, sets: sets.clone() }.into());
        }
        Ok(limits)
    };
    let unlimited = Limits::new(Size::of(sets.len(), |_| u32::MAX));
    match &options.capacity.0 {
        Holds::Limits(limits) | Holds::FromEpoch0(FromEpoch0 { limits, .. }) => checked(*limits),
        Holds::Rows { most, graphs } => {
            let mut limits = unlimited.graphs(*graphs);
            for (place, (name, rows)) in most.iter().enumerate() {
                let unknown = || Error::from(BuildError::NoSet { set: format!("{name:?}"), sets: sets.clone() });
                limits.size.set(schema.set(name).ok_or_else(unknown)?, *rows);
                if let Some((_, other)) = most[..place].iter().find(|(other, _)| other == name) {
                    let [one, other] = [other, rows].map(|rows| format!("capacity of {rows} {name}"));
                    return refuse(one, other, "a set has one limit");
                }
            }
            checked(limits)
        }
        Holds::Shape(shape) => {
            let usable = usable(shape, reserved, options.packs);
            checked(usable.ok_or_else(|| BuildError::TooManyRows { capacity: Box::new(options.capacity.clone()) })?)
        }
        &Holds::Exactly(graphs) if options.shapes != Shapes::One => Ok(unlimited.graphs(graphs)),
        Holds::Default => match &options.grouping {
            Grouping::Plan(plan) => Ok(without_cost(plan.limits(), sets)),
            _ => estimated(options, &Holds::Graphs(Holds::DEFAULT_GRAPHS), schema, sizes, reserved),
        },
        &Holds::Exactly(graphs) => {
            // Any such graphs fit. A data set may have no edges, or even no nodes.
            let largest = sizes.largest();
            let rows = Size::of(sets.len(), |set| largest[set].saturating_mul(graphs).max(1));
            let limits = Limits::new(rows).graphs(graphs);
            limits.check().map_err(|error| BuildError::Pack(error.into()))?;
            Ok(limits)
        }
        holds => estimated(options, holds, schema, sizes, reserved),
    }
}

/// Returns the limits that the real graphs of each of `packs` packs can fill of a shape; `None` if a number exceeds 32
/// bits.
fn usable(shape: &Shape, padding: &LeastPadding, packs: usize) -> Option<Limits> {
    let packs = u32::try_from(packs).unwrap_or(u32::MAX).max(1);
    let size = shape.sets().iter().map(|&rows| u32::try_from(rows)).collect::<Result<Vec<_>, _>>().ok()?;
    let size = Size::of(size.len(), |set| size[set]);
    let graphs = u32::try_from(shape.graphs()).ok()?;
    let Limits { size, graphs } = padding.usable(&graphpack_core::Shape { size, graphs });
    Some(Limits { size: Size::of(size.sets(), |set| size[set] / packs), graphs: graphs / packs })
}

/// Number of graphs of an epoch, or of the data that a loader is sized for, if these are their sizes.
pub(super) fn draws(sizes: &Sizes, options: &Options) -> usize {
    match &options.weights {
        Some(weights) if options.sized_for.is_none() => weights.draws(),
        _ => sizes.graphs(),
    }
}

/// Returns the limits of a capacity that follows from the sizes of the graphs.
fn estimated(
    options: &Options,
    holds: &Holds,
    schema: &Schema,
    sizes: &Sizes,
    reserved: &LeastPadding,
) -> Result<Limits, Error> {
    // Estimates of TF-GNN include one padding row, whatever the padding of the loader.
    let [own, least] = [options.padding_of(schema), Padding::SelfLoops].map(|padding| schema.least_padding(padding));
    let histogram = sizes.histogram_of_all();
    let sample = || sample(&histogram);
    // A batch cannot have more graphs than an epoch.
    let at_most = |graphs: u32| graphs.min(u32::try_from(draws(sizes, options).max(1)).unwrap_or(u32::MAX));
    let shape = match *holds {
        Holds::Graphs(0) | Holds::Fullest(0) => return Err(BuildError::Zero { option: "graphs per batch" }.into()),
        Holds::Graphs(graphs) | Holds::Fullest(graphs) if options.oversize != Oversize::Error => {
            let graphs = at_most(graphs);
            let limits = of_graphs(holds, &without_large(histogram.clone(), graphs), graphs)?;
            // Where one of few graphs has room, so have more of the others.
            return Ok(if graphs < FEW { limits.graphs(graphs) } else { limits });
        }
        Holds::Graphs(graphs) | Holds::Fullest(graphs) => return of_graphs(holds, &histogram, at_most(graphs)),
        Holds::Cheapest { step, memory, budget } => {
            let [step, memory] = [step, memory].map(|cost| of_batch(&cost, reserved, options.packs));
            return cheapest(&histogram, &step, &memory, budget);
        }
        Holds::Estimate { by, batch_size } => match by {
            Estimate::Jraph => sample().dynamic(batch_size),
            Estimate::Constant => sample().constant(batch_size),
            Estimate::Tight => sample().tight(least.real_graphs(batch_size), &least),
            Estimate::Percentile(share) if !(share > 0.0 && share <= 1.0) => {
                return Err(BuildError::Share { share }.into());
            }
            Estimate::Percentile(share) => {
                let graphs = least.real_graphs(batch_size);
                let mean = |rows: u128| rows * u128::from(graphs) / u128::from(histogram.graphs().max(1));
                // Before graphs are drawn, which may take long.
                let fits = histogram.totals().iter().all(|&rows| mean(rows) < u32::MAX.into());
                fits.then(|| percentile(sizes, at_most(graphs), share, &own, &least)).flatten()
            }
        },
        Holds::Default
        | Holds::Exactly(_)
        | Holds::Rows { .. }
        | Holds::Limits(_)
        | Holds::FromEpoch0(_)
        | Holds::Shape(_) => None,
    };
    let mut limits =
        own.usable(&shape.ok_or_else(|| BuildError::TooManyRows { capacity: Box::new(options.capacity.clone()) })?);
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

/// Returns the shape that a share of random batches fit into with `least` padding, and the largest graph with its
/// `own`.
fn percentile(
    sizes: &Sizes,
    graphs: u32,
    share: f64,
    own: &LeastPadding,
    least: &LeastPadding,
) -> Option<graphpack_core::Shape> {
    let mut random = Random::of(0, Use::Percentile);
    let mut drawn = || {
        let mut sum = [0_u64; MAX_SETS];
        for _ in 0..graphs {
            let size = sizes.of(random.below(sizes.graphs() as u32));
            sum.iter_mut().zip(size.as_slice()).for_each(|(sum, &rows)| *sum += u64::from(rows));
        }
        Size::of(sizes.sets(), |set| u32::try_from(sum[set]).unwrap_or(u32::MAX))
    };
    let mut sums: Vec<Size> = (0..BATCHES).map(|_| drawn()).collect();
    // Rounding error must not add a batch: 0.07 * 10,000 is 700.0000000000001.
    let fitting = (share * BATCHES as f64 - 1e-6).ceil() as usize;
    let misses = BATCHES - fitting.clamp(1, BATCHES);
    let mut shape = graphpack_core::Shape::percentile(&mut sums, graphs, misses, least)?;
    let largest = sizes.largest();
    // Sets without padding rows need at least one row to be a shape at all.
    let needed = |set| u64::from(if least.size[set] == 0 { largest[set].max(1) } else { largest[set] });
    let needed: Vec<u64> = (0..sizes.sets()).map(needed).collect();
    shape.size = shape.size.max_each(&own.shape(&needed, graphs)?.size);
    Some(shape)
}

/// Returns the limits of about `graphs` graphs, the fullest if `holds` asks for them.
fn of_graphs(holds: &Holds, histogram: &Histogram, graphs: u32) -> Result<Limits, Error> {
    if let Holds::Fullest(_) = holds { searched(histogram, graphs) } else { Ok(of_mean_size(histogram, graphs)) }
}

/// Leaves out graphs that have more rows of a set than `graphs` of those that are left have on average.
fn without_large(mut histogram: Histogram, graphs: u32) -> Histogram {
    let graphs = u128::from(graphs.max(FEW));
    loop {
        let (totals, count) = (histogram.totals(), u128::from(histogram.graphs()));
        let fits = |(size, _): &&(Size, u64)| {
            let mut rows = size.as_slice().iter().zip(&totals);
            rows.all(|(&rows, total)| u128::from(rows) * count <= total * graphs)
        };
        let left: Vec<_> = histogram.entries().iter().filter(fits).copied().collect();
        if left.is_empty() || left.len() == histogram.entries().len() {
            return histogram;
        }
        histogram = Histogram::from_counts(left).unwrap_or_default();
    }
}

/// Returns the limits of [`Capacity::fullest`](crate::Capacity::fullest).
fn searched(histogram: &Histogram, graphs: u32) -> Result<Limits, Error> {
    let candidates = search::around(histogram, f64::from(graphs), 8);
    let trials = Trials::for_fullest(histogram, &candidates, f64::from(graphs));
    let tried = trials.run().map_err(|error| BuildError::Pack(error.into()))?;
    let best = search::fullest(&tried, histogram, f64::from(graphs));
    Ok(best.map_or_else(|| of_mean_size(histogram, graphs), |best| best.limits))
}

/// Returns the limits of [`Capacity::cheapest`](crate::Capacity::cheapest) for what batches cost and need by the limits
/// of a pack.
fn cheapest(histogram: &Histogram, cost: &Cost, memory: &Cost, budget: u64) -> Result<Limits, Error> {
    let limits = search::within(histogram, memory, budget, u32::MAX, 8);
    let best = search::cheapest(histogram, &limits, cost).map_err(|error| BuildError::Pack(error.into()))?;
    best.map(|best| best.limits).ok_or_else(|| {
        let least = search::around(histogram, 0.0, 8).iter().map(|limits| memory.of(limits)).min();
        BuildError::Budget { needed: least.unwrap_or_default(), budget }.into()
    })
}

/// Returns the cost of a batch of `packs` packs and its padding, by the limits of a pack.
fn of_batch(cost: &Cost, padding: &LeastPadding, packs: usize) -> Cost {
    let padding = cost.of(&Limits { size: padding.size, graphs: padding.graphs });
    let step = u64::try_from(padding).unwrap_or(u64::MAX);
    cost.times(packs as u64).step(step)
}

/// Returns the limits of [`Capacity::graphs`](crate::Capacity::graphs).
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

/// Returns what a loader warns of: batches that have more than a quarter more graphs than were asked for, since they
/// have room for the largest of `data`, whose `sizes` decide the limits. `mean` is the number that they have.
pub(super) fn warning(
    options: &Options,
    data: &dyn Graphs,
    sizes: &Sizes,
    mean: impl FnOnce() -> Option<f64>,
) -> Option<String> {
    let asked = match (&options.capacity.0, &options.grouping) {
        (Holds::Default, Grouping::Plan(_)) => return None,
        (Holds::Default, _) => Holds::DEFAULT_GRAPHS,
        (Holds::Graphs(graphs) | Holds::Fullest(graphs), _) => *graphs,
        _ => return None,
    };
    if options.oversize != Oversize::Error || matches!(options.shapes, Shapes::Few(_)) {
        return None;
    }
    let (totals, largest) = (sizes.histogram_of_all().totals(), sizes.largest());
    let mut rows = largest.as_slice().iter().zip(&totals);
    let set = rows.position(|(&most, total)| u128::from(most) * sizes.graphs() as u128 > total * u128::from(asked))?;
    let (mean, asked) = (mean()?, u64::from(asked) * options.packs as u64);
    if mean <= 1.25 * asked as f64 {
        return None;
    }
    let graph = (0..sizes.graphs() as u32).find(|&graph| sizes.of(graph)[set] == largest[set])?;
    let (number, rows) = (data.number(graph as usize), data.schema().sets().counts(sizes.of(graph).as_slice()));
    Some(format!(
        "{asked} graphs per batch were asked for, and batches have {mean:.1}: they have room for graph {number}, which has \
         {rows}; Oversize::Alone, Oversize::Skip or Oversize::Trim keeps the number that was asked for"
    ))
}

/// Returns limits of the sets alone, without that of the cost which a plan may have.
pub(super) fn without_cost(limits: Limits, sets: &SetNames) -> Limits {
    Limits { size: limits.size.resized(sets.len()), ..limits }
}

#[cfg(test)]
mod tests {
    use crate::{Capacity, Estimate, Grouping, Loader, Options, molecules};

    #[test]
    fn a_percentile_draws_no_more_graphs_than_an_epoch_has() {
        let build = |batch_size| {
            let capacity = Capacity::estimate(Estimate::Percentile(0.9), batch_size);
            let options = Options::default().grouping(Grouping::InOrder).capacity(capacity);
            Loader::new(molecules::generate(1, 50), options)
        };
        assert!(build(u32::MAX).is_err_and(|error| error.to_string().starts_with("expected a shape of at most")));
        assert_eq!(build(10_000_000).expect("it fits").shape().map(|shape| shape.graphs()), Some(51));
    }
}
