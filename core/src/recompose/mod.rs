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
use crate::{Plan, Size};
use alloc::boxed::Box;
use alloc::vec::Vec;
pub use composition::Composition;
use core::fmt;
use core::iter::repeat_n;
use pool::{Kinds, Pool};

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
/// let packs = recomposer.recompose(None, &mut |order| order.reverse()); // a random shuffle, in earnest
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
    /// The packs of the plan, made alike.
    packs: Composition,
    kinds: Box<dyn Deal>,
}

/// Kinds of a number of sets.
trait Deal: fmt::Debug + Send + Sync {
    /// Deals the graphs of every two neighbours to them again, in some rounds. The first packs of all pairs come before
    /// the second packs of all pairs in the next round, so that each meets another.
    fn deal(&self, packs: Composition, rounds: usize, fits: Option<&dyn Fn(&Size) -> bool>) -> Composition;
}

impl Recomposer {
    /// Makes the packs of `plan` alike; `None` if they have more than 2^32 - 1 graphs.
    pub fn new(plan: &Plan) -> Option<Self> {
        Self::in_packs(plan, 0)
    }

    /// As [`new`](Self::new), but first divides packs in two, those with the most graphs first, until there are `least`
    /// or each has one graph: more packs than a plan needs, such as one for each rank in every step.
    ///
    /// ```
    /// use graphpack_core::{Budget, Histogram, Limits, Packer, Recomposer};
    ///
    /// let histogram = Histogram::from_counts([([10], 20)])?;
    /// let plan = Packer::Auto(Budget::default()).pack(&histogram, &Limits::new([40]))?;
    /// let recomposer = Recomposer::in_packs(&plan, 8).expect("fewer than 2^32 graphs");
    /// assert_eq!((plan.packs(), recomposer.packs().len()), (5, 8));
    /// assert!(recomposer.packs().all(|pack| pack[0] == 20 || pack[0] == 30));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn in_packs(plan: &Plan, least: u64) -> Option<Self> {
        u32::try_from(plan.graphs()).ok()?;
        let planned: Vec<Size> = plan.sizes().collect();
        let counts = plan.view().counts(planned.len());
        let (sizes, kinds) = by_sets!(plan.limits().size.sets(), K => {
            let counts = Counts::of(planned.iter().map(Size::first).zip(counts));
            let kinds = Kinds::<K>::new(&counts, &plan.limits().into(), plan.packs());
            let sizes: Vec<Size> = kinds.sizes().iter().map(|&size| Size::new(size)).collect();
            (sizes, Box::new(kinds) as Box<dyn Deal>)
        });
        let mut kind_of = alloc::vec![0; planned.len()];
        for (kind, size) in (0..).zip(&sizes) {
            if let Ok(position) = planned.binary_search(size) {
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
        packs.divide(usize::try_from(least).unwrap_or(usize::MAX));
        // Brings packs together that are far apart in the plan, where equal packs are neighbours.
        let mut order: Vec<u32> = (0..packs.packs() as u32).collect();
        order.sort_unstable_by_key(|pack| pack.reverse_bits());
        let packs = kinds.deal(packs.reorder(&order), ROUNDS_TO_LEVEL, None);
        Some(Self { sizes, packs, kinds })
    }

    /// The distinct sizes, in the order that a [`Composition`] numbers them in.
    pub fn sizes(&self) -> &[Size] {
        &self.sizes
    }

    /// The rows of each pack, all its graphs together, before packs are composed again.
    pub fn packs(&self) -> impl ExactSizeIterator<Item = Size> {
        let sets = self.sizes.first().map_or(0, Size::sets);
        let sum = |pack: &[u32], set: usize| {
            pack.iter().fold(0_u32, |sum, &graph| sum.saturating_add(self.sizes[graph as usize][set]))
        };
        self.packs.iter().map(move |pack| Size::of(sets, |set| sum(pack, set)))
    }

    /// Deals the graphs of packs to each other so that more packs fit: `fits` is asked with the rows of a pack. Packs
    /// that fit still do. Does nothing if all packs fit.
    pub fn fit(&mut self, fits: &dyn Fn(&Size) -> bool) {
        if !self.packs().all(|pack| fits(&pack)) {
            self.packs = self.kinds.deal(core::mem::take(&mut self.packs), ROUNDS_TO_LEVEL, Some(fits));
        }
    }

    /// Composes the packs again and puts them in random order. What meets follows from `shuffle` alone, which is called
    /// twice with a list of all packs, and must leave each of them in it once.
    ///
    /// Packs keep the limits. If all [packs](Self::packs) `fits`, which is asked with the rows of a pack, all new packs
    /// do, too: a condition that no limit of a set states, such as the ratio of two sets.
    ///
    /// ```
    /// use graphpack_core::{Heuristic, Histogram, Limits, Packer, Recomposer, Size};
    ///
    /// let histogram = Histogram::from_counts([([10, 20], 20), ([10, 22], 20)])?;
    /// let plan = Packer::BestFit(Heuristic::Product).pack(&histogram, &Limits::new([40, 88]))?;
    /// let recomposer = Recomposer::new(&plan).expect("fewer than 2^32 graphs");
    /// // At least 2.05 edges per node.
    /// let fits = |pack: &Size| 100 * pack[1] >= 205 * pack[0];
    /// assert!(recomposer.packs().all(|pack| fits(&pack)));
    /// for pack in recomposer.recompose(Some(&fits), &mut |order| order.reverse()).iter() {
    ///     let rows = |set| pack.iter().map(|&graph| recomposer.sizes()[graph as usize][set]).sum();
    ///     assert!(fits(&Size::new([rows(0), rows(1)])));
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn recompose(&self, fits: Option<&dyn Fn(&Size) -> bool>, shuffle: &mut dyn FnMut(&mut [u32])) -> Composition {
        let mut order: Vec<u32> = (0..self.packs.packs() as u32).collect();
        shuffle(&mut order);
        // Packs that have a graph of similar size come together: where packs hold two or three graphs and are full,
        // there is nothing else that they could exchange. Any of the graphs may be the one.
        let similar = |(place, &pack): (usize, &u32)| {
            let graphs = self.packs.pack(pack as usize);
            (graphs[place % graphs.len()], pack)
        };
        let mut similar: Vec<(u32, u32)> = order.iter().enumerate().map(similar).collect();
        similar.sort_by_key(|&(graph, _)| graph);
        order.iter_mut().zip(similar).for_each(|(place, (_, pack))| *place = pack);
        let packs = self.kinds.deal(self.packs.reorder(&order), ROUNDS, fits);
        order.iter_mut().zip(0..).for_each(|(place, pack)| *place = pack);
        shuffle(&mut order);
        packs.reorder(&order)
    }
}

impl<const K: usize> Deal for Kinds<K> {
    fn deal(&self, mut packs: Composition, rounds: usize, fits: Option<&dyn Fn(&Size) -> bool>) -> Composition {
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
                    pool.deal(self, fits, a, b);
                    pool.divide(&mut firsts, &mut seconds);
                }
            }
            firsts.append(&seconds);
            core::mem::swap(&mut packs, &mut firsts);
        }
        packs
    }
}
