//! [`Window`]: a fixed number of open packs; each graph goes to the one that it fits best.

use super::waiting::{List, Lists, PackIds, StreamError, Waiting};
use crate::lanes::{Lanes, by_sets};
use crate::{FixedLimits, Limits, Size};
use heapless::Vec;

/// Packs graphs as they come into at most `W` open packs.
///
/// A graph goes to the open pack that it fills best: the one that then has the smallest share left of its tightest
/// limit, of which the number of graphs is one; of equal ones, the one with the smallest shares in all.
/// If no open pack has room, a new one is opened; if `W` are open already, the fullest is closed first. Takes O(W) time
/// per graph, and about `W x (4 K + 16)` bytes besides `memory`. At most `W` times as many graphs wait as the limits
/// allow in a pack.
///
/// ```
/// use graphpack_core::FixedLimits;
/// use graphpack_core::stream::{Waiting, Window};
///
/// let limits = FixedLimits::new([10, 20]).graphs(4);
/// let mut memory = [Waiting::EMPTY; 2 * 4 + 1];
/// let mut window = Window::<2, 2, _>::new(limits, &mut memory);
/// assert_eq!(window.push([6, 12], 'a')?.pack, 0);
/// assert_eq!(window.push([7, 10], 'b')?.pack, 1); // does not fit into pack 0
/// assert_eq!(window.push([4, 6], 'c')?.pack, 0); // does not fit into pack 1
/// let placed = window.push([9, 9], 'd')?; // fits into neither: pack 0, the fuller, is closed and gives way
/// assert_eq!(placed.pack, 0);
/// assert!(placed.closed.is_some_and(|ids| ids.eq(['a', 'c'])));
/// let open: Vec<Vec<char>> = window.finish().map(Iterator::collect).collect();
/// assert_eq!(open, [['d'], ['b']]);
/// # Ok::<(), graphpack_core::stream::StreamError<2>>(())
/// ```
#[derive(Debug)]
pub struct Window<'m, const K: usize, const W: usize, T> {
    limits: FixedLimits<K>,
    most: usize,
    open: Vec<Open<K>, W>,
    lists: Lists<'m, T>,
    /// The graphs of each open pack.
    graphs: [List; W],
}

#[derive(Clone, Copy, Debug)]
struct Open<const K: usize> {
    room: [u32; K],
    graphs_left: u32,
}

/// Most packs that are open in a window whose number of packs is known at run time.
pub const MOST_OPEN: u8 = 128;

/// The share of a limit of which nothing is used.
const WHOLE: u64 = 1 << 20;

/// Says where a graph went.
#[derive(Clone, Debug)]
pub struct Placed<'a, T> {
    /// The pack that took it: its place among the open ones, below `W`.
    pub pack: usize,
    /// The graphs of the pack in this place that was closed first; the graph is the first of a new one.
    pub closed: Option<PackIds<'a, T>>,
}

impl<'m, const K: usize, const W: usize, T: Copy> Window<'m, K, W, T> {
    /// Starts without an open pack, in memory for one graph more than `W` packs may have.
    pub fn new(limits: FixedLimits<K>, memory: &'m mut [Waiting<T>]) -> Self {
        let graphs = [List::default(); W];
        Self { limits, most: W, open: Vec::new(), lists: Lists::new(memory), graphs }
    }

    /// Keeps at most `packs` packs open, at least 1 and at most `W`.
    #[must_use]
    pub fn keep_open(mut self, packs: usize) -> Self {
        self.most = packs.clamp(1, W.max(1));
        self
    }

