//! The auto packer: runs the packers that need the fewest packs, and improves the best plan.
//!
//! Best-fit with every heuristic but `Weighted` always runs, so that the result is never worse than any of these. The
//! demand packer and the columns packer run as far as the effort goes. While the bound says that fewer packs may be
//! possible, the emptiest packs are then taken apart and their graphs packed again. First-fit and window are not run:
//! they need fewer packs on none of the histograms that packers are measured on.

use super::{columns, demand, greedy::best_fit};
use crate::{Effort, Heuristic, Histogram, Limits, Packer, Plan};
use alloc::vec::Vec;

/// A plan that exceeds its bound by at most one pack in this number is not improved.
const GOOD_ENOUGH: u64 = 2000;

/// Attempts in a row that save nothing, after which improving ends.
const MOST_FAILURES: usize = 10;

/// Shares of the distinct packs that successive attempts take apart, in 1/64.
const SHARES: [usize; 5] = [2, 4, 8, 16, 32];

/// Packs with at most `effort`, which best-fit alone may exceed.
pub(super) fn pack<const K: usize>(histogram: &Histogram<K>, limits: &Limits<K>, mut effort: Effort) -> Plan<K> {
    let mut best = Plan::empty(*limits);
    let single = (0..K).map(Heuristic::Component);
    let heuristics =
        [Heuristic::Product, Heuristic::Sum, Heuristic::Maximum, Heuristic::Minimum].into_iter().chain(single);
    for heuristic in heuristics {
        // The steps that best-fit takes at most, measured on ppa: 20 ms for 36,000 sizes.
        effort.use_up(histogram.entries().len() as u64 * 900);
        best = better(best, best_fit::pack(histogram, limits, &heuristic), Packer::BestFit(heuristic));
    }
    // Demand gets at most half, so that enough is left for the columns packer.
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

/// The plan with fewer packs, or the first if both have the same number, with the better bound of the two.
fn better<const K: usize>(best: Plan<K>, new: Plan<K>, packer: Packer<K>) -> Plan<K> {
    let (best_bound, new_bound) = (best.bound(), new.bound());
    if best.distinct_packs() == 0 || new.packs() < best.packs() {
        new.with_bound(best_bound).made_by(packer)
    } else {
        best.with_bound(new_bound)
    }
}

/// Takes the emptiest packs and some of the others apart and packs their graphs again, until the plan is good enough,
/// too many attempts in a row have failed, or the effort is spent.
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
            *plan = better.with_packer_and_bound_of(plan);
            failed = 0;
        } else {
            failed += 1;
        }
    }
}

/// Splits a plan in two. The second gets the emptiest `share` / 64 of the distinct packs, and of the others the same
/// share, which differs from `attempt` to `attempt`.
fn part<const K: usize>(plan: &Plan<K>, share: usize, attempt: usize) -> (Plan<K>, Plan<K>) {
    let mut packs: Vec<_> = plan.iter().collect();
    let limits = plan.limits();
    // The share that a pack fills of its fullest component.
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
