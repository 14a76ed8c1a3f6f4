//! [`Recomposer`]: packs that are alike, composed again for each epoch.

use super::Composition;
use super::kinds::Kinds;
use super::pool::{Pool, weighted};
use crate::{Plan, Size};
use alloc::vec::Vec;
use core::iter::repeat_n;
use hashbrown::HashMap;

/// Rounds that make the packs of a plan alike.
const ROUNDS_TO_LEVEL: usize = 12;

/// Rounds that compose level packs again: packs meet in groups of 2^6.
const ROUNDS: usize = 6;

/// The packs of a plan made alike: each is a small likeness of all graphs, as far as the limits leave room for it. For
/// each epoch it composes them again; their number stays the same.
///
/// A pack that is made of the graphs that others left over teaches less than a random sample. Packs that are alike
/// teach more: on QM9 the mean energy of a pack varies a twentieth as much as that of random graphs. Takes integers
/// only, and 50 to 200 ns per graph and epoch.
///
/// ```
/// use graphpack_core::{Heuristic, Histogram, Limits, Packer, Recomposer, Size};
///
/// // Best-fit makes packs of two large graphs and packs of four small ones.
/// let histogram = Histogram::from_counts([(Size([20]), 8), (Size([10]), 16)])?;
/// let plan = Packer::BestFit(Heuristic::Product).pack(&histogram, &Limits::new([40]))?;
/// let recomposer = Recomposer::new(&plan).expect("fewer than 2^32 graphs");
///
/// let packs = recomposer.recompose(&mut |order| order.reverse()); // a random shuffle, in earnest
/// assert_eq!(packs.packs() as u64, plan.packs());
/// for pack in packs.iter() {
///     let sizes: Vec<_> = pack.iter().map(|&graph| recomposer.sizes()[graph as usize].0[0]).collect();
///     assert_eq!(sizes, [10, 10, 20]);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Recomposer<const K: usize> {
    kinds: Kinds<K>,
    /// The packs of the plan, made alike.
    levelled: Composition,
}

impl<const K: usize> Recomposer<K> {
    /// Makes the packs of `plan` alike; `None` if they have more than 2^32 - 1 graphs.
    pub fn new(plan: &Plan<K>) -> Option<Self> {
        u32::try_from(plan.graphs()).ok()?;
        let kinds = Kinds::new(plan);
        let position: HashMap<Size<K>, u32> = kinds.sizes().iter().copied().zip(0..).collect();
        let mut packs = Composition::default();
        for pack in plan.iter() {
            let sizes = pack.contents.iter();
            let mut graphs: Vec<u32> =
                sizes.flat_map(|(size, times)| repeat_n(position[size], *times as usize)).collect();
            graphs.sort_unstable();
            (0..pack.repeat).for_each(|_| packs.push(graphs.iter().copied()));
        }
        // Brings packs together that are far apart in the plan, where equal packs are neighbours.
        let mut order: Vec<u32> = (0..packs.packs() as u32).collect();
        order.sort_unstable_by_key(|pack| pack.reverse_bits());
        let levelled = deal(&kinds, &[], packs.reorder(&order), ROUNDS_TO_LEVEL);
        Some(Self { kinds, levelled })
    }

    /// The distinct sizes, in the order that a [`Composition`] numbers them in.
    pub fn sizes(&self) -> &[Size<K>] {
        self.kinds.sizes()
    }

    /// Composes the packs again and puts them in random order. What meets follows from `shuffle` alone, which is called
    /// twice with a list of all packs.
    pub fn recompose(&self, shuffle: &mut dyn FnMut(&mut [u32])) -> Composition {
        self.recompose_within(&[], shuffle)
    }

    /// The most that a pack has of the sum of all components times `weights`, before packs are composed again.
    pub fn most(&self, weights: &[i64; K]) -> i128 {
        let sum = |pack: &[u32]| pack.iter().map(|&graph| weighted(weights, &self.kinds.size(graph))).sum();
        self.levelled.iter().map(sum).max().unwrap_or(0)
    }

