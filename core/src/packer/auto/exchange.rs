//! [`Exchanges`]: move graphs between packs until some packs are full and others empty.
//!
//! Two packs trade up to two graphs each, such that the fuller one becomes as full as can be. The sum of the squares of
//! what the packs' room is worth grows with every trade, so that room gathers in few packs, and the last graphs of
//! these find a place in each other.

use crate::FixedLimits;
use crate::lanes::Lanes;
use crate::packer::Budget;
use crate::packer::problem::{Counts, Packs};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::cmp::Reverse;

/// Most packs that take part, those with the most room, which bounds memory: each is kept by itself.
const MOST_OPENED: usize = 1 << 15;

/// The number of emptiest packs that each other pack may trade with. Exchanges save 0.2 % of the packs of ppa and 0.7 %
/// of hard instances; this number and the next decide how long that takes.
const PARTNERS: usize = 4;

/// Handfuls of the emptier pack that are looked at for each handful of the fuller, the most valuable first.
const OFFERS: usize = 8;

/// Steps of budget, measured as time with two and with six sets: of a pack for being opened and closed, and for being
/// sorted and the list of its handfuls; of a handful for being listed; and of two that are compared.
const OPENING_STEPS: u64 = 800;
const LISTING_STEPS: u64 = 420;
const HANDFUL_STEPS: u64 = 30;
const TRADE_STEPS: u64 = 8;

/// Exchanges of graphs between the packs of the best plan, until no pack trades any more.
pub(super) struct Exchanges<'a, const K: usize> {
    values: Values<'a, K>,
    limits: FixedLimits<K>,
    open: Vec<OpenPack<K>>,
    /// The packs without room.
    rest: Packs,
    /// Number of packs of the plan, open and without room; 0 before the first round.
    packs: u64,
    has_traded: bool,
}

impl<'a, const K: usize> Exchanges<'a, K> {
    pub(super) fn new(counts: &'a Counts<K>, limits: &FixedLimits<K>) -> Self {
        let (values, open, rest) = (Values::new(counts, limits), Vec::new(), Packs::default());
        Self { values, limits: *limits, open, rest, packs: 0, has_traded: false }
    }

    /// Whether nothing was traded in the last round, and no better plan has come since.
    pub(super) fn are_over(&self, best: &Packs) -> bool {
        best.packs() == self.packs && !self.has_traded
    }

    /// Lets packs trade once, and replaces `best` if that empties one.
    pub(super) fn round(&mut self, best: &mut Packs, budget: &mut Budget) {
        if best.packs() != self.packs {
            (self.open, self.rest) = open(best, &self.limits, &self.values);
            self.packs = best.packs();
            budget.use_up(OPENING_STEPS * (self.open.len() + best.len()) as u64);
        }
        self.open.sort_by_key(|pack| Reverse(pack.slack));
        self.has_traded = trade_with_the_emptiest(&mut self.open, &self.values, budget);
        self.open.retain(|pack| !pack.contents.is_empty());
        let packs = self.rest.packs() + self.open.len() as u64;
        if packs < self.packs {
            self.packs = packs;
            *best = self.plan().with_bound(best.bound);
        }
    }

    /// All packs as they are now; equal ones are one distinct pack.
    fn plan(&self) -> Packs {
        let (mut plan, mut distinct) = (self.rest.clone(), BTreeMap::<_, u64>::new());
        for pack in &self.open {
            *distinct.entry(pack.contents()).or_default() += 1;
        }
        for (contents, repeat) in distinct {
            plan.push(contents, repeat);
        }
        plan
    }
}

/// Packs with room that is worth something, each for itself, and a plan of all others.
fn open<const K: usize>(plan: &Packs, limits: &FixedLimits<K>, values: &Values<'_, K>) -> (Vec<OpenPack<K>>, Packs) {
    let mut sorted: Vec<_> = plan.iter().map(|pack| (values.slack(pack.0, limits), pack)).collect();
    emptiest_first(&mut sorted);
    let (mut open, mut rest) = (Vec::new(), Packs::default());
    for (slack, (contents, repeat)) in sorted {
        let places = if slack < LEAST_ROOM { 0 } else { (MOST_OPENED - open.len()) as u64 };
        let opened = repeat.min(places);
        open.extend((0..opened).map(|_| OpenPack::new(contents, limits, values)));
        if repeat > opened {
            rest.push(contents.iter().copied(), repeat - opened);
        }
    }
    (open, rest)
}

fn emptiest_first<T>(packs: &mut [(u64, T)]) {
    packs.sort_by_key(|(slack, _)| Reverse(*slack));
}

