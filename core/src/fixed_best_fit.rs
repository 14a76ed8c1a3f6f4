//! [`FixedPlan::best_fit`]: a plan that a device makes by itself, without an allocator.

use crate::lanes::Lanes;
use crate::size::Tuple;
use crate::{FixedHistogram, FixedLimits, FixedPlan};
use core::cmp::Reverse;

impl<const K: usize, const ENTRIES: usize, const PACKS: usize> FixedPlan<K, ENTRIES, PACKS> {
    /// Packs every graph of `histogram` into this plan, whose packs so far are lost: the packs that
    /// [`Packer::BestFit`](crate::Packer::BestFit) makes with a heuristic of these priorities.
    ///
    /// Sizes come in descending order of `priority`, and each graph goes to the pack with room for it whose room has
    /// the least priority. Takes no memory but the plan, and O(`ENTRIES` + `PACKS`) time for each entry that it makes.
    /// On an error the plan has no packs.
    ///
    #[cfg_attr(feature = "alloc", doc = "```")]
    #[cfg_attr(not(feature = "alloc"), doc = "```ignore")]
    /// use graphpack_core::{FixedHistogram, FixedLimits, FixedPlan};
    ///
    /// let mut histogram = FixedHistogram::<2, 32>::new();
    /// histogram.add([20, 40], 3)?;
    /// histogram.add([10, 22], 3)?;
    /// let mut plan = FixedPlan::<2, 8, 4>::new();
    /// plan.best_fit(&histogram, &FixedLimits::new([30, 64]), |&[nodes, edges]| u64::from(nodes) * u64::from(edges))?;
    /// assert_eq!((plan.packs(), plan.graphs()), (3, 6));
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    pub fn best_fit<const N: usize>(
        &mut self,
        histogram: &FixedHistogram<K, N>,
        limits: &FixedLimits<K>,
        priority: impl Fn(&[u32; K]) -> u64,
    ) -> Result<(), FixedPackError<K>> {
        self.clear();
        self.limits = *limits;
        if limits.is_zero() {
            return Err(FixedPackError::Limits { limits: *limits });
        }
        let mut graphs = 0_u64;
        for (size, count) in histogram.iter() {
            if !size.fits(&limits.size) {
                return Err(oversize(histogram, limits));
            }
            graphs = graphs.checked_add(count).ok_or(FixedPackError::Overflow { size, count })?;
        }
        let rank = |size: &[u32; K]| (priority(size), *size);
        let mut last = None;
        // Looks for the next size among all, since there is no memory to sort them in.
        while let Some((size, mut count)) = histogram
            .iter()
            .filter(|(size, _)| last.is_none_or(|last| rank(size) < last))
            .max_by_key(|(size, _)| rank(size))
        {
            last = Some(rank(&size));
            while count > 0 {
                let Some(placed) = self.place(size, count, &priority) else {
                    self.clear();
                    return Err(FixedPackError::Full { size, most_entries: ENTRIES, most_packs: PACKS });
                };
                count -= placed;
            }
        }
        Ok(())
    }

    /// Puts graphs of one size, the same number to each, into equal packs that are the fullest with room for them, or
    /// into new ones. Returns how many of `count` found a place; `None` if the plan has no room for the packs.
    fn place(&mut self, size: [u32; K], count: u64, priority: &impl Fn(&[u32; K]) -> u64) -> Option<u64> {
        let (fullest, room) = match self.fullest(&size, priority) {
            Some((place, room)) => (Some(place), room),
            None => (None, self.limits),
        };
        let times = u64::from(size.times_in(&room.size).min(room.graphs)).min(count);
        let mut packs = count / times;
        if let Some(place) = fullest {
            packs = packs.min(self.packs[place].1);
            self.take(place, packs)?;
        } else {
            self.packs.push((self.contents.len(), packs)).ok()?;
        }
        // Fits into 32 bits: it does not exceed the number of graphs of a pack.
        self.fill(size, times as u32)?;
        Some(packs * times)
    }

