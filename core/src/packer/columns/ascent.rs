//! [`Ascent`]: prices with a good bound before the first linear program, by a deflected subgradient.
//!
//! At any prices, pricing finds a pack for each size that is the dearest of it. Used as often as there are graphs of that
//! size, these packs hold too many graphs of some sizes, whose prices fall, and too few of others, whose prices rise.

use super::pricing::{Found, UNIT};
use super::program::Program;
use crate::packer::Effort;
use alloc::vec::Vec;

/// Steps, and the number of the first ones, whose packs are not kept.
const STEPS: u32 = 60;
const EARLY: u32 = 40;

/// The part of the way to the bound that is hoped for which a step goes at first, and what is left of that after
/// [`IDLE`] steps that improve nothing.
const REACH: f64 = 0.3;
const LESS: f64 = 0.6;
const IDLE: u32 = 3;

/// Weight of the last step's direction in the next.
const DEFLECTION: f64 = 0.3;

/// Prices that are being improved.
pub(super) struct Ascent {
    prices: Vec<f64>,
    direction: Vec<f64>,
    reach: f64,
    /// The best bound so far and its prices.
    best: (f64, Vec<f64>),
    idle: u32,
    steps: u32,
}

impl Ascent {
    /// Begins with the mean of the shares of the limits that a graph fills, or with the prices of the sums.
    pub(super) fn new<const K: usize>(program: &Program<K>) -> Self {
        let limits = program.limits();
        let share = |size: &[u32; K]| (0..K).fold(0.0, |sum, k| sum + f64::from(size[k]) / f64::from(limits.size[k]));
        let fill = |(size, _): &([u32; K], u64)| f64::max(share(size) / K as f64, 1.0 / f64::from(limits.graphs));
        let means: Vec<f64> = program.counts().entries().iter().map(fill).collect();
        let worth =
            |prices: &[f64]| prices.iter().zip(program.left()).fold(0.0, |sum, (p, &left)| sum + p * left as f64);
        let sums = &program.state.center;
        let prices = if worth(sums) > worth(&means) { sums.clone() } else { means };
        let best = (f64::NEG_INFINITY, prices.clone());
        Self { direction: alloc::vec![0.0; prices.len()], prices, reach: REACH, best, idle: 0, steps: 0 }
    }

    /// Goes one step, where a plan has `packs` packs. Says whether it was the last one. None if the effort is spent.
    pub(super) fn step<const K: usize>(
        &mut self,
        program: &mut Program<K>,
        packs: u64,
        effort: &mut Effort,
    ) -> Option<bool> {
        let found = program.price(&self.prices, true, effort)?;
        let lacking = self.lacking(program.left(), &found, packs);
        // The bound where each pack is worth one and what is above: that is the function whose subgradient is known.
        let all = self.prices.iter().zip(program.left()).fold(0.0, |sum, (price, &left)| sum + price * left as f64);
        let bound = found.most.iter().fold(all, |sum, (most, left)| sum - (most / UNIT - 1.0) * *left as f64);
        if bound > self.best.0 {
            self.idle = 0;
            self.best = (bound, self.prices.clone());
        } else {
            self.idle += 1;
            if self.idle == IDLE {
                self.reach *= LESS;
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
        let can_move = |price: f64, way: f64| price > 0.0 || way > 0.0;
        let moves = self.prices.iter().zip(&self.direction).filter(|(price, way)| can_move(**price, **way));
        let norm = moves.fold(1e-9, |sum, (_, way)| sum + way * way);
        let step = self.reach * f64::max(1.0, packs as f64 - bound) / norm;
        for (price, way) in self.prices.iter_mut().zip(&self.direction) {
            *price = f64::max(*price + step * way, 0.0);
        }
        self.steps += 1;
        Some(self.steps == STEPS || program.state.proven >= packs)
    }

    /// The graphs of each size that are missing in the packs found, each used as often as there are graphs of its dearest
    /// size, `packs` in all.
    fn lacking(&self, left: &[u64], found: &Found, packs: u64) -> Vec<f64> {
        let mut lacking: Vec<f64> = left.iter().map(|&left| left as f64).collect();
        let mut unused = packs;
        for (_, pack) in &found.packs {
            let dearest = pack.iter().fold(None, |dearest: Option<usize>, &(at, _)| match dearest {
                Some(best) if self.prices[best] >= self.prices[at as usize] => Some(best),
                _ => Some(at as usize),
            });
            let times = dearest.map_or(0, |dearest| left[dearest].min(unused));
            unused -= times;
            for &(at, graphs) in pack {
                lacking[at as usize] -= times as f64 * f64::from(graphs);
            }
        }
        lacking
    }
}
