//! [`Spread`]: how many padding rows a set needs, so that no padding node has a higher degree than real nodes, and
//! likewise for every index.

use super::Sizes;
use crate::layout::{Level, MAX_SETS, Schema, Shape, Size};
use crate::options::{Limits, Padding};
use graphpack_core::LeastPadding;

/// Prices that [`Spread::of_any`] tries for a row of a set.
const PRICES: i128 = 64;

/// How many entries of each index a padding row may have, and so how many padding rows the target sets need.
///
/// In a graph with t rows of a set and l entries of an index into it, some row has ceil(l / t) entries or more. The
/// most of that over all graphs is thus at most what a row of the data has. Of a batch with f and g real ones, in a
/// shape of T and L, L - g padding entries have T - f rows: `most f - g <= most T - L` says that these are enough. A
/// batch takes the left side, a shape has room for the right side.
pub(crate) struct Spread {
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

impl Pair {
    /// What rows of `shape` count for: entries that may point to them, less those that do.
    fn balance(&self, rows: &Shape) -> i128 {
        self.most * rows.rows(self.to) as i128 - rows.rows(self.from) as i128
    }

    /// The weight that each set has in a balance; `None` if graphs count.
    fn weights(&self) -> Option<[i64; MAX_SETS]> {
        let Level::Set(from) = self.from else { return None };
        let mut weights = [0; MAX_SETS];
        if let Level::Set(to) = self.to {
            weights[usize::from(to)] += i64::try_from(self.most).unwrap_or(i64::MAX);
        }
        weights[usize::from(from)] -= 1;
        Some(weights)
    }
}

impl Spread {
    /// Returns what padding needs for graphs of these sizes.
    pub(super) fn new(schema: &Schema, sizes: &Sizes, padding: Padding) -> Self {
        let mut pairs: Vec<Pair> = Vec::new();
        let group = padding.group();
        for index in schema.indices().iter().filter(|_| padding.is_spread()) {
            for to in index.targets.iter().map(|&set| Level::Set(set)) {
                let entries = |size: &Size| {
                    let graph = Shape::default().with_graph(size);
                    graph.rows(index.level).div_ceil(graph.rows(to).max(1))
                };
                let most = sizes.distinct().iter().map(entries).fold(1, usize::max) as i128;
                let pair = Pair { from: index.level, to, most };
                if !pairs.contains(&pair) {
                    pairs.push(pair);
                }
            }
        }
        // Groups of rows come to no end in a circle of indices that have one entry per row.
        let circular = |pair: &Pair| leads(&pairs, pair.to, pair.from);
        let circular: Vec<bool> = pairs.iter().map(circular).collect();
        for (pair, _) in pairs.iter_mut().zip(circular).filter(|(_, circular)| *circular) {
            pair.most = pair.most.max(group.min(2) as i128);
        }
        Self { least: padding.least(schema), spare: group as i128 - 1, pairs }
    }

    /// Returns the same for entries that may all point to one row.
    pub(super) fn to_one(least: LeastPadding) -> Self {
        Self { least, spare: 0, pairs: Vec::new() }
    }

    /// What every batch keeps free.
    pub(crate) fn least(&self) -> &LeastPadding {
        &self.least
    }

    /// Number of pairs: of indices that are spread.
    pub(super) fn pairs(&self) -> usize {
        self.pairs.len()
    }

    /// The weight that each set has in what a batch takes of a pair; `None` if the index is one of graphs.
    pub(super) fn weights(&self, pair: usize) -> Option<[i64; MAX_SETS]> {
        self.pairs[pair].weights()
    }

    /// What a batch with these real rows takes of a pair.
    pub(super) fn taken(&self, pair: usize, real: &Shape) -> i128 {
        self.pairs[pair].balance(real)
    }

    /// What batches may take of a pair in `shape`.
    pub(super) fn room(&self, pair: usize, shape: &Shape) -> i128 {
        let pair = &self.pairs[pair];
        pair.balance(shape) - pair.most * self.spare
    }

