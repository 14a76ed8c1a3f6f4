//! [`LocalSearch`]: looks for plans with fewer packs near a given one.

use super::exchange::exchange;
use crate::FixedLimits;
use crate::bound;
use crate::packer::Budget;
use crate::packer::demand;
use crate::packer::problem::{Counts, Packs};
use alloc::vec::Vec;

/// Attempts that save nothing, after which the search ends.
const MOST_FAILURES: usize = 10;

/// Shares of the distinct packs that successive attempts take apart, in 1/64; at first none.
const SHARES: [usize; 6] = [0, 2, 4, 8, 16, 32];

/// Attempts to save a pack. Each takes the emptiest packs and some of the others apart, packs their graphs again, and
/// exchanges graphs between all packs.
#[derive(Default)]
pub(super) struct LocalSearch {
    /// Attempts that have saved nothing.
    failed: usize,
    /// Budget that the next attempt needs, as far as is known.
    pub(super) needed: u64,
    /// A plan with as many packs, in which exchanges were interrupted.
    traded: Option<Packs>,
}

impl LocalSearch {
    /// Whether enough attempts have failed to give up.
    pub(super) fn is_done(&self) -> bool {
        self.failed == MOST_FAILURES
    }

    /// Returns a plan with fewer packs than `plan`. None if `budget` runs out before one is found, or if the search is
    /// given up. An attempt that was interrupted is made again once there is twice as much budget.
    pub(super) fn run<const K: usize>(
        &mut self,
        counts: &Counts<K>,
        limits: &FixedLimits<K>,
        plan: &Packs,
        budget: &mut Budget,
    ) -> Option<Packs> {
        let (packs, bound) = (plan.packs(), plan.bound);
        let plan = self.traded.take().unwrap_or_else(|| plan.clone());
        let least = bound::of_counts(counts, limits);
        while !self.is_done() && packs > bound {
            let given = budget.left();
            let share = SHARES[self.failed % SHARES.len()];
            let mut new = plan.clone();
            let mut is_packed = true;
            if share > 0 {
                let (kept, taken) = part(counts, limits, &plan, share, self.failed);
                new = kept;
                let graphs = counts.some(&taken.counts(counts.entries().len()));
                let packed = demand::pack_below(&graphs, limits, taken.packs() + 1, budget);
                is_packed = packed.is_some();
                packed.iter().for_each(|packed| new.append(packed));
            }
            if is_packed {
                new = exchange(counts, limits, &new, new.bound.max(least), budget);
            }
            if is_packed && new.packs() < packs {
                return Some(new);
            }
            if budget.left() == 0 {
                // Exchanges go on where they were, other attempts begin again.
                let goes_on = share == 0;
                let is_better = goes_on && new != plan;
                self.needed = if is_better { 0 } else { given.saturating_mul(2) };
                self.traded = Some(if goes_on { new } else { plan });
                return None;
            }
            self.failed += 1;
        }
        None
    }
}

/// Splits a plan in two. The second gets the emptiest `share` / 64 of the distinct packs, and of the others the same
/// share, which differs from `attempt` to `attempt`.
fn part<const K: usize>(
    counts: &Counts<K>,
    limits: &FixedLimits<K>,
    plan: &Packs,
    share: usize,
    attempt: usize,
) -> (Packs, Packs) {
    // The share that a pack fills of its fullest component.
    let fullness = |contents: &[(u32, u32)]| {
        let mut sums = [0_u64; K];
        for &(number, times) in contents {
            let size = &counts.entries()[number as usize].0;
            sums.iter_mut().zip(size).for_each(|(sum, &rows)| *sum += u64::from(rows) * u64::from(times));
        }
        let shares = sums.iter().zip(&limits.size).map(|(&sum, &limit)| sum as f64 / f64::from(limit));
        shares.fold(0.0, |fullest, share| if share > fullest { share } else { fullest })
    };
    let mut packs: Vec<_> = plan.iter().map(|pack| (fullness(pack.0), pack)).collect();
    emptiest_first(&mut packs);
    let emptiest = (packs.len() * share).div_ceil(64);
    let step = 64 / share;
    let (mut kept, mut taken) = (Packs::default(), Packs::default());
    for (rank, &(_, (contents, repeat))) in packs.iter().enumerate() {
        let part = if rank < emptiest || rank % step == attempt % step { &mut taken } else { &mut kept };
        part.push(contents.iter().copied(), repeat);
    }
    (kept, taken)
}

fn emptiest_first<T>(packs: &mut [(f64, T)]) {
    packs.sort_by(|a, b| a.0.total_cmp(&b.0));
}
