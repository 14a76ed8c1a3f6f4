//! [`Balance`]: packs of nearly equal cost, the same number for each rank. In planning, the cost of a graph is the rows
//! of one more set, after those of the data; batches and shapes do not have it.

use super::Sizes;
use crate::error::BoxError;
use crate::layout::Size;
use crate::options::Limits;
use graphpack_core::{Cost, Histogram, Packer, Plan, bound};
use std::collections::BTreeMap;

/// The costliest graph has about this cost in plans: enough that rounding up adds less than a ten-thousandth to a graph
/// of mean size, and so little that packs of thousands of graphs are counted in 32 bits.
const LARGEST: u128 = 1 << 18;

/// Shares of the mean cost, as 1 / n, by which packs may exceed it: the first for which the packer finds few enough
/// packs.
const MORE: [u128; 5] = [512, 128, 32, 8, 2];

/// What packs have equally much of, for which ranks.
#[derive(Clone)]
pub(crate) struct Balance {
    pub(crate) cost: Cost,
    pub(crate) ranks: u32,
    /// How fast each rank is; none if all are equally fast.
    pub(crate) speeds: Vec<u32>,
}

/// What the ranks of one speed get.
pub(super) struct Share {
    /// Number of graphs of each distinct size.
    pub(super) counts: Vec<u64>,
    pub(super) plan: Plan,
    /// Number of packs that the graphs are divided into, as far as they go.
    pub(super) packs: u64,
}

/// Returns the distinct `speeds`, ascending, each with its number of ranks.
pub(super) fn ranks_by_speed(speeds: &[u32]) -> BTreeMap<u32, u32> {
    let mut ranks = BTreeMap::new();
    speeds.iter().for_each(|&speed| *ranks.entry(speed).or_default() += 1);
    ranks
}

impl Balance {
    /// The cost of a graph of this size, whatever the steps cost.
    fn of(&self, size: &Size) -> u128 {
        self.cost.step(0).of(&Limits { size: *size, graphs: 1 })
    }

    /// Whether no graph costs anything.
    pub(super) fn is_free(&self, sizes: &Sizes) -> bool {
        sizes.distinct().iter().all(|size| self.of(size) == 0)
    }

    /// Returns the distinct sizes with their cost as one more set, in whole units, rounded up.
    pub(super) fn sizes(&self, sizes: &Sizes) -> Vec<Size> {
        let largest = sizes.distinct().iter().map(|size| self.of(size)).max().unwrap_or(0);
        let unit = largest.div_ceil(LARGEST).max(1);
        // At most 2^18.
        let costed = |size: &Size| with(size, self.of(size).div_ceil(unit));
        sizes.distinct().iter().map(costed).collect()
    }

    /// Packs `counts` graphs of each of `sizes`, as [`sizes`](Self::sizes) returns them: for each speed, slow ranks
    /// first, under `limits` and the least cost of a pack for which no more steps are needed than without it.
    pub(super) fn pack(
        &self,
        packer: &Packer,
        sizes: &[Size],
        counts: &[u64],
        limits: &Limits,
    ) -> Result<Vec<Share>, BoxError> {
        let mut ranks = ranks_by_speed(&self.speeds);
        if ranks.is_empty() {
            ranks.insert(1, self.ranks.max(1));
        }
        let weights: Vec<u128> = ranks.iter().map(|(&speed, &ranks)| u128::from(speed) * u128::from(ranks)).collect();
        let mut shares = Vec::new();
        let mut steps: u64 = 0;
        for (counts, &ranks) in divide(sizes, counts, &weights).into_iter().zip(ranks.values()) {
            let histogram = Histogram::from_counts(sizes.iter().copied().zip(counts.iter().copied()))?;
            let total = histogram.totals().get(limits.size.sets()).copied().unwrap_or(0);
            let plan = packer.pack(&histogram, &under(limits, total.max(1)))?;
            steps = plan.packs().div_ceil(ranks.into()).max(steps);
            shares.push((ranks, histogram, total, Share { counts, plan, packs: 0 }));
        }
        let most = steps;
        steps = 0;
        for (ranks, histogram, total, share) in &mut shares {
            if let Some(plan) = balanced(packer, histogram, *total, most.saturating_mul((*ranks).into()), limits)? {
                share.plan = plan;
            }
            // A packer may find fewer packs under a limit of cost than without one.
            steps = share.plan.packs().div_ceil((*ranks).into()).max(steps);
        }
        let all =
            shares.into_iter().map(|(ranks, _, _, share)| Share { packs: steps.saturating_mul(ranks.into()), ..share });
        Ok(all.collect())
    }
}

