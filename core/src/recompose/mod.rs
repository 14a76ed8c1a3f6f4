//! [`Recomposer`]: makes the packs of a plan alike, and other packs in each epoch.
//!
//! A packer fills packs one after the other, so that the last are made of what others left over; and with a plan alone
//! the same sizes share a pack in every epoch. Here packs deal their graphs to each other again, two packs at a time:
//!
//! 1. The graphs of both are sorted, and of every two neighbours each pack gets one: the larger goes to the pack that
//!    has been given less so far.
//! 2. If a pack then exceeds the limits, one or two pairs of neighbours change sides.
//! 3. If that does not help, both packs keep their graphs, and exchange neighbours as far as the limits allow.
//!
//! So packs always keep the limits, and their number stays the same. In a round every pack meets one other; what was
//! in one pack is spread over 2^r packs after r rounds, evenly for each size.

mod composition;
mod pool;

use crate::lanes::by_sets;
use crate::packer::Counts;
use crate::{MAX_SETS, Plan, Size};
use alloc::boxed::Box;
use alloc::vec::Vec;
pub use composition::Composition;
use core::fmt;
use core::iter::repeat_n;
use pool::{Kinds, Pool, weighted};

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
/// use graphpack_core::{Heuristic, Histogram, Limits, Packer, Recomposer};
///
/// // Best-fit makes packs of two large graphs and packs of four small ones.
/// let histogram = Histogram::from_counts([([20], 8), ([10], 16)])?;
/// let plan = Packer::BestFit(Heuristic::Product).pack(&histogram, &Limits::new([40]))?;
/// let recomposer = Recomposer::new(&plan).expect("fewer than 2^32 graphs");
///
/// let packs = recomposer.recompose(&mut |order| order.reverse()); // a random shuffle, in earnest
/// assert_eq!(packs.packs() as u64, plan.packs());
/// for pack in packs.iter() {
///     let sizes: Vec<_> = pack.iter().map(|&graph| recomposer.sizes()[graph as usize][0]).collect();
///     assert_eq!(sizes, [10, 10, 20]);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Recomposer {
    /// In the order of the kinds.
    sizes: Vec<Size>,
    kernel: Box<dyn Compose>,
}

/// Kinds and levelled packs of a number of sets.
trait Compose: fmt::Debug + Send + Sync {
    /// See [`Recomposer::most`].
    fn most(&self, weights: &[i64; MAX_SETS]) -> i128;
    /// See [`Recomposer::recompose_within`].
    fn compose(&self, sums: &[([i64; MAX_SETS], i128)], shuffle: &mut dyn FnMut(&mut [u32])) -> Composition;
}

#[derive(Clone, Debug)]
struct Levelled<const K: usize> {
    kinds: Kinds<K>,
    /// The packs of the plan, made alike.
    packs: Composition,
}

impl Recomposer {
    /// Makes the packs of `plan` alike; `None` if they have more than 2^32 - 1 graphs.
    pub fn new(plan: &Plan) -> Option<Self> {
        u32::try_from(plan.graphs()).ok()?;
        Some(by_sets!(plan.limits().size.sets(), K => {
            let levelled = Levelled::<K>::new(plan);
            let sizes = levelled.kinds.sizes().iter().map(|&size| Size::new(size)).collect();
            Self { sizes, kernel: Box::new(levelled) }
        }))
    }

    /// The distinct sizes, in the order that a [`Composition`] numbers them in.
    pub fn sizes(&self) -> &[Size] {
        &self.sizes
    }

    /// Composes the packs again and puts them in random order. What meets follows from `shuffle` alone, which is called
    /// twice with a list of all packs, and must leave each of them in it once.
    pub fn recompose(&self, shuffle: &mut dyn FnMut(&mut [u32])) -> Composition {
        self.recompose_within(&[], shuffle)
    }

    /// The most that a pack has of the sum of all sets times `weights`, before packs are composed again. Weights beyond
    /// the number of sets do not count.
    pub fn most(&self, weights: &[i64; MAX_SETS]) -> i128 {
        self.kernel.most(weights)
    }

