//! [`exchange`]: moves graphs between packs until some packs are full and others empty.
//!
//! Two packs trade up to two graphs each, such that the fuller one becomes as full as can be. The sum of the squares of
//! what the packs' room is worth grows with every trade, so that room gathers in few packs, and the last graphs of these
//! find a place in each other.

use crate::FixedLimits;
use crate::lanes::Lanes;
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

/// Steps of effort that a pack takes for being opened and closed, and for being sorted, and that a handful takes.
const OPEN: u64 = 500;
const SORT: u64 = 20;
const HANDFUL: u64 = 32;

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
    effort.use_up(OPEN * (packs.len() + plan.len()) as u64);
    while traded && packs.len() as u64 > least && effort.left() > 0 {
        packs.sort_by_key(|pack| Reverse(pack.slack()));
        effort.use_up(SORT * packs.len() as u64);
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
        effort.use_up(HANDFUL * given.len() as u64);
        for partner in 0..partners.min(full) {
            let (emptier, fuller) = packs.split_at_mut(full);
            let (emptier, fuller) = (&mut emptier[partner], &mut fuller[0]);
            if emptier.slack() < fuller.slack() {
                continue;
            }
            let best = best_trade(fuller, &given, emptier, &offers[partner]);
            // Candidates are compared in a few steps each; lists are made and sorted.
            effort.use_up(HANDFUL / 2 * given.len() as u64);
            if let Some((give, get)) = best {
                fuller.swap(values, give, get);
                let (give, get) = (*give, *get);
                emptier.swap(values, &get, &give);
                offers[partner] = emptier.handfuls(values);
                effort.use_up(HANDFUL * offers[partner].len() as u64);
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

/// Returns what `fuller` should give and get to become as full as can be; `None` if no trade gains enough. Handfuls are
/// in ascending order of value.
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

/// Most handfuls of two graphs that are listed; of packs with more only single graphs are.
const MOST_PAIRS: usize = 1 << 11;

/// One pack and the room that it has left.
pub(super) struct OpenPack<const K: usize> {
    /// The number of each size once, with the number of its graphs.
    contents: Vec<(u32, u32)>,
    room: [u32; K],
    graphs_left: u32,
    /// The value of the room that is left.
    slack: u64,
}

/// Up to two graphs of one pack.
#[derive(Clone, Copy)]
pub(super) struct Handful<const K: usize> {
    value: u64,
    /// Sum over the graphs.
    size: [u32; K],
    /// The numbers of their sizes.
    graphs: [Option<u32>; 2],
}

impl<const K: usize> Handful<K> {
    fn new(values: &Values<'_, K>, graphs: [Option<u32>; 2]) -> Self {
        // Cannot overflow: the graphs share a pack, whose limits have 32 bits.
        let size = graphs.iter().flatten().fold([0; K], |sum, &number| sum.plus(values.size(number)));
        let number = graphs.iter().flatten().count() as u32;
        Self { value: values.of(&size, number), size, graphs }
    }

    pub(super) fn value(&self) -> u64 {
        self.value
    }

    fn number(&self) -> u32 {
        self.graphs.iter().flatten().count() as u32
    }
}

impl<const K: usize> OpenPack<K> {
    /// A pack with these graphs, which are within the limits.
    pub(super) fn new(contents: &[(u32, u32)], limits: &FixedLimits<K>, values: &Values<'_, K>) -> Self {
        let (room, graphs_left) = (limits.size, limits.graphs);
        let mut pack = Self { contents: Vec::new(), room, graphs_left, slack: values.of(&room, graphs_left) };
        for &(number, times) in contents {
            pack.put(values, number, times);
        }
        pack
    }

    pub(super) fn contents(&self) -> &[(u32, u32)] {
        &self.contents
    }

    pub(super) fn slack(&self) -> u64 {
        self.slack
    }

    /// Puts in `times` graphs, for which there must be room.
    fn put(&mut self, values: &Values<'_, K>, number: u32, times: u32) {
        let size = values.size(number);
        self.room = self.room.less(size, times);
        self.graphs_left -= times;
        self.slack -= values.of(size, 1) * u64::from(times);
        match self.contents.binary_search_by_key(&number, |(number, _)| *number) {
            Ok(place) => self.contents[place].1 += times,
            Err(place) => self.contents.insert(place, (number, times)),
        }
    }

    /// Takes out a graph, which the pack must hold.
    fn take(&mut self, values: &Values<'_, K>, number: u32) {
        let Ok(place) = self.contents.binary_search_by_key(&number, |(number, _)| *number) else { return };
        let size = values.size(number);
        self.room = self.room.plus(size);
        self.graphs_left += 1;
        self.slack += values.of(size, 1);
        self.contents[place].1 -= 1;
        if self.contents[place].1 == 0 {
            self.contents.remove(place);
        }
    }

    /// Returns no graph, every single graph and every pair of graphs of this pack, in ascending order of value.
    pub(super) fn handfuls(&self, values: &Values<'_, K>) -> Vec<Handful<K>> {
        let sizes = self.contents.len();
        let mut found = alloc::vec![Handful::new(values, [None, None])];
        for (i, &(first, times)) in self.contents.iter().enumerate() {
            found.push(Handful::new(values, [Some(first), None]));
            if sizes * sizes <= 2 * MOST_PAIRS {
                let others = self.contents[i + usize::from(times == 1)..].iter();
                found.extend(others.map(|&(second, _)| Handful::new(values, [Some(first), Some(second)])));
            }
        }
        found.sort_unstable_by_key(|handful| (handful.value, handful.graphs));
        found
    }

    /// Whether there is room for `more` once `less` is taken out.
    pub(super) fn has_room(&self, less: &Handful<K>, more: &Handful<K>) -> bool {
        let fits = |k: usize| u64::from(more.size[k]) <= u64::from(self.room[k]) + u64::from(less.size[k]);
        (0..K).all(fits) && u64::from(more.number()) <= u64::from(self.graphs_left) + u64::from(less.number())
    }

    /// Gives `less` away and takes `more`.
    pub(super) fn swap(&mut self, values: &Values<'_, K>, less: &Handful<K>, more: &Handful<K>) {
        less.graphs.iter().flatten().for_each(|&number| self.take(values, number));
        more.graphs.iter().flatten().for_each(|&number| self.put(values, number, 1));
    }
}

/// The value of a full pack in the component that binds most: large enough for fractions of a row, and small enough for
/// sums over all components.
const FULL: f64 = (1_u64 << 48) as f64;

/// Room that is worth less than this is not worth filling.
pub(super) const LEAST: u64 = 1 << 32;

/// What one row of each component and one graph are worth: a fraction of the limit in the component in which all graphs
/// together need the most packs, and hardly anything where there is slack, because room there is of no use.
pub(super) struct Values<'a, const K: usize> {
    /// All that are packed, by number.
    sizes: &'a [([u32; K], u64)],
    rows: [u64; K],
    graph: u64,
}

impl<'a, const K: usize> Values<'a, K> {
    /// Returns the values of graphs where all of `counts` are packed.
    pub(super) fn new(counts: &'a Counts<K>, limits: &FixedLimits<K>) -> Self {
        let FixedLimits { size: limits, graphs: most } = *limits;
        let totals = counts.totals();
        let shares: [f64; K] = core::array::from_fn(|k| totals[k] as f64 / f64::from(limits[k]));
        let graphs = counts.graphs() as f64 / f64::from(most);
        let largest = shares.iter().fold(graphs, |largest, &share| if share > largest { share } else { largest });
        let value = |share: f64, limit: u32| {
            // To the 256th power: 1 % of slack leaves a twelfth of the value.
            let power = (0..8).fold(share / largest, |power, _| power * power);
            // A cast from float to integer saturates, and turns NaN into 0.
            (power * FULL / f64::from(limit)) as u64
        };
        Self {
            sizes: counts.entries(),
            rows: core::array::from_fn(|k| value(shares[k], limits[k])),
            graph: value(graphs, most),
        }
    }

    /// Returns the value of a number of graphs with rows of `size` in all; `size` and `graphs` are within the limits.
    pub(super) fn of(&self, size: &[u32; K], graphs: u32) -> u64 {
        let rows = size.iter().zip(&self.rows).map(|(&rows, value)| u64::from(rows) * value);
        rows.sum::<u64>() + u64::from(graphs) * self.graph
    }

    /// The size with a number.
    pub(super) fn size(&self, number: u32) -> &'a [u32; K] {
        &self.sizes[number as usize].0
    }

    /// Returns the value of the room that a pack has left.
    pub(super) fn slack(&self, contents: &[(u32, u32)], limits: &FixedLimits<K>) -> u64 {
        let held = contents.iter().map(|&(number, times)| self.of(self.size(number), 1) * u64::from(times));
        self.of(&limits.size, limits.graphs) - held.sum::<u64>()
    }
}