    /// Composes the packs again as [`recompose`](Self::recompose) does, but such that they keep weighted sums of components,
    /// too: for each of `sums`, no pack has more of the sum of all components times the weights than its second number. That
    /// must be at least the [most](Self::most) of these weights, or else counts as that.
    ///
    /// Weighted sums keep ratios: with weights (3, -1), packs that have much less than three edges per node stay apart.
    ///
    /// ```
    /// use graphpack_core::{Heuristic, Histogram, Limits, Packer, Recomposer, Size};
    ///
    /// let histogram = Histogram::from_counts([(Size([10, 20]), 20), (Size([10, 22]), 20)])?;
    /// let plan = Packer::BestFit(Heuristic::Product).pack(&histogram, &Limits::new([40, 88]))?;
    /// let recomposer = Recomposer::new(&plan).expect("fewer than 2^32 graphs");
    /// let most = recomposer.most(&[3, -1]);
    /// for pack in recomposer.recompose_within(&[([3, -1], most)], &mut |order| order.reverse()).iter() {
    ///     let sizes = pack.iter().map(|&graph| recomposer.sizes()[graph as usize].0.map(i128::from));
    ///     assert!(sizes.map(|[nodes, edges]| 3 * nodes - edges).sum::<i128>() <= most);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn recompose_within(&self, sums: &[([i64; K], i128)], shuffle: &mut dyn FnMut(&mut [u32])) -> Composition {
        let sums: Vec<_> = sums.iter().map(|(weights, most)| (*weights, self.most(weights).max(*most))).collect();
        let mut order: Vec<u32> = (0..self.levelled.packs() as u32).collect();
        shuffle(&mut order);
        // Packs that have a graph of similar size come together: where packs hold two or three graphs and are full, there
        // is nothing else that they could exchange. Any of the graphs may be the one.
        let similar = |(place, &pack): (usize, &u32)| {
            let graphs = self.levelled.pack(pack as usize);
            (graphs[place % graphs.len()], pack)
        };
        let mut similar: Vec<(u32, u32)> = order.iter().enumerate().map(similar).collect();
        similar.sort_by_key(|&(graph, _)| graph);
        order.iter_mut().zip(similar).for_each(|(place, (_, pack))| *place = pack);
        let packs = deal(&self.kinds, &sums, self.levelled.reorder(&order), ROUNDS);
        order.iter_mut().zip(0..).for_each(|(place, pack)| *place = pack);
        shuffle(&mut order);
        packs.reorder(&order)
    }
}

/// Deals the graphs of every two neighbours to them again, in some rounds. The first packs of all pairs come before the
/// second packs of all pairs in the next round, so that each meets another.
fn deal<const K: usize>(
    kinds: &Kinds<K>,
    sums: &[([i64; K], i128)],
    mut packs: Composition,
    rounds: usize,
) -> Composition {
    let mut pool = Pool::default();
    let (mut firsts, mut seconds) = (packs.empty_like(), packs.empty_like());
    for _ in 0..rounds {
        firsts.clear();
        seconds.clear();
        // The pack that is left over has another place in the next round.
        if !packs.packs().is_multiple_of(2) {
            firsts.push(packs.pack(packs.packs() - 1).iter().copied());
        }
        for pair in 0..packs.packs() / 2 {
            let (a, b) = (packs.pack(2 * pair), packs.pack(2 * pair + 1));
            // Equal packs and single graphs have nothing to deal.
            if a == b || a.len() + b.len() == 2 {
                firsts.push(a.iter().copied());
                seconds.push(b.iter().copied());
            } else {
                pool.deal(kinds, sums, a, b);
                firsts.push(pool.pack(true));
                seconds.push(pool.pack(false));
            }
        }
        firsts.append(&seconds);
        core::mem::swap(&mut packs, &mut firsts);
    }
    packs
}
