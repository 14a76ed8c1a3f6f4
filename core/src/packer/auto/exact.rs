//! [`Exact`]: tries all ways to divide a few graphs among packs.
//!
//! Bin completion (Fukunaga and Korf 2007): the largest graph left goes into the next pack with
//! every set of others that leaves no room for one more graph. Packs with room for one more are no better, because that
//! graph may as well be taken out of a later pack.

use crate::lanes::Lanes;
use crate::packer::Budget;
use crate::packer::problem::{Counts, Packs, totals};
use crate::{FixedLimits, bound};
use alloc::vec::Vec;

/// The search for a plan with a given number of packs.
pub(super) struct Exact<'a, const K: usize> {
    limits: &'a FixedLimits<K>,
    /// Sizes and the graphs that are left of each, the largest first.
    left: Vec<([u32; K], u64)>,
    /// The numbers of these sizes in packs.
    numbers: Vec<u32>,
    /// Graphs in the order in which they were put into packs, each with whether it begins a pack.
    placed: Vec<(usize, bool)>,
    budget: &'a mut Budget,
}

impl<'a, const K: usize> Exact<'a, K> {
    /// A plan with at most `packs` packs, or an empty one if there is none; None if `budget` runs out before that is
    /// known. The depth of the search is the number of graphs.
    pub(super) fn plan(
        histogram: &Counts<K>,
        limits: &'a FixedLimits<K>,
        packs: u64,
        budget: &'a mut Budget,
    ) -> Option<Packs> {
        let entries = histogram.entries().iter().zip(histogram.numbers());
        let mut sorted: Vec<_> = entries.map(|(&entry, &number)| (entry, number)).collect();
        // The largest share of a limit, compared without division.
        let share = |size: &[u32; K]| (0..K).map(|k| (u64::from(size[k]) << 32) / u64::from(limits.size[k])).max();
        sorted.sort_by_key(|((size, _), _)| core::cmp::Reverse((share(size), *size)));
        let (left, numbers) = sorted.into_iter().unzip();
        let mut search = Self { limits, left, numbers, placed: Vec::new(), budget };
        let found = search.next_pack(packs)?;
        let mut plan = Packs::default();
        if found {
            for pack in search.placed.chunk_by(|_, next| !next.1) {
                plan.push(pack.iter().map(|&(item, _)| (search.numbers[item], 1)), 1);
            }
        }
        Some(plan)
    }

    /// Whether the graphs left fit into `packs` packs, which are then `placed`. None if the budget ran out.
    fn next_pack(&mut self, packs: u64) -> Option<bool> {
        let Some(first) = self.left.iter().position(|(_, left)| *left > 0) else { return Some(true) };
        let graphs = self.left.iter().map(|(_, left)| left).sum();
        if bound::simple_of(&totals(self.left.iter().copied()), graphs, &self.limits.size, self.limits.graphs) > packs {
            return Some(false);
        }
        self.put(first, true, &self.limits.size, self.limits.graphs, packs)
    }

    /// Puts a graph into the pack, and tries all ways to go on. Takes it out again if none leads to a plan.
    fn put(&mut self, item: usize, begins: bool, room: &[u32; K], graphs: u32, packs: u64) -> Option<bool> {
        self.left[item].1 -= 1;
        self.placed.push((item, begins));
        let found = self.fill(item, &room.less(&self.left[item].0, 1), graphs - 1, packs);
        if found != Some(true) {
            self.placed.pop();
            self.left[item].1 += 1;
        }
        found
    }

    /// Goes on with the pack by sizes from `from` on; once nothing more fits, with the next pack.
    fn fill(&mut self, from: usize, room: &[u32; K], graphs: u32, packs: u64) -> Option<bool> {
        if !self.budget.spend(16 * self.left.len() as u64) {
            return None;
        }
        let mut full = true;
        for item in 0..self.left.len() {
            let (size, left) = self.left[item];
            if left > 0 && graphs > 0 && size.fits(room) {
                full = false;
                if item >= from && self.put(item, false, room, graphs, packs)? {
                    return Some(true);
                }
            }
        }
        if full { self.next_pack(packs - 1) } else { Some(false) }
    }
}