/// Packs graphs of `total` cost into at most this number of packs, under the least limit of cost that the packer finds
/// enough; `None` if it finds none.
fn balanced(
    packer: &Packer,
    histogram: &Histogram,
    total: u128,
    packs: u64,
    limits: &Limits,
) -> Result<Option<Plan>, BoxError> {
    let largest = histogram.largest()[limits.size.sets()].into();
    let mean = total.div_ceil(packs.max(1).into()).max(1);
    for more in MORE {
        let limits = under(limits, (mean + mean / more).max(largest));
        if bound::of_large_graphs(histogram, &limits) > packs {
            continue;
        }
        let plan = packer.pack(histogram, &limits)?;
        if plan.packs() <= packs {
            return Ok(Some(plan));
        }
    }
    Ok(None)
}

/// Divides `counts` graphs of each size in proportion to `weights`, those of like cost evenly.
fn divide(sizes: &[Size], counts: &[u64], weights: &[u128]) -> Vec<Vec<u64>> {
    let all = weights.iter().sum::<u128>() as i128;
    let mut by_cost: Vec<usize> = (0..sizes.len()).collect();
    by_cost.sort_by_key(|&place| sizes[place].as_slice().last());
    let mut shares = vec![vec![0; sizes.len()]; weights.len()];
    // Graphs that each share has too few of, in parts of which `all` are a graph. No product exceeds 2^97.
    let mut owed = vec![0_i128; weights.len()];
    for place in by_cost {
        let mut left = counts[place];
        let count = i128::from(left);
        for ((owed, weight), share) in owed.iter_mut().zip(weights).zip(&mut shares) {
            *owed += count * *weight as i128;
            let whole = (*owed / all).clamp(0, left.into());
            *owed -= whole * all;
            share[place] = whole as u64;
            left -= share[place];
        }
        // Fewer than there are shares.
        for _ in 0..left {
            let most = (0..owed.len()).max_by_key(|&share| owed[share]).unwrap_or(0);
            owed[most] -= all;
            shares[most][place] += 1;
        }
    }
    shares
}

/// Returns `limits` with one of `cost`.
fn under(limits: &Limits, cost: u128) -> Limits {
    Limits { size: with(&limits.size, cost), ..*limits }
}

/// Returns `size` with one more set, of `cost` rows or `u32::MAX` if these are fewer.
fn with(size: &Size, cost: u128) -> Size {
    let cost = u32::try_from(cost).unwrap_or(u32::MAX);
    Size::of(size.sets() + 1, |set| if set < size.sets() { size[set] } else { cost })
}

#[cfg(test)]
mod tests {
    use super::divide;
    use crate::layout::Size;

    #[test]
    fn graphs_are_divided_by_speed_also_where_each_size_is_rare() {
        // 300 sizes of one graph each, and one of 1,001.
        let sizes: Vec<Size> = (0..301).map(|cost| Size::new([7, cost])).collect();
        let counts: Vec<u64> = (0..301).map(|cost| if cost == 300 { 1001 } else { 1 }).collect();
        let shares = divide(&sizes, &counts, &[1, 2, 7]);
        assert!((0..301).all(|place| shares.iter().map(|share| share[place]).sum::<u64>() == counts[place]));
        for (share, weight) in shares.iter().zip([1.0, 2.0, 7.0]) {
            let cost = |places: std::ops::Range<usize>| places.map(|at| share[at] as f64 * at as f64).sum::<f64>();
            assert!((cost(0..300) / 44_850.0 - weight / 10.0).abs() < 0.01, "{share:?}");
            assert!((share[300] as f64 - 100.1 * weight).abs() <= 2.0, "{share:?}");
        }
    }
}