    /// Takes one graph, which the caller knows as `id`. On an error nothing changes.
    // Inlined with what it calls, a window of molecules takes 0.8 of the time.
    #[inline]
    pub fn push(&mut self, size: [u32; K], id: T) -> Result<Placed<'_, T>, StreamError<K>> {
        if !size.fits(&self.limits.size) || self.limits.graphs == 0 || W == 0 {
            return Err(StreamError::TooLarge { size, limits: self.limits });
        }
        if let Some(pack) = self.fullest_after(&size, 1) {
            self.lists.push(&mut self.graphs[pack], id)?;
            self.open[pack] = self.open[pack].without(&size, 1);
            return Ok(Placed { pack, closed: None });
        }
        let mut graphs = List::default();
        self.lists.push(&mut graphs, id)?;
        let fresh = Open { room: self.limits.size, graphs_left: self.limits.graphs }.without(&size, 1);
        if self.open.len() < self.most && self.open.push(fresh).is_ok() {
            let pack = self.open.len() - 1;
            self.graphs[pack] = graphs;
            return Ok(Placed { pack, closed: None });
        }
        let pack = self.fullest_after(&[0; K], 0).unwrap_or(0);
        self.open[pack] = fresh;
        let closed = core::mem::replace(&mut self.graphs[pack], graphs);
        self.lists.release(closed);
        Ok(Placed { pack, closed: Some(self.lists.ids(closed)) })
    }

    /// The place of the pack that is the fullest after it took `graphs` graphs of `size` in all, of those with room for
    /// them. Most packs are passed over without a division: with 32 packs and two or three sets in half the time.
    #[inline]
    fn fullest_after(&self, size: &[u32; K], graphs: u32) -> Option<usize> {
        let mut best = None;
        let mut least = (WHOLE, u64::MAX);
        for (pack, open) in self.open.iter().enumerate() {
            if size.fits(&open.room) && graphs <= open.graphs_left {
                let after = open.without(size, graphs);
                if !after.is_emptier(least.0, &self.limits) {
                    let emptiness = after.emptiness(&self.limits);
                    if emptiness < least {
                        (best, least) = (Some(pack), emptiness);
                    }
                }
            }
        }
        best
    }

    /// Closes all open packs, and returns the graphs of each, in the order of their places.
    pub fn finish(&mut self) -> impl Iterator<Item = PackIds<'_, T>> {
        let open = &self.graphs[..self.open.len()];
        open.iter().for_each(|&graphs| self.lists.release(graphs));
        self.open.clear();
        open.iter().map(|&graphs| self.lists.ids(graphs))
    }
}

impl<const K: usize> Open<K> {
    /// What is left beside `graphs` graphs of `size` in all, for which there must be room.
    fn without(&self, size: &[u32; K], graphs: u32) -> Self {
        Self { room: core::array::from_fn(|k| self.room[k] - size[k]), graphs_left: self.graphs_left - graphs }
    }

    /// The shares of the limits that are left, in units of 2^-20: that of the tightest limit, then the sum of all.
    /// With the tightest first, 0.1 to 0.2 % fewer packs are needed than with the sum alone.
    fn emptiness(&self, limits: &FixedLimits<K>) -> (u64, u64) {
        let share = |left: u32, limit: u32| u64::from(left) * WHOLE / u64::from(limit.max(1));
        let graphs = share(self.graphs_left, limits.graphs);
        let shares = self.room.iter().zip(&limits.size).map(|(&left, &limit)| share(left, limit));
        shares.fold((graphs, graphs), |(tightest, sum), share| (tightest.min(share), sum.saturating_add(share)))
    }

    /// Whether every limit has a larger share left than `tightest`.
    fn is_emptier(&self, tightest: u64, limits: &FixedLimits<K>) -> bool {
        // The share is the quotient, rounded down; both sides stay below 2^53.
        let more = |left: u32, limit: u32| u64::from(left) * WHOLE >= (tightest + 1) * u64::from(limit.max(1));
        let mut rows = self.room.iter().zip(&limits.size);
        rows.all(|(&left, &limit)| more(left, limit)) && more(self.graphs_left, limits.graphs)
    }
}

/// Packs graphs whose number of sets is known at run time, as a [`Window`] of `open` packs does, at most [`MOST_OPEN`].
/// Calls `pack` for each pack, and returns how many graphs are in none: those that exceed the limits or have other
/// sets, or find no memory.
pub fn pack_in_window<T: Copy>(
    graphs: &mut dyn Iterator<Item = (Size, T)>,
    limits: &Limits,
    open: usize,
    memory: &mut [Waiting<T>],
    pack: &mut dyn FnMut(PackIds<'_, T>),
) -> usize {
    let mut left_out = 0;
    by_sets!(limits.size.sets(), K => {
        let mut window = Window::<K, { MOST_OPEN as usize }, T>::new(limits.into(), memory).keep_open(open);
        for (size, id) in graphs {
            if size.sets() != limits.size.sets() {
                left_out += 1;
                continue;
            }
            match window.push(size.first(), id) {
                Ok(placed) => placed.closed.into_iter().for_each(&mut *pack),
                Err(_) => left_out += 1,
            }
        }
        window.finish().for_each(pack);
    });
    left_out
}