/// Lets every pack, the fullest first, trade once with one of the emptiest, which are the first of `packs`. Returns
/// whether any pack traded.
fn trade_with_the_emptiest<const K: usize>(
    packs: &mut [OpenPack<K>],
    values: &Values<'_, K>,
    budget: &mut Budget,
) -> bool {
    let mut traded = false;
    let partners = PARTNERS.min(packs.len());
    let mut offers: Vec<_> = packs[..partners].iter().map(|pack| pack.handfuls()).collect();
    for full in (1..packs.len()).rev() {
        if packs[full].slack < LEAST_ROOM {
            continue;
        }
        let given = packs[full].handfuls();
        budget.use_up(LISTING_STEPS + HANDFUL_STEPS * given.len() as u64);
        for partner in 0..partners.min(full) {
            let (emptier, fuller) = packs.split_at_mut(full);
            let (emptier, fuller) = (&mut emptier[partner], &mut fuller[0]);
            if emptier.slack < fuller.slack {
                continue;
            }
            let (best, compared) = best_trade(fuller, &given, emptier, &offers[partner]);
            budget.use_up(TRADE_STEPS * compared as u64);
            if let Some((give, get)) = best {
                let (give, get) = (fuller.numbers(give), emptier.numbers(get));
                fuller.swap(values, &give, &get);
                emptier.swap(values, &get, &give);
                offers[partner] = emptier.handfuls();
                budget.use_up(LISTING_STEPS + HANDFUL_STEPS * offers[partner].len() as u64);
                if full < partners {
                    offers[full] = fuller.handfuls();
                }
                traded = true;
                break;
            }
        }
        if budget.left() == 0 {
            return traded;
        }
    }
    traded
}

/// Returns what `fuller` should give and get to become as full as can be, `None` if no trade gains enough, and the
/// number of handfuls compared. Handfuls are in ascending order of value.
fn best_trade<'a, const K: usize>(
    fuller: &OpenPack<K>,
    given: &'a [Handful],
    emptier: &OpenPack<K>,
    offers: &'a [Handful],
) -> (Option<(&'a Handful, &'a Handful)>, usize) {
    let mut gain = 0;
    let (mut best, mut compared, mut fitting) = (None, offers.len(), 0);
    for give in given {
        let most = give.value + fuller.slack;
        while offers.get(fitting).is_some_and(|get| get.value <= most) {
            fitting += 1;
        }
        compared += 1;
        for get in offers[..fitting].iter().rev().take(OFFERS) {
            if get.value <= give.value + gain {
                break;
            }
            compared += 4;
            let (given, got) = (fuller.size(give), emptier.size(get));
            if fuller.has_room(&given, &got) && emptier.has_room(&got, &given) {
                gain = get.value - give.value;
                best = Some((give, get));
                break;
            }
        }
        if gain == fuller.slack {
            break;
        }
    }
    (best, compared)
}

/// Most handfuls of two graphs that are listed. Of a pack with more, only single graphs are offered: pairs grow with
/// the square of its sizes.
const MOST_PAIRS: usize = 1 << 11;

/// One pack and the room that it has left.
struct OpenPack<const K: usize> {
    /// Each size once, in ascending order.
    contents: Vec<Held<K>>,
    room: [u32; K],
    graphs_left: u32,
    /// The value of the room that is left.
    slack: u64,
}

/// The graphs of one size in a pack. What is known of the size is in here, because to look it up among 10^5 sizes takes
/// several times as long.
struct Held<const K: usize> {
    number: u32,
    times: u32,
    value: u64,
    size: [u32; K],
}

/// Up to two graphs of one pack, by their places in it.
#[derive(Clone, Copy)]
struct Handful {
    value: u64,
    places: [Option<u32>; 2],
}

impl Handful {
    fn cheapest_first(handfuls: &mut [Self]) {
        handfuls.sort_unstable_by_key(|handful| (handful.value, handful.places));
    }
}

impl<const K: usize> OpenPack<K> {
    /// A pack with these graphs, which are within the limits.
    fn new(contents: &[(u32, u32)], limits: &FixedLimits<K>, values: &Values<'_, K>) -> Self {
        let (room, graphs_left) = (limits.size, limits.graphs);
        let mut pack = Self { contents: Vec::new(), room, graphs_left, slack: values.of(&room, graphs_left) };
        for &(number, times) in contents {
            pack.put(values, number, times);
        }
        pack
    }

    fn contents(&self) -> Vec<(u32, u32)> {
        self.contents.iter().map(|held| (held.number, held.times)).collect()
    }

    /// Puts in `times` graphs, for which there must be room.
    fn put(&mut self, values: &Values<'_, K>, number: u32, times: u32) {
        let size = values.size(number);
        let value = values.of(size, 1);
        self.room = self.room.less(size, times);
        self.graphs_left -= times;
        self.slack -= value * u64::from(times);
        match self.contents.binary_search_by_key(&number, |held| held.number) {
            Ok(place) => self.contents[place].times += times,
            Err(place) => self.contents.insert(place, Held { number, times, value, size: *size }),
        }
    }

    /// Takes out a graph, which the pack must hold.
    fn take(&mut self, values: &Values<'_, K>, number: u32) {
        let Ok(place) = self.contents.binary_search_by_key(&number, |held| held.number) else { return };
        self.room = self.room.plus(values.size(number));
        self.graphs_left += 1;
        self.slack += self.contents[place].value;
        self.contents[place].times -= 1;
        if self.contents[place].times == 0 {
            self.contents.remove(place);
        }
    }

