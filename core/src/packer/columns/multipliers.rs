//! [`Multipliers`]: what graphs can be worth at most in a room, from a price for each row of each component.

use crate::FixedLimits;

/// Most components, with the number of graphs.
const COMPONENTS: usize = crate::MAX_SETS + 1;

/// Pivots after which multipliers are taken as they are: any are valid, the best give the lowest bound.
const MOST_PIVOTS: usize = 100;

/// A number that covers what sums of products lose by rounding.
const SAFE: f64 = 1.0 + 1e-12;

/// Multipliers at which no graph is worth more than its rows: then no pack is worth more than the rows that it has.
///
/// They are the prices of the linear program of one pack that may hold fractions of graphs, and are raised until that
/// is true of all graphs, so that rounding cannot make them wrong.
pub(super) struct Multipliers<const K: usize> {
    rows: [f64; K],
    graph: f64,
}

impl<const K: usize> Multipliers<K> {
    /// The least for a whole pack. `items` are sizes with prices.
    pub(super) fn new(items: &[([u32; K], f64)], limits: &FixedLimits<K>) -> Self {
        let rows = K + 1;
        let most = |row: usize| limits.size.get(row).map_or(f64::from(limits.graphs), |&limit| f64::from(limit));
        let mut used: [f64; COMPONENTS] = core::array::from_fn(|row| if row < rows { most(row) } else { 0.0 });
        let mut inverse = [[0.0; COMPONENTS]; COMPONENTS];
        (0..rows).for_each(|row| inverse[row][row] = 1.0);
        // The price of each column of the basis; at first rows that are left free.
        let mut prices = [0.0; COMPONENTS];
        let mut this = Self { rows: [0.0; K], graph: 0.0 };
        let noise = 1e-9 * items.iter().fold(0.0, |most, &(_, price)| f64::max(most, price));
        for _ in 0..MOST_PIVOTS {
            let worth = |row: usize| (0..rows).fold(0.0, |sum, at| sum + prices[at] * inverse[at][row]);
            this.rows = core::array::from_fn(worth);
            this.graph = worth(K);
            // What gains most enters: rows that are left free, or an item.
            let mut entering = None;
            let mut gain = noise;
            for row in 0..rows {
                let free = -this.get(row);
                if free > gain {
                    (entering, gain) = (Some((row, None)), free);
                }
            }
            for (number, (size, price)) in items.iter().enumerate() {
                let more = price - this.of(size, 1);
                if more > gain {
                    (entering, gain) = (Some((0, Some(number))), more);
                }
            }
            let Some((free, item)) = entering else { break };
            let column: [f64; COMPONENTS] = core::array::from_fn(|row| match item {
                Some(item) if row < K => f64::from(items[item].0[row]),
                Some(_) => 1.0,
                None => f64::from(u8::from(row == free)),
            });
            let mut direction = [0.0; COMPONENTS];
            for (at, slope) in direction.iter_mut().enumerate().take(rows) {
                *slope = (0..rows).fold(0.0, |sum, row| sum + inverse[at][row] * column[row]);
            }
            // The first of the basis whose use falls to 0 leaves.
            let mut leaving = None;
            let mut least = f64::INFINITY;
            for at in 0..rows {
                if direction[at] > 1e-9 && used[at] / direction[at] < least {
                    (leaving, least) = (Some(at), used[at] / direction[at]);
                }
            }
            let Some(leaving) = leaving else { break };
            for at in (0..rows).filter(|&at| at != leaving) {
                used[at] -= least * direction[at];
            }
            used[leaving] = least;
            inverse[leaving].iter_mut().for_each(|entry| *entry /= direction[leaving]);
            let pivot = inverse[leaving];
            for at in (0..rows).filter(|&at| at != leaving && direction[at] != 0.0) {
                inverse[at].iter_mut().zip(&pivot).for_each(|(entry, pivot)| *entry -= direction[at] * pivot);
            }
            prices[leaving] = item.map_or(0.0, |item| items[item].1);
        }
        // Whatever rounding did, or pivots that were not made: no graph is worth more than its rows after this.
        this.rows.iter_mut().for_each(|row| *row = row.max(0.0));
        this.graph = this.graph.max(0.0);
        let lacking = items.iter().fold(0.0, |most, (size, price)| f64::max(most, price - this.of(size, 1)));
        this.graph += lacking * SAFE;
        this
    }

    fn get(&self, row: usize) -> f64 {
        self.rows.get(row).copied().unwrap_or(self.graph)
    }

    /// Returns the sum of the multipliers of these rows and graphs.
    #[inline]
    fn of(&self, rows: &[u32; K], graphs: u32) -> f64 {
        let mut sum = self.graph * f64::from(graphs);
        for (each, &rows) in self.rows.iter().zip(rows) {
            sum += each * f64::from(rows);
        }
        sum
    }

    /// Returns by how much the multipliers of a graph exceed its price: what a pack with it is worth less than its
    /// room.
    pub(super) fn loss(&self, size: &[u32; K], price: f64) -> f64 {
        f64::max(self.of(size, 1) - price, 0.0)
    }

    /// The most that `graphs` can be worth in a room.
    #[inline]
    pub(super) fn most(&self, room: &[u32; K], graphs: u32) -> f64 {
        self.of(room, graphs) * SAFE
    }
}
