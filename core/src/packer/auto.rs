//! Tries the packers that make sense for a histogram, improves the best plan, and keeps it.
//!
//! Best-fit with every heuristic always runs, so that the result is never worse than any of them. The demand packer and the columns packer run
//! as far as the effort goes. As long as the bound leaves hope, the emptiest packs are then taken apart and packed anew.

use super::{Packer, best_fit, columns, demand};
use crate::{Effort, Heuristic, Histogram, Limits, Plan};
use alloc::vec::Vec;

/// One pack in so many above the bound is not worth the effort.
const GOOD_ENOUGH: u64 = 2000;

/// Attempts in a row that save nothing, after which there is little hope.
const MOST_FAILURES: usize = 10;

/// Shares of the packs that are taken apart, one after the other, in 1/64.
const SHARES: [usize; 5] = [2, 4, 8, 16, 32];

pub(super) fn pack<const K: usize>(histogram: &Histogram<K>, limits: &Limits<K>, mut effort: Effort) -> Plan<K> {
    let mut best = Plan::empty(*limits);
    let single = (0..K).map(Heuristic::Component);
    let heuristics =
        [Heuristic::Product, Heuristic::Sum, Heuristic::Maximum, Heuristic::Minimum].into_iter().chain(single);
    for heuristic in heuristics {
        // On ppa 36,000 sizes take 20 ms.
        effort.use_up(histogram.entries().len() as u64 * 900);
        best = better(best, best_fit::pack(histogram, limits, &heuristic), Packer::BestFit(heuristic));
    }
    // At most half, so that the program of the columns packer has its share.
    let mut half = Effort::steps(effort.left() / 2);
    let before = half.left();
    if let Some(plan) = demand::pack(histogram, limits, &mut half) {
        best = better(best, plan, Packer::Demand);
    }
    effort.spend(before - half.left());
    if best.packs() > best.bound() {
        let given = effort;
        if let Some(plan) = columns::pack(histogram, limits, &best, &mut effort) {
            best = better(best, plan, Packer::Columns(given));
        }
    }
    improve(&mut best, &mut effort);
    best
}

/// The plan with fewer packs, the first of two that have as many, with the better bound of both.
fn better<const K: usize>(best: Plan<K>, new: Plan<K>, packer: Packer<K>) -> Plan<K> {
    let (best_bound, new_bound) = (best.bound(), new.bound());
    if best.distinct_packs() == 0 || new.packs() < best.packs() {
        new.with_bound(best_bound).made_by(packer)
    } else {
        best.with_bound(new_bound)
    }
}

/// Takes the emptiest packs apart, with some of the others, and packs their graphs anew, as long as that saves packs or there is another
/// share to try.
fn improve<const K: usize>(plan: &mut Plan<K>, effort: &mut Effort) {
    let mut shares = SHARES.iter().cycle().enumerate();
    let mut failed = 0;
    while failed < MOST_FAILURES && plan.packs() - plan.bound() > plan.packs() / GOOD_ENOUGH {
        let Some((attempt, &share)) = shares.next() else { return };
        let (kept, taken) = part(plan, share, attempt);
        let rest = taken.histogram();
        if !effort.spend(rest.entries().len() as u64 * 900) {
            return;
        }
        let Some(new) = demand::pack(&rest, plan.limits(), effort) else { return };
        if new.packs() < taken.packs() {
            let mut better = kept;
            better.append(&new);
            *plan = better.with_history_of(plan);
            failed = 0;
        } else {
            failed += 1;
        }
    }
}

/// A plan in two: the emptiest `share` / 64 of its distinct packs and as many others go into the second.
fn part<const K: usize>(plan: &Plan<K>, share: usize, attempt: usize) -> (Plan<K>, Plan<K>) {
    let mut packs: Vec<_> = plan.iter().collect();
    let limits = plan.limits();
    // How full a pack is in its fullest component.
    let fullness = |size: [u64; K]| {
        let shares = size.iter().zip(&limits.size.0).map(|(&sum, &limit)| sum as f64 / f64::from(limit));
        shares.fold(0.0, |fullest, share| if share > fullest { share } else { fullest })
    };
    packs.sort_by(|a, b| fullness(a.size()).total_cmp(&fullness(b.size())));
    let emptiest = (packs.len() * share).div_ceil(64);
    let step = 64 / share;
    let (mut kept, mut taken) = (Plan::empty(*limits), Plan::empty(*limits));
    for (rank, pack) in packs.iter().enumerate() {
        let part = if rank < emptiest || rank % step == attempt % step { &mut taken } else { &mut kept };
        part.push(pack.contents.iter().copied(), pack.repeat);
    }
    (kept, taken)
}
