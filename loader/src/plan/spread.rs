//! [`Spread`]: the padding rows of batches. What every batch keeps free, how many rows shapes need so that no padding
//! node has a higher degree than nodes of the data, and likewise for every index, and which packs have room for them.

use super::Sizes;
use crate::layout::{Level, Schema, Shape, Size};
use crate::options::Padding;
use graphpack_core::LeastPadding;

/// Prices of a row that [`Spread`] bounds batches by where no plan says which graphs share one. Limits of rows alone,
/// or of graphs alone, would bound them by 1.4 % more rows of a shape on average, and up to 5 %.
const PRICES: i128 = 64;

/// Says whether a pack of these rows has room for its padding.
pub(crate) type FitsPack = Box<dyn Fn(&Size) -> bool + Send + Sync>;

/// How many entries of each index a padding row may have, and so how many padding rows the target sets need.
///
/// In a graph with t rows of a set and l entries of an index into it, some row has ceil(l / t) entries or more. The
/// most of that over all graphs is thus at most what a row of the data has. Of a batch with f and g real ones, in a
/// shape of T and L, L - g padding entries have T - f rows: `most f - g <= most T - L` says that these are enough. A
/// batch takes the left side, a shape has room for the right side.
pub(crate) struct Spread {
    padding: Padding,
    /// What every batch keeps free, however few entries it has.
    least: LeastPadding,
    /// Padding rows of a set that may have no entries: they are taken in groups.
    spare: i128,
    pairs: Vec<Pair>,
}

/// An index, or all indices, of one level into one set.
#[derive(Clone, Copy, PartialEq)]
struct Pair {
    from: Level,
    to: Level,
    /// The most entries of a padding row.
    most: i128,
}

/// The batches that may have a shape.
pub(super) struct Batches {
    /// The most rows of each set, and graphs.
    pub(super) most: Shape,
    /// How many graphs of each size may be in one.
    pub(super) counts: Vec<(Size, u64)>,
    /// The rows of each pack, if a plan has them.
    pub(super) planned: Option<Vec<Size>>,
    /// Number of packs of each.
    pub(super) packs: usize,
}

impl Spread {
    /// Returns what padding needs for graphs of these sizes.
    pub(super) fn new(schema: &Schema, sizes: &Sizes, padding: Padding) -> Self {
        let mut pairs: Vec<Pair> = Vec::new();
        let group = padding.group();
        for index in schema.indices().iter().filter(|_| padding.is_spread()) {
            for to in index.targets.iter().map(|&set| Level::Set(set)) {
                let entries = |size: &Size| rows(size, index.level).div_ceil(rows(size, to).max(1));
                let most = sizes.distinct().iter().map(entries).fold(1, usize::max) as i128;
                let pair = Pair { from: index.level, to, most };
                if !pairs.contains(&pair) {
                    pairs.push(pair);
                }
            }
        }
        // Indices may lead in a circle: each edge, for example, has one entry that points to another edge. More padding
        // edges are then as many more entries, and rows that a group of two or three leaves without one never get any:
        // no number of rows is enough. With two entries per row, some number is.
        let circular = |pair: &Pair| leads(&pairs, pair.to, pair.from);
        let circular: Vec<bool> = pairs.iter().map(circular).collect();
        for (pair, _) in pairs.iter_mut().zip(circular).filter(|(_, circular)| *circular) {
            pair.most = pair.most.max(group.min(2) as i128);
        }
        Self { padding, least: schema.least_padding(padding), spare: group as i128 - 1, pairs }
    }

    /// Returns the same for entries that may all point to one row.
    pub(super) fn to_one(padding: Padding, least: LeastPadding) -> Self {
        Self { padding, least, spare: 0, pairs: Vec::new() }
    }

    /// Which rows padding entries point to.
    pub(crate) fn padding(&self) -> Padding {
        self.padding
    }

