//! [`Follow`]: fills the packs of a plan with graphs that come in any order.

use super::waiting::{List, Lists, PackIds, StreamError, Waiting};
use crate::{FixedPack, FixedPlan};

/// Makes the packs of a plan from graphs that come in any order. A graph waits until all graphs of a pack
/// that needs it have come.
///
/// Each graph completes at most one pack, the first of the plan that has all of its graphs. Each pack is completed as
/// often as the plan repeats it, and all are complete when all graphs of the plan have come. Of the graphs of one size
/// that wait, the pack takes those that came first. At most [`FixedPlan::most_waiting`] graphs wait. Takes
/// `12 ENTRIES + 8 PACKS` bytes besides the plan and `memory`, O(`ENTRIES`) time per graph, and O(`ENTRIES`) per size
/// of each pack that the graph might complete.
///
#[cfg_attr(feature = "alloc", doc = "```")]
#[cfg_attr(not(feature = "alloc"), doc = "```ignore")]
/// use graphpack_core::stream::{Follow, Waiting};
/// use graphpack_core::{FixedPlan, Heuristic, Histogram, Limits, Packer};
///
/// let histogram = Histogram::from_counts([([20, 40], 2), ([10, 22], 2)])?;
/// let plan = Packer::BestFit(Heuristic::Product).pack(&histogram, &Limits::new([30, 64]))?;
/// let plan = FixedPlan::<2, 8, 4>::try_from(&plan)?; // twice one (20, 40) with one (10, 22)
/// assert_eq!(plan.most_waiting(), 2);
/// let mut memory = [Waiting::EMPTY; 2 + 1];
/// let mut follow = Follow::new(&plan, &mut memory);
/// assert!(follow.push([20, 40], 'a')?.is_none());
/// assert!(follow.push([20, 40], 'b')?.is_none());
/// assert!(follow.push([10, 22], 'c')?.is_some_and(|mut ids| ids.all(|id| "ac".contains(id))));
/// assert!(follow.push([20, 40], 'd').is_err()); // the plan has only two of these
/// assert!(follow.push([10, 22], 'e')?.is_some_and(|mut ids| ids.all(|id| "be".contains(id))));
/// assert_eq!(follow.packs_left(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Follow<'a, const K: usize, const ENTRIES: usize, const PACKS: usize, T> {
    plan: &'a FixedPlan<K, ENTRIES, PACKS>,
    lists: Lists<'a, T>,
    /// The graphs that wait, at the first of the plan's entries of their size. They are not enough for any pack that is
    /// still to be made.
    waiting: [List; ENTRIES],
    /// Per pack: how often it is still to be made.
    left: [u64; PACKS],
}

impl<'a, const K: usize, const ENTRIES: usize, const PACKS: usize, T: Copy> Follow<'a, K, ENTRIES, PACKS, T> {
    /// Starts before the first graph, in memory for one graph more than can [wait](FixedPlan::most_waiting).
    pub fn new(plan: &'a FixedPlan<K, ENTRIES, PACKS>, memory: &'a mut [Waiting<T>]) -> Self {
        let waiting = [List::default(); ENTRIES];
        let mut follow = Self { plan, lists: Lists::new(memory), waiting, left: [0; PACKS] };
        follow.restart();
        follow
    }

    /// Starts over, for the next epoch; forgets the graphs that wait.
    pub fn restart(&mut self) {
        self.lists.clear();
        self.waiting.fill(List::default());
        for (left, pack) in self.left.iter_mut().zip(self.plan.iter()) {
            *left = pack.repeat;
        }
    }

    /// Takes one graph, which the caller knows as `id`. Returns the graphs of the pack that it completes, in the order
    /// of the pack's sizes; `None` if the graph waits. On an error nothing changes.
    pub fn push(&mut self, size: [u32; K], id: T) -> Result<Option<PackIds<'_, T>>, StreamError<K>> {
        let (mut places, mut free) = (0, 0);
        for (pack, &left) in self.plan.iter().zip(&self.left) {
            places += pack.graphs_of(&size) * pack.repeat;
            free += pack.graphs_of(&size) * left;
        }
        let Some(entry) = self.entry(&size).filter(|&entry| u64::from(self.waiting[entry].graphs) < free) else {
            return Err(StreamError::NoPlace { size, places });
        };
        self.lists.push(&mut self.waiting[entry], id)?;
        // A pack that this graph completes lacked only this graph, so it takes all graphs of this size that wait, and
        // none is left to complete another pack. When all graphs have come, those that wait are the contents of the
        // packs that are left; if there were such a pack, it would be complete.
        let all = u64::from(self.waiting[entry].graphs);
        let complete = self
            .plan
            .iter()
            .zip(&self.left)
            .position(|(pack, &left)| left > 0 && pack.graphs_of(&size) == all && self.can_make(&pack));
        let Some(number) = complete else { return Ok(None) };
        self.left[number] -= 1;
        let mut graphs = List::default();
        for (size, times) in self.plan.iter().nth(number).map_or(&[][..], |pack| pack.contents) {
            if let Some(entry) = self.entry(size) {
                let of_size = self.lists.split(&mut self.waiting[entry], *times);
                graphs = self.lists.join(graphs, of_size);
            }
        }
        self.lists.release(graphs);
        Ok(Some(self.lists.ids(graphs)))
    }

    /// The plan that is followed.
    pub fn plan(&self) -> &'a FixedPlan<K, ENTRIES, PACKS> {
        self.plan
    }

    /// Number of packs that are still to be made, repeats counted.
    pub fn packs_left(&self) -> u64 {
        self.left.iter().sum()
    }

    /// Sizes of the graphs that wait, with the graphs of each.
    pub fn waiting(&self) -> impl Iterator<Item = ([u32; K], PackIds<'_, T>)> {
        let sizes = self.plan.contents.iter().map(|&(size, _)| size);
        sizes.zip(self.waiting).filter(|(_, list)| list.graphs > 0).map(|(size, list)| (size, self.lists.ids(list)))
    }

    fn can_make(&self, pack: &FixedPack<'_, K>) -> bool {
        let waiting = |size| self.entry(size).map_or(0, |entry| u64::from(self.waiting[entry].graphs));
        pack.contents.iter().all(|(size, _)| pack.graphs_of(size) <= waiting(size))
    }

    /// The first of the plan's entries of a size.
    fn entry(&self, size: &[u32; K]) -> Option<usize> {
        self.plan.contents.iter().position(|(of, _)| of == size)
    }
}
