//! [`limits`]: computes the limits of a pack from a capacity and the sizes of all graphs.

use crate::Random;
use crate::error::BuildError;
use crate::options::{Capacity, Padding};
use graphpack_core::search::{self, Candidate};
use graphpack_core::{Histogram, LeastPadding, Limits, Sample, Size, Target};

/// Number of random batches that a percentile is computed from.
const BATCHES: usize = 10_000;

/// The padding that estimates of TF-GNN include, whatever the padding of the loader.
const ESTIMATED: LeastPadding<2> = LeastPadding::one_node();

/// Returns the limits of real nodes, edges and graphs, each at least 1.
pub(super) fn limits(
    capacity: &Capacity,
    sizes: &[Size<2>],
    histogram: &Histogram<2>,
    padding: Padding,
) -> Result<Limits<2>, BuildError> {
    let sample = || sample(histogram);
    let target = match *capacity {
        Capacity::Limits(limits) => {
            limits.check()?;
            return Ok(limits);
        }
        Capacity::Graphs(0) | Capacity::Search(0) => return Err(BuildError::Zero { option: "graphs per batch" }),
        Capacity::Graphs(graphs) => return Ok(of_mean_size(histogram, graphs)),
        Capacity::Search(graphs) => return searched(histogram, graphs),
        Capacity::Target(target) => Some(target),
        Capacity::Dynamic { batch_size } => sample().dynamic(batch_size),
        Capacity::Constant { batch_size } => sample().constant(batch_size),
        Capacity::Tight { batch_size } => sample().tight(ESTIMATED.real_graphs(batch_size), ESTIMATED),
        Capacity::Percentile { share, .. } if !(share > 0.0 && share <= 1.0) => {
            return Err(BuildError::Share { share });
        }
        Capacity::Percentile { batch_size, share } => percentile(sizes, ESTIMATED.real_graphs(batch_size), share),
    };
    let target = target.ok_or(BuildError::Target { capacity: *capacity })?;
    let mut limits = padding.least().usable(&target);
    if !matches!(capacity, Capacity::Target(_)) {
        // A data set may have no edges, or even no nodes.
        limits.size = limits.size.max_each(&Size([1; 2]));
    }
    limits.check()?;
    Ok(limits)
}

fn sample(histogram: &Histogram<2>) -> Sample<2> {
    let mut sample = Sample::new();
    for &(size, count) in histogram.entries() {
        sample.add_times(size, count);
    }
    sample
}

fn percentile(sizes: &[Size<2>], graphs: u32, share: f64) -> Option<Target<2>> {
    let mut random = Random::new(0, 0);
    let mut draw = || sizes[random.below(sizes.len() as u32) as usize].0.map(u64::from);
    let mut sums = vec![[0_u64; 2]; BATCHES];
    for sum in &mut sums {
        *sum = (0..graphs).map(|_| draw()).fold([0; 2], |sum, size| [sum[0] + size[0], sum[1] + size[1]]);
    }
    let misses = ((1.0 - share) * BATCHES as f64) as usize;
    let mut target = Target::percentile(&mut sums, graphs, misses, ESTIMATED)?;
    let [nodes, edges] = sizes.iter().fold(Size([0; 2]), |largest, size| largest.max_each(size)).0;
    target.size = target.size.max_each(&ESTIMATED.target([nodes.into(), edges.max(1).into()], graphs)?.size);
    Some(target)
}

/// Returns the limits of [`Capacity::Search`].
fn searched(histogram: &Histogram<2>, graphs: u32) -> Result<Limits<2>, BuildError> {
    let candidates = search::around(histogram, f64::from(graphs), 8);
    let tried = candidates.into_iter().map(|limits| Candidate::evaluate(histogram, limits));
    let tried = tried.collect::<Result<Vec<_>, _>>()?;
    let best = search::fullest(&tried, histogram, f64::from(graphs));
    Ok(best.map_or_else(|| of_mean_size(histogram, graphs), |best| best.limits))
}

/// Returns the limits of [`Capacity::Graphs`].
fn of_mean_size(histogram: &Histogram<2>, graphs: u32) -> Limits<2> {
    let (totals, largest) = (histogram.totals(), histogram.largest());
    let count = u128::from(histogram.graphs().max(1));
    let size: [u32; 2] = std::array::from_fn(|k| {
        let wanted = (totals[k] * u128::from(graphs)).div_ceil(count);
        let wanted = wanted.max(u128::from(largest.0[k])).max(1).next_multiple_of(64);
        u32::try_from(wanted).unwrap_or(u32::MAX)
    });
    // If the largest graph raised both limits, more than `graphs` graphs fit on average.
    let fitting = (0..2).map(|k| u128::from(size[k]) * count / totals[k].max(1)).min().unwrap_or(0);
    let graphs = graphs.max(u32::try_from(fitting).unwrap_or(u32::MAX));
    // A limit of exactly `graphs` would leave the packer no freedom; a quarter more costs only rows of `y`.
    Limits { size: Size(size), graphs: graphs.saturating_add(graphs.div_ceil(4)) }
}