    /// What every batch keeps free.
    pub(crate) fn least(&self) -> &LeastPadding {
        &self.least
    }

    /// Returns what batches of these real rows take of each pair at most.
    pub(super) fn taken(&self, real: &[Shape]) -> Vec<i128> {
        let most = |pair: &Pair| real.iter().map(|real| pair.balance(|level| real.rows(level))).fold(0, i128::max);
        self.pairs.iter().map(most).collect()
    }

    /// Returns what `batches` take of each pair at most.
    pub(super) fn taken_by(&self, batches: &Batches) -> Vec<i128> {
        self.pairs.iter().map(|pair| pair.taken_by(batches)).collect()
    }

    /// Returns what batches may take of each pair in `shape`.
    pub(super) fn room(&self, shape: &Shape) -> Vec<i128> {
        let room = |pair: &Pair| pair.balance(|level| shape.rows(level)) - pair.most * self.spare;
        self.pairs.iter().map(room).collect()
    }

    /// Whether these real rows and their padding fit into `shape`.
    pub(crate) fn fits(&self, real: &Shape, shape: &Shape) -> bool {
        let mut spread = self.taken(&[*real]).into_iter().zip(self.room(shape));
        real.fits_padded(&self.least, shape) && spread.all(|(taken, room)| taken <= room)
    }

    /// Returns what says whether a pack of these rows takes its share, of `packs` packs, of what batches may take of
    /// each pair; `None` if all packs do.
    pub(super) fn fits_pack(&self, room: &[i128], packs: usize) -> Option<FitsPack> {
        let pairs = self.pairs.iter().zip(room).filter(|(pair, _)| pair.from != Level::Graph);
        let pairs: Vec<(Pair, i128)> = pairs.map(|(pair, room)| (*pair, room / packs as i128)).collect();
        if pairs.is_empty() {
            return None;
        }
        Some(Box::new(move |pack| pairs.iter().all(|(pair, room)| pair.balance(|level| rows(pack, level)) <= *room)))
    }

    /// Returns `rows`, rounded up, with more rows of the sets that indices point into, rounded up, too, until there is
    /// room for batches that take `taken` of each pair. If none is found, returns `rows` rounded up: entries of padding
    /// rows are then as few as these allow. `None` if numbers of that overflow.
    pub(super) fn grow(&self, rows: Shape, rounded: impl Fn(&Shape) -> Option<Shape>, taken: &[i128]) -> Option<Shape> {
        // More rows of one set are more entries for another. In a circle of sets, each round adds half as many as the
        // one before, or fewer, unless they are rounded up: of powers of two, for example, none may do.
        let least = rounded(&rows)?;
        let mut shape = least;
        for _ in 0..u64::BITS {
            let Some(larger) = self.needed(&shape, taken).and_then(|needed| rounded(&needed)) else { break };
            if larger == shape {
                return Some(shape);
            }
            shape = larger;
        }
        Some(least)
    }

    /// Returns `shape` with the rows that each set lacks as long as the others have no more.
    fn needed(&self, shape: &Shape, taken: &[i128]) -> Option<Shape> {
        let mut needed = *shape;
        for ((pair, room), taken) in self.pairs.iter().zip(self.room(shape)).zip(taken) {
            if let (1.., Level::Set(to)) = (taken - room, pair.to) {
                let more = usize::try_from((taken - room + pair.most - 1) / pair.most).ok()?;
                needed = needed.at_least(to.into(), shape.rows(pair.to).checked_add(more)?);
            }
        }
        Some(needed)
    }

    /// Returns the rows of `shape` that `batches` keep free, so that there is room for their padding: those of a plan
    /// about, in proportion to what they take, and any surely. `None` if numbers overflow.
    pub(super) fn reserve(&self, batches: &Batches, shape: &Shape) -> Option<Size> {
        let mut reserve = self.least.size;
        for (pair, room) in self.pairs.iter().zip(self.room(shape)) {
            let (Level::Set(to), all) = (pair.to, shape.rows(pair.to)) else { continue };
            let left = pair.rows_within(batches, room).clamp(0, all as i128);
            let free = u32::try_from(all as i128 - left).ok()?;
            reserve.set(to.into(), reserve[to.into()].max(free));
        }
        Some(reserve)
    }
}

