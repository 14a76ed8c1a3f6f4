//! [`Capacity`]: how much a batch holds.

use crate::random::Random;
use crate::{BuildError, Padding};
use graphpack_core::search::{self, Candidate};
use graphpack_core::{Histogram, Limits, Sample, Size, Target};

/// How much a pack, and so a batch, holds. What a "batch size" is differs: `graphs` here counts real graphs, `batch_size` counts the padding
/// graph too, as jraph and the batching study do.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Capacity {
    /// These limits of real nodes, edges and graphs; the shape adds padding to them.
    Limits(Limits<2>),
    /// This shape, padding included: jraph's `n_node, n_edge, n_graph`.
    Target(Target<2>),
    /// Mean size times graphs, rounded up to a multiple of 64, never below the largest graph, per component; at most a quarter more
    /// graphs in a pack than fit on average.
    Graphs(u32),
    /// Limits that a search finds for about that many graphs per pack ([`search`]): those along the data set's proportion of nodes and
    /// edges whose packs are fullest. Takes about a second where there are a thousand sizes.
    Search(u32),
    /// The shape that jraph's estimate gives ([`Sample::dynamic`]), here from all graphs.
    Dynamic {
        /// Graphs of the shape, the padding graph included.
        batch_size: u32,
    },
    /// The largest graph times `batch_size`, rounded up to a multiple of 64 ([`Sample::constant`]).
    Constant {
        /// Graphs of the shape, the padding graph included.
        batch_size: u32,
    },
    /// The largest graph times the real graphs, and the least padding (TF-GNN, [`Sample::tight`]).
    Tight {
        /// Graphs of the shape, the padding graph included.
        batch_size: u32,
    },
    /// The smallest shape that a share of 10,000 random batches fits into ([`Target::percentile`]), never below the largest graph. With
    /// [`Batching::Dynamic`](crate::Batching::Dynamic) a batch that does not fit ends earlier, where TF-GNN would drop it.
    Percentile {
        /// Graphs of the shape, the padding graph included.
        batch_size: u32,
        /// Share of batches that fit, above 0 and at most 1.
        share: f64,
    },
}

/// Random batches for a percentile.
const BATCHES: usize = 10_000;

impl Capacity {
    /// What real graphs can fill, at least 1 each.
    pub(crate) fn limits(
        &self,
        sizes: &[Size<2>],
        histogram: &Histogram<2>,
        padding: Padding,
    ) -> Result<Limits<2>, BuildError> {
        let target = match *self {
            Self::Limits(limits) => {
                limits.check()?;
                return Ok(limits);
            }
            Self::Graphs(0) | Self::Search(0) => return Err(BuildError::Zero { option: "graphs per batch" }),
            Self::Graphs(graphs) => return Ok(of_mean_size(histogram, graphs)),
            Self::Search(graphs) => return searched(histogram, graphs),
            Self::Target(target) => Some(target),
            Self::Dynamic { batch_size } => sample(histogram).dynamic(batch_size),
            Self::Constant { batch_size } => sample(histogram).constant(batch_size),
            Self::Tight { batch_size } => batch_size.checked_sub(1).and_then(|graphs| sample(histogram).tight(graphs)),
            Self::Percentile { share, .. } if !(share > 0.0 && share <= 1.0) => {
                return Err(BuildError::Share { share });
            }
            Self::Percentile { batch_size, share } => percentile(sizes, batch_size.saturating_sub(1), share),
        };
        let target = target.ok_or(BuildError::Target { capacity: *self })?;
        // The target has room for one padding node; some paddings want more.
        let mut limits = target.usable();
        limits.size.0[0] = limits.size.0[0].saturating_sub(padding.nodes() as u32 - 1);
        if !matches!(self, Self::Target(_)) {
            // A data set without edges is no mistake.
            limits.size.0[1] = limits.size.0[1].max(1);
        }
        limits.check()?;
        Ok(limits)
    }

    /// Real graphs per batch, where this gives nothing else.
    pub(crate) fn graphs(&self) -> Option<u32> {
        match *self {
            Self::Graphs(graphs) => Some(graphs),
            Self::Dynamic { batch_size } | Self::Constant { batch_size } | Self::Tight { batch_size } => {
                Some(batch_size.saturating_sub(1))
            }
            _ => None,
        }
    }
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
    let mut target = Target::percentile(&mut sums, graphs, misses)?;
    let largest = sizes.iter().fold(Size([0; 2]), |largest, size| largest.max_each(size)).0;
    target.size = target.size.max_each(&Size([largest[0].checked_add(1)?, largest[1].max(1)]));
    Some(target)
}

/// See [`Capacity::Search`].
fn searched(histogram: &Histogram<2>, graphs: u32) -> Result<Limits<2>, BuildError> {
    let candidates = search::around(histogram, f64::from(graphs), 8);
    let tried = candidates.into_iter().map(|limits| Candidate::evaluate(histogram, limits));
    let tried = tried.collect::<Result<Vec<_>, _>>()?;
    let best = search::fullest(&tried, histogram, f64::from(graphs));
    Ok(best.map_or_else(|| of_mean_size(histogram, graphs), |best| best.limits))
}

/// See [`Capacity::Graphs`].
fn of_mean_size(histogram: &Histogram<2>, graphs: u32) -> Limits<2> {
    let (totals, largest) = (histogram.totals(), histogram.largest());
    let count = u128::from(histogram.graphs().max(1));
    let size: [u32; 2] = std::array::from_fn(|k| {
        let wanted = (totals[k] * u128::from(graphs)).div_ceil(count);
        let wanted = wanted.max(u128::from(largest.0[k])).max(1).next_multiple_of(64);
        u32::try_from(wanted).unwrap_or(u32::MAX)
    });
    // Where the largest graph raised both limits, as many more graphs fit on average.
    let fitting = (0..2).map(|k| u128::from(size[k]) * count / totals[k].max(1)).min().unwrap_or(0);
    let graphs = graphs.max(u32::try_from(fitting).unwrap_or(u32::MAX));
    // Packs of exactly `graphs` graphs would leave the packer no freedom; a quarter more costs rows of `y` only.
    Limits { size: Size(size), graphs: graphs.saturating_add(graphs.div_ceil(4)) }
}