    /// Composes the packs again as [`recompose`](Self::recompose) does, but such that they keep weighted sums of sets,
    /// too: for each of `sums`, no pack has more of the sum of all sets times the weights than its second number. That
    /// must be at least the [most](Self::most) of these weights, or else counts as that.
    ///
    /// Weighted sums keep ratios: with weights (3, -1), packs that have much less than three edges per node stay apart.
    ///
    /// ```
    /// use graphpack_core::{Heuristic, Histogram, Limits, Packer, Recomposer};
    ///
    /// let histogram = Histogram::from_counts([([10, 20], 20), ([10, 22], 20)])?;
    /// let plan = Packer::BestFit(Heuristic::Product).pack(&histogram, &Limits::new([40, 88]))?;
    /// let recomposer = Recomposer::new(&plan).expect("fewer than 2^32 graphs");
    /// let weights = [3, -1, 0, 0, 0, 0, 0, 0];
    /// let most = recomposer.most(&weights);
    /// for pack in recomposer.recompose_within(&[(weights, most)], &mut |order| order.reverse()).iter() {
    ///     let sizes = pack.iter().map(|&graph| recomposer.sizes()[graph as usize]);
    ///     assert!(sizes.map(|size| 3 * i128::from(size[0]) - i128::from(size[1])).sum::<i128>() <= most);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn recompose_within(
        &self,
        sums: &[([i64; MAX_SETS], i128)],
        shuffle: &mut dyn FnMut(&mut [u32]),
    ) -> Composition {
        self.kernel.compose(sums, shuffle)
    }
}

impl<const K: usize> Levelled<K> {
    fn new(plan: &Plan) -> Self {
        let all = plan.view().counts(plan.sizes().len());
        let counts = Counts::of(plan.sizes().map(|size| size.first()).zip(all));
        let kinds = Kinds::new(&counts, &plan.limits().into(), plan.packs());
        let mut kind_of = alloc::vec![0; counts.entries().len()];
        for (kind, size) in (0..).zip(kinds.sizes()) {
            if let Ok(position) = counts.entries().binary_search_by_key(size, |(size, _)| *size) {
                kind_of[position] = kind;
            }
        }
        let mut packs = Composition::default();
        for (contents, repeat) in plan.view().iter() {
            let contents = contents.iter();
            let mut graphs: Vec<u32> =
                contents.flat_map(|&(position, times)| repeat_n(kind_of[position as usize], times as usize)).collect();
            graphs.sort_unstable();
            (0..repeat).for_each(|_| packs.push(graphs.iter().copied()));
        }
        // Brings packs together that are far apart in the plan, where equal packs are neighbours.
        let mut order: Vec<u32> = (0..packs.packs() as u32).collect();
        sort_by_reversed_bits(&mut order);
        let packs = deal(&kinds, &[], packs.reorder(&order), ROUNDS_TO_LEVEL);
        Self { kinds, packs }
    }
}

impl<const K: usize> Compose for Levelled<K> {
    fn most(&self, weights: &[i64; MAX_SETS]) -> i128 {
        let weights = core::array::from_fn(|k| weights[k]);
        let sum = |pack: &[u32]| pack.iter().map(|&graph| weighted(&weights, &self.kinds.size(graph))).sum();
        self.packs.iter().map(sum).max().unwrap_or(0)
    }

    fn compose(&self, sums: &[([i64; MAX_SETS], i128)], shuffle: &mut dyn FnMut(&mut [u32])) -> Composition {
        let least = |(weights, most): &([i64; MAX_SETS], i128)| {
            (core::array::from_fn(|k| weights[k]), self.most(weights).max(*most))
        };
        let sums: Vec<([i64; K], i128)> = sums.iter().map(least).collect();
        let mut order: Vec<u32> = (0..self.packs.packs() as u32).collect();
        shuffle(&mut order);
        // Packs that have a graph of similar size come together: where packs hold two or three graphs and are full,
        // there is nothing else that they could exchange. Any of the graphs may be the one.
        let similar = |(place, &pack): (usize, &u32)| {
            let graphs = self.packs.pack(pack as usize);
            (graphs[place % graphs.len()], pack)
        };
        let mut similar: Vec<(u32, u32)> = order.iter().enumerate().map(similar).collect();
        sort_by_graph(&mut similar);
        order.iter_mut().zip(similar).for_each(|(place, (_, pack))| *place = pack);
        let packs = deal(&self.kinds, &sums, self.packs.reorder(&order), ROUNDS);
        order.iter_mut().zip(0..).for_each(|(place, pack)| *place = pack);
        shuffle(&mut order);
        packs.reorder(&order)
    }
}

fn sort_by_reversed_bits(packs: &mut [u32]) {
    packs.sort_unstable_by_key(|pack| pack.reverse_bits());
}

fn sort_by_graph(packs: &mut [(u32, u32)]) {
    packs.sort_by_key(|&(graph, _)| graph);
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
                pool.divide(&mut firsts, &mut seconds);
            }
        }
        firsts.append(&seconds);
        core::mem::swap(&mut packs, &mut firsts);
    }
    packs
}