    /// The pack with the least room that a graph of `size` fits into, and that room. Of equal ones it is the one that
    /// was filled last, as in [`Packer::BestFit`](crate::Packer::BestFit).
    fn fullest(&self, size: &[u32; K], priority: &impl Fn(&[u32; K]) -> u64) -> Option<(usize, FixedLimits<K>)> {
        let rooms = self.iter().enumerate().map(|(place, pack)| {
            let (filled, graphs) = (pack.size(), pack.graphs());
            // Fit into 32 bits: no pack exceeds its limits.
            let room = core::array::from_fn(|k| self.limits.size[k] - filled[k] as u32);
            (place, FixedLimits { size: room, graphs: self.limits.graphs - graphs as u32 })
        });
        let fitting = rooms.filter(|(_, room)| size.fits(&room.size) && room.graphs > 0);
        fitting.min_by_key(|(place, room)| (priority(&room.size), room.size, room.graphs, Reverse(*place)))
    }

    /// Makes `packs` of the packs at `place` the last of the plan, with the last entries.
    fn take(&mut self, place: usize, packs: u64) -> Option<()> {
        let start = if place == 0 { 0 } else { self.packs[place - 1].0 };
        let (end, repeat) = self.packs[place];
        if repeat > packs {
            self.packs[place].1 -= packs;
            for entry in start..end {
                self.contents.push(self.contents[entry]).ok()?;
            }
            return self.packs.push((self.contents.len(), packs)).ok();
        }
        self.contents[start..].rotate_left(end - start);
        self.packs[place..].rotate_left(1);
        self.packs[place..].iter_mut().for_each(|(later, _)| *later -= end - start);
        self.packs.last_mut()?.0 = self.contents.len();
        Some(())
    }

    /// Puts `times` more graphs of `size` into each of the packs that are the last of the plan.
    fn fill(&mut self, size: [u32; K], times: u32) -> Option<()> {
        let before = if let [.., (end, _), _] = &self.packs[..] { *end } else { 0 };
        match self.contents[before..].last_mut() {
            Some((of, already)) if *of == size => *already += times,
            _ => self.contents.push((size, times)).ok()?,
        }
        self.packs.last_mut()?.0 = self.contents.len();
        Some(())
    }
}

/// The error of the graphs of a histogram that do not fit into an empty pack.
fn oversize<const K: usize, const N: usize>(
    histogram: &FixedHistogram<K, N>,
    limits: &FixedLimits<K>,
) -> FixedPackError<K> {
    let over = histogram.iter().filter(|(size, _)| !size.fits(&limits.size));
    let count = over.fold(0, |sum: u64, (_, count)| sum.saturating_add(count));
    let largest = histogram.iter().fold([0; K], |largest, (size, _)| largest.max_each(&size));
    FixedPackError::Oversize { count, largest, limits: *limits }
}

/// Why graphs cannot be packed in fixed memory.
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FixedPackError<const K: usize> {
    /// A limit is zero.
    #[error("limits must be at least 1 each, found {limits}")]
    Limits {
        /// The limits as given.
        limits: FixedLimits<K>,
    },
    /// Graphs do not fit into an empty pack.
    #[error("{count} graphs exceed the limits {limits}; limits of {} hold every graph", Tuple(largest))]
    Oversize {
        /// The number of graphs that do not fit.
        count: u64,
        /// The most of each set that any graph has.
        largest: [u32; K],
        /// The limits.
        limits: FixedLimits<K>,
    },
    /// The number of graphs exceeds 64 bits.
    #[error("the number of graphs exceeds 64 bits when {count} of size {} are added", Tuple(size))]
    Overflow {
        /// The size whose count was too large.
        size: [u32; K],
        /// Its count.
        count: u64,
    },
    /// The plan has too little room for the packs.
    #[error(
        "no room for graphs of size {}: the plan holds {most_packs} packs with {most_entries} sizes in all",
        Tuple(size)
    )]
    Full {
        /// The first size that found no room.
        size: [u32; K],
        /// Most sizes that there is room for.
        most_entries: usize,
        /// Most distinct packs that there is room for.
        most_packs: usize,
    },
}

crate::debug_is_display::debug_is_display!(const K: FixedPackError<K>);