    /// Returns no graph, every single graph and every pair of graphs of this pack, in ascending order of value.
    fn handfuls(&self) -> Vec<Handful> {
        let sizes = self.contents.len();
        let pairs = if sizes * sizes <= 2 * MOST_PAIRS { sizes * (sizes + 1) / 2 } else { 0 };
        let mut found = Vec::with_capacity(1 + sizes + pairs);
        found.push(Handful { value: 0, places: [None, None] });
        for (place, first) in (0..).zip(&self.contents) {
            found.push(Handful { value: first.value, places: [Some(place), None] });
            if pairs > 0 {
                let others = (0..).zip(&self.contents).skip(place as usize + usize::from(first.times == 1));
                found.extend(others.map(|(other, second)| Handful {
                    value: first.value + second.value,
                    places: [Some(place), Some(other)],
                }));
            }
        }
        Handful::cheapest_first(&mut found);
        found
    }

    /// The rows and the number of graphs of a handful of this pack, which fit into 32 bits as the pack does.
    fn size(&self, handful: &Handful) -> ([u32; K], u32) {
        let places = handful.places.iter().flatten();
        places.fold(([0; K], 0), |(sum, graphs), &place| (sum.plus(&self.contents[place as usize].size), graphs + 1))
    }

    /// Whether there is room for `more` once `less` is taken out: rows and numbers of graphs.
    fn has_room(&self, less: &([u32; K], u32), more: &([u32; K], u32)) -> bool {
        let fits = |k: usize| u64::from(more.0[k]) <= u64::from(self.room[k]) + u64::from(less.0[k]);
        (0..K).all(fits) && u64::from(more.1) <= u64::from(self.graphs_left) + u64::from(less.1)
    }

    /// The numbers of the sizes of a handful of this pack.
    fn numbers(&self, handful: &Handful) -> [Option<u32>; 2] {
        handful.places.map(|place| place.map(|place| self.contents[place as usize].number))
    }

    /// Gives `less` away and takes `more`: numbers of sizes.
    fn swap(&mut self, values: &Values<'_, K>, less: &[Option<u32>; 2], more: &[Option<u32>; 2]) {
        less.iter().flatten().for_each(|&number| self.take(values, number));
        more.iter().flatten().for_each(|&number| self.put(values, number, 1));
    }
}

/// The value of the limit that binds most: large enough for fractions of a row, and small enough for sums over all
/// limits.
const FULL_VALUE: f64 = (1_u64 << 48) as f64;

/// Room that is worth less than this, 2^-16 of a full pack, is not worth filling.
const LEAST_ROOM: u64 = 1 << 32;

/// What one row of each set and one graph are worth: a fraction of the limit in the set, or the number, in which all
/// graphs together need the most packs, and hardly anything where there is slack, because room there is of no use.
struct Values<'a, const K: usize> {
    /// All that are packed, by number.
    sizes: &'a [([u32; K], u64)],
    rows: [u64; K],
    graph: u64,
}

impl<'a, const K: usize> Values<'a, K> {
    /// Returns the values of graphs where all of `counts` are packed.
    fn new(counts: &'a Counts<K>, limits: &FixedLimits<K>) -> Self {
        let FixedLimits { size: limits, graphs: most } = *limits;
        let totals = counts.totals();
        let shares: [f64; K] = core::array::from_fn(|k| totals[k] as f64 / f64::from(limits[k]));
        let graphs = counts.graphs() as f64 / f64::from(most);
        let largest = shares.iter().fold(graphs, |largest, &share| if share > largest { share } else { largest });
        let value = |share: f64, limit: u32| {
            // To the 256th power: 1 % of slack leaves a twelfth of the value.
            let power = (0..8).fold(share / largest, |power, _| power * power);
            // A cast from float to integer saturates, and turns NaN into 0.
            (power * FULL_VALUE / f64::from(limit)) as u64
        };
        Self {
            sizes: counts.entries(),
            rows: core::array::from_fn(|k| value(shares[k], limits[k])),
            graph: value(graphs, most),
        }
    }

    /// Returns the value of a number of graphs with rows of `size` in all; `size` and `graphs` are within the limits.
    fn of(&self, size: &[u32; K], graphs: u32) -> u64 {
        let rows = size.iter().zip(&self.rows).map(|(&rows, value)| u64::from(rows) * value);
        rows.sum::<u64>() + u64::from(graphs) * self.graph
    }

    /// The size with a number.
    fn size(&self, number: u32) -> &'a [u32; K] {
        &self.sizes[number as usize].0
    }

    /// Returns the value of the room that a pack has left.
    fn slack(&self, contents: &[(u32, u32)], limits: &FixedLimits<K>) -> u64 {
        let held = contents.iter().map(|&(number, times)| self.of(self.size(number), 1) * u64::from(times));
        self.of(&limits.size, limits.graphs) - held.sum::<u64>()
    }
}
