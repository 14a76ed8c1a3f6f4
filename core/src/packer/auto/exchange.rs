//! [`exchange`]: graphs change packs until some packs are full and others empty.
//!
//! Two packs trade up to two graphs each, such that the fuller one becomes as full as can be. The sum of the squares of
//! what the packs' room is worth grows with every trade, so that room gathers in few packs, and the last graphs of these
//! find a place in each other.

use super::open_pack::{Handful, OpenPack};
use super::values::{LEAST, Values};
use crate::FixedLimits;
use crate::packer::Effort;
use crate::packer::problem::{Counts, Packs};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::cmp::Reverse;

/// Most packs that take part: those with the most room.
const MOST_PACKS: usize = 1 << 15;

/// Emptiest packs that every other pack trades with.
const PARTNERS: usize = 4;

/// Candidates that are looked at for each handful of a trade.
const CANDIDATES: usize = 8;

/// A pack must gain more than this share of its slack in a trade, so that there are few trades, or more than this
/// value, so that nearly empty packs merge.
const LEAST_SHARE: u64 = 8;
const LEAST_GAIN: u64 = 1 << 40;

/// The plan after all trades, or after those that `effort` was enough for. It holds all of `counts`, and no plan has
/// fewer packs than `bound`. Not all of its packs are distinct.
pub(super) fn exchange<const K: usize>(
    counts: &Counts<K>,
    limits: &FixedLimits<K>,
    plan: &Packs,
    bound: u64,
    effort: &mut Effort,
) -> Packs {
    let values = Values::new(counts, limits);
    let (mut packs, mut rest) = open(plan, limits, &values);
    let least = bound.saturating_sub(rest.packs());
    let mut traded = true;
    while traded && packs.len() as u64 > least && effort.left() > 0 {
        packs.sort_by_key(|pack| Reverse(pack.slack()));
        traded = trade_with_the_emptiest(&mut packs, &values, effort);
        packs.retain(|pack| !pack.contents().is_empty());
    }
    // Equal packs are one distinct pack.
    let mut distinct: BTreeMap<_, u64> = BTreeMap::new();
    for pack in &packs {
        *distinct.entry(pack.contents()).or_default() += 1;
    }
    for (contents, repeat) in distinct {
        rest.push(contents.iter().copied(), repeat);
    }
    rest
}

/// Packs with room that is worth something, each for itself, and a plan of all others.
fn open<const K: usize>(plan: &Packs, limits: &FixedLimits<K>, values: &Values<'_, K>) -> (Vec<OpenPack<K>>, Packs) {
    let mut sorted: Vec<_> = plan.iter().map(|pack| (values.slack(pack.0, limits), pack)).collect();
    sorted.sort_by_key(|(slack, _)| Reverse(*slack));
    let (mut open, mut rest) = (Vec::new(), Packs::default());
    for (slack, (contents, repeat)) in sorted {
        let places = if slack < LEAST { 0 } else { (MOST_PACKS - open.len()) as u64 };
        let opened = repeat.min(places);
        open.extend((0..opened).map(|_| OpenPack::new(contents, limits, values)));
        if repeat > opened {
            rest.push(contents.iter().copied(), repeat - opened);
        }
    }
    (open, rest)
}

/// Lets every pack, the fullest first, trade once with one of the emptiest, which are the first of `packs`. Returns
/// whether any pack traded.
fn trade_with_the_emptiest<const K: usize>(
    packs: &mut [OpenPack<K>],
    values: &Values<'_, K>,
    effort: &mut Effort,
) -> bool {
    let mut traded = false;
    let partners = PARTNERS.min(packs.len());
    let mut offers: Vec<_> = packs[..partners].iter().map(|pack| pack.handfuls(values)).collect();
    for full in (1..packs.len()).rev() {
        if packs[full].slack() < LEAST {
            continue;
        }
        let given = packs[full].handfuls(values);
        for partner in 0..partners.min(full) {
            let (emptier, fuller) = packs.split_at_mut(full);
            let (emptier, fuller) = (&mut emptier[partner], &mut fuller[0]);
            if emptier.slack() < fuller.slack() {
                continue;
            }
            let best = best_trade(fuller, &given, emptier, &offers[partner]);
            // Candidates are compared in a few steps each; lists are made and sorted.
            effort.use_up(32 * given.len() as u64);
            if let Some((give, get)) = best {
                fuller.swap(values, give, get);
                let (give, get) = (*give, *get);
                emptier.swap(values, &get, &give);
                offers[partner] = emptier.handfuls(values);
                effort.use_up(64 * offers[partner].len() as u64);
                if full < partners {
                    offers[full] = fuller.handfuls(values);
                }
                traded = true;
                break;
            }
        }
        if effort.left() == 0 {
            return traded;
        }
    }
    traded
}

/// What `fuller` should give and get to become as full as can be; None if no trade gains enough. Handfuls are in
/// ascending order of value.
fn best_trade<'a, const K: usize>(
    fuller: &OpenPack<K>,
    given: &'a [Handful<K>],
    emptier: &OpenPack<K>,
    offers: &'a [Handful<K>],
) -> Option<(&'a Handful<K>, &'a Handful<K>)> {
    let mut gain = (fuller.slack() / LEAST_SHARE).min(LEAST_GAIN);
    let mut best = None;
    for give in given {
        let most = give.value() + fuller.slack();
        let fitting = &offers[..offers.partition_point(|get| get.value() <= most)];
        for get in fitting.iter().rev().take(CANDIDATES) {
            if get.value() <= give.value() + gain {
                break;
            }
            if fuller.has_room(give, get) && emptier.has_room(get, give) {
                gain = get.value() - give.value();
                best = Some((give, get));
                break;
            }
        }
        if gain == fuller.slack() {
            break;
        }
    }
    best
}