impl Pair {
    /// What rows count for: entries that may point to them, less those that do.
    fn balance(&self, rows: impl Fn(Level) -> usize) -> i128 {
        self.most * rows(self.to) as i128 - rows(self.from) as i128
    }

    /// Returns what `batches` take at most if a plan says so: not of how many graphs packs have. An empty batch takes
    /// nothing.
    fn taken_by_plan(&self, batches: &Batches) -> Option<i128> {
        let planned = batches.planned.as_ref().filter(|_| self.from != Level::Graph)?;
        let taken = planned.iter().map(|pack| self.balance(|level| rows(pack, level)));
        Some(taken.fold(0, i128::max) * batches.packs as i128)
    }

    /// Returns what `batches` take at most.
    fn taken_by(&self, batches: &Batches) -> i128 {
        if let Some(taken) = self.taken_by_plan(batches) {
            return taken;
        }
        let most = batches.most.rows(self.to) as i128;
        let bounds = self.bounds(batches).map(|(price, beyond)| most * price + beyond);
        bounds.fold(i128::MAX, i128::min) / PRICES
    }

    /// Returns how many rows `batches` may have so that they take no more than `room`.
    fn rows_within(&self, batches: &Batches, room: i128) -> i128 {
        if let Some(taken) = self.taken_by_plan(batches) {
            let most = batches.most.rows(self.to) as i128;
            // A 64th fewer leaves packs room to deal graphs to each other: without, 8 of 72 given shapes took 18 to 150
            // % more batches.
            return if taken <= room { i128::MAX } else { most * room / taken.max(1) - most / 64 };
        }
        let left = |(price, beyond): (i128, i128)| match room * PRICES - beyond {
            left @ 0.. => left.checked_div(price).unwrap_or(i128::MAX),
            _ => 0,
        };
        self.bounds(batches).map(left).fold(0, i128::max)
    }

    /// Returns bounds on what any of `batches` takes, in shares of 1 / [`PRICES`]: a price for each row that it has of
    /// the set, and what its graphs take, at most, beyond the price of their own rows. That holds at any price.
    fn bounds(&self, batches: &Batches) -> impl Iterator<Item = (i128, i128)> {
        (0..=PRICES).map(|price| {
            let price = price * self.most;
            let beyond = |(size, count): &(Size, u64)| {
                let more = self.balance(|level| rows(size, level)) * PRICES - rows(size, self.to) as i128 * price;
                (more, *count)
            };
            let mut beyond: Vec<(i128, u64)> =
                batches.counts.iter().map(beyond).filter(|(more, _)| *more > 0).collect();
            beyond.sort_unstable_by(|(one, _), (other, _)| other.cmp(one));
            let (mut sum, mut left) = (0, batches.most.graphs() as u64);
            for (more, count) in beyond {
                let times = count.min(left);
                sum += more * i128::from(times);
                left -= times;
            }
            (price, sum)
        })
    }
}

/// The rows of a graph, or of a pack: one of the graph itself.
fn rows(size: &Size, level: Level) -> usize {
    match level {
        Level::Set(set) => size[set.into()] as usize,
        Level::Graph => 1,
    }
}

/// Whether indices lead from rows of one level to those of another, or the levels are the same.
fn leads(pairs: &[Pair], from: Level, to: Level) -> bool {
    let (mut reached, mut next) = (vec![from], 0);
    while let Some(&level) = reached.get(next) {
        for pair in pairs {
            if pair.from == level && !reached.contains(&pair.to) {
                reached.push(pair.to);
            }
        }
        next += 1;
    }
    reached.contains(&to)
}