    /// Whether these real rows and their padding fit into `shape`.
    pub(crate) fn fits(&self, real: &Shape, shape: &Shape) -> bool {
        let spread = |pair: usize| self.pairs[pair].balance(real) <= self.room(pair, shape);
        real.fits_padded(&self.least, shape) && (0..self.pairs.len()).all(spread)
    }

    /// Returns `rows`, rounded up, with more rows of the sets that indices point into, rounded up, too, until there is
    /// room for batches that take `taken` of each pair. If none is found, returns `rows` rounded up: entries of padding
    /// rows are then as few as these allow. `None` if numbers of that overflow.
    pub(super) fn grow(
        &self,
        rows: Shape,
        rounded: impl Fn(&Shape) -> Option<Shape>,
        taken: impl Fn(usize) -> i128,
    ) -> Option<Shape> {
        // More rows of one set are more entries for another. In a circle of sets, each round adds half as many as the
        // one before, or fewer, unless they are rounded up: of powers of two, for example, none may do.
        let least = rounded(&rows)?;
        let mut shape = least;
        for _ in 0..u64::BITS {
            let Some(needed) = self.needed(&shape, &taken) else { break };
            if needed == shape {
                return Some(shape);
            }
            let Some(larger) = rounded(&needed) else { break };
            shape = larger;
        }
        Some(least)
    }

    /// Returns `shape` with the rows that each set lacks as long as the others have no more.
    pub(super) fn needed(&self, shape: &Shape, taken: impl Fn(usize) -> i128) -> Option<Shape> {
        let mut needed = *shape;
        for (number, pair) in self.pairs.iter().enumerate() {
            let lacking = taken(number) - self.room(number, shape);
            if let (1.., Level::Set(to)) = (lacking, pair.to) {
                let more = usize::try_from((lacking + pair.most - 1) / pair.most).ok()?;
                needed = needed.at_least(to.into(), shape.rows(pair.to).checked_add(more)?);
            }
        }
        Some(needed)
    }

    /// Returns `shape` with the rows that batches need which take `taken` of each pair.
    pub(super) fn grown(&self, shape: &Shape, taken: impl Fn(usize) -> i128) -> Option<Shape> {
        self.grow(*shape, |shape| Some(*shape), taken)
    }

    /// Returns what batches of `packs` packs take of a pair at most, whichever graphs they have: `counts` of each size,
    /// with the limits of a pack. An empty batch takes nothing.
    ///
    /// No batch takes more than the price of all rows of the set that it has room for, and of its graphs what each
    /// takes beyond the price of its own rows. That holds at any price, so that the lowest sum counts.
    pub(super) fn of_any(&self, pair: usize, limits: &Limits, packs: usize, counts: &[(Size, u64)]) -> i128 {
        let pair = &self.pairs[pair];
        let rows = Shape::default().with_graph(&limits.size).rows(pair.to) as i128 * packs as i128;
        let graphs = u64::from(limits.graphs).saturating_mul(packs as u64);
        let at = |price: i128| {
            let mut beyond: Vec<(i128, u64)> = Vec::new();
            for (size, count) in counts {
                let graph = Shape::default().with_graph(size);
                let own = graph.rows(pair.to) as i128 * pair.most * price;
                beyond.push((pair.balance(&graph) * PRICES - own, *count));
            }
            beyond.sort_unstable_by(|(one, _), (other, _)| other.cmp(one));
            let (mut sum, mut left) = (rows * pair.most * price, graphs);
            for (more, count) in beyond.into_iter().take_while(|(more, _)| *more > 0) {
                let times = count.min(left);
                sum += more * i128::from(times);
                left -= times;
            }
            sum
        };
        // The sum first falls with the price, then rises.
        let (mut low, mut high) = (0, PRICES);
        while low < high {
            let middle = (low + high) / 2;
            if at(middle) <= at(middle + 1) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        at(low) / PRICES
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
