//! [`Ascent`]: prices with a good bound before the first linear program, by a deflected subgradient.
//!
//! At any prices, pricing finds a pack for each size that is the dearest of it. Used as often as there are graphs of
//! that size, these packs hold too many graphs of some sizes, whose prices fall, and too few of others, whose prices
//! rise.

use super::pricing::{Found, UNIT};
use super::program::Program;
use crate::packer::Budget;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// Steps, and the number of the first ones, whose packs do not join the program: prices are still far off.
const MOST_ASCENT: u32 = 60;
const EARLY: u32 = 40;

/// A step goes this share of the way from the bound to the packs of the best plan. After [`IDLE`] steps that improve
/// nothing, the share is multiplied by [`REACH_LESS`].
const REACH: f64 = 0.15;
const REACH_LESS: f64 = 0.6;
const IDLE: u32 = 3;

/// Weight of a step's own direction; the rest is that of the steps before, so that prices do not swing.
const DEFLECTION: f64 = 0.3;

/// Weight of a step's packs in the mean use of packs, and the mean at which a pack is forgotten.
const WEIGHT: f64 = 0.15;
const NEGLIGIBLE: f64 = 0.01;

/// Prices that are being improved.
pub(super) struct Ascent {
    prices: Vec<f64>,
    direction: Vec<f64>,
    reach: f64,
    /// The best bound so far and its prices.
    best: (f64, Vec<f64>),
    idle: u32,
    pub(super) steps: u32,
    /// How often packs were used, in the mean over all steps, of which the last ones count most (the volume algorithm):
    /// nearly what a linear program would say.
    used: BTreeMap<Vec<(u32, i32)>, f64>,
}

impl Ascent {
    /// Begins with the prices that the program smooths towards.
    pub(super) fn new<const K: usize>(program: &Program<K>) -> Self {
        Self::at(program.state.center.clone(), BTreeMap::new())
    }

    fn at(prices: Vec<f64>, used: BTreeMap<Vec<(u32, i32)>, f64>) -> Self {
        let (direction, best) = (alloc::vec![0.0; prices.len()], (f64::NEG_INFINITY, prices.clone()));
        Self { prices, direction, reach: REACH, best, idle: 0, steps: 0, used }
    }

    /// Goes one step, where a plan has `packs` packs. Says whether it was the last one. None if the budget is spent.
    pub(super) fn step<const K: usize>(
        &mut self,
        program: &mut Program<K>,
        packs: u64,
        budget: &mut Budget,
    ) -> Option<bool> {
        let found = program.price(&self.prices, None, budget)?;
        let lacking = self.use_packs(&program.left, &found, packs);
        // The bound if packs that are worth more than one count as one and the excess is subtracted: `lacking` is the
        // subgradient of this function of the prices.
        let all = self.prices.iter().zip(&program.left).fold(0.0, |sum, (price, &left)| sum + price * left as f64);
        let bound = found.most.iter().fold(all, |sum, (most, left)| sum - (most / UNIT - 1.0) * *left as f64);
        if bound > self.best.0 {
            self.idle = 0;
            self.best = (bound, self.prices.clone());
        } else {
            self.idle += 1;
            if self.idle == IDLE {
                self.reach *= REACH_LESS;
                self.idle = 0;
                self.prices.clone_from(&self.best.1);
            }
        }
        if self.steps >= EARLY {
            for (_, pack) in found.packs {
                program.add(pack);
            }
        }
        let deflected = |(old, new): (&f64, f64)| if self.steps == 0 { new } else { old + DEFLECTION * (new - old) };
        self.direction = self.direction.iter().zip(lacking).map(deflected).collect();
        // A price of 0 cannot fall.
        let can_move = |price: f64, way: f64| price > 0.0 || way > 0.0;
        let moves = self.prices.iter().zip(&self.direction).filter(|(price, way)| can_move(**price, **way));
        let norm = moves.fold(1e-9, |sum, (_, way)| sum + way * way);
        let step = self.reach * f64::max(1.0, packs as f64 - bound) / norm;
        for (price, way) in self.prices.iter_mut().zip(&self.direction) {
            *price = f64::max(*price + step * way, 0.0);
        }
        self.steps += 1;
        Some(self.steps == MOST_ASCENT || program.state.proven >= packs)
    }

    /// Uses each pack as often as there are graphs of its dearest size, `packs` in all. Returns the graphs of each size
    /// that are missing in them.
    fn use_packs(&mut self, left: &[u64], found: &Found, packs: u64) -> Vec<f64> {
        let mut lacking: Vec<f64> = left.iter().map(|&left| left as f64).collect();
        let mut unused = packs;
        let weight = if self.used.is_empty() { 1.0 } else { WEIGHT };
        self.used.values_mut().for_each(|used| *used *= 1.0 - weight);
        self.used.retain(|_, used| *used > NEGLIGIBLE);
        for (_, pack) in &found.packs {
            let dearest = pack.iter().fold(None, |dearest: Option<usize>, &(at, _)| match dearest {
                Some(best) if self.prices[best] >= self.prices[at as usize] => Some(best),
                _ => Some(at as usize),
            });
            let times = dearest.map_or(0, |dearest| left[dearest].min(unused));
            unused -= times;
            if times > 0 {
                *self.used.entry(pack.clone()).or_default() += weight * times as f64;
            }
            for &(at, graphs) in pack {
                lacking[at as usize] -= times as f64 * f64::from(graphs);
            }
        }
        lacking
    }

    /// How often packs are used, in the mean, the most often used first.
    pub(super) fn used(&self) -> Vec<(f64, &[(u32, i32)])> {
        let mut used: Vec<_> = self.used.iter().map(|(pack, &used)| (used, pack.as_slice())).collect();
        used.sort_by(|a, b| b.0.total_cmp(&a.0));
        used
    }

    /// Returns an ascent for a `program` of what is left, with these prices and packs. `kept` has the position here of
    /// each size of `program`.
    pub(super) fn rest<const K: usize>(&self, program: &Program<K>, kept: &[u32]) -> Self {
        let prices: Vec<f64> = kept.iter().map(|&at| self.best.1[at as usize]).collect();
        let there = |&(at, times): &(u32, i32)| {
            let position = kept.binary_search(&at).ok()?;
            (program.left[position] >= u64::from(times.unsigned_abs())).then_some((position as u32, times))
        };
        let still =
            |(pack, &used): (&Vec<(u32, i32)>, &f64)| Some((pack.iter().map(there).collect::<Option<Vec<_>>>()?, used));
        Self::at(prices, self.used.iter().filter_map(still).collect())
    }
}
