//! [`Follow`]: fills the packs of a plan with graphs that come in any order.

use crate::size::Tuple;
use crate::{FixedPack, FixedPlan};

/// Makes the packs of a plan from graphs that come in any order. A graph waits until all graphs of a pack
/// that needs it have come.
///
/// Each graph completes at most one pack, the first of the plan that has all of its graphs. Each pack is completed as
/// often as the plan repeats it, and all are complete when all graphs of the plan have come. The caller keeps the
/// graphs that wait; a pack may take any of the right size. Takes `4 ENTRIES + 8 PACKS` bytes besides the plan,
/// O(`ENTRIES`) time per graph, and O(`ENTRIES`) per size of each pack that the graph might complete.
///
#[cfg_attr(feature = "alloc", doc = "```")]
#[cfg_attr(not(feature = "alloc"), doc = "```ignore")]
/// use graphpack_core::stream::Follow;
/// use graphpack_core::{FixedPlan, Heuristic, Histogram, Limits, Packer};
///
/// let histogram = Histogram::from_counts([([20, 40], 2), ([10, 22], 2)])?;
/// let plan = Packer::BestFit(Heuristic::Product).pack(&histogram, &Limits::new([30, 64]))?;
/// let plan = FixedPlan::<2, 8, 4>::try_from(&plan)?; // twice one (20, 40) with one (10, 22)
/// let mut follow = Follow::new(&plan);
/// assert_eq!(follow.push([20, 40])?, None);
/// assert_eq!(follow.push([20, 40])?, None);
/// assert_eq!(follow.push([10, 22])?, Some(0)); // with one of the two that waited
/// assert!(follow.push([20, 40]).is_err()); // the plan has only two of these
/// assert_eq!(follow.push([10, 22])?, Some(0));
/// assert_eq!(follow.packs_left(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Follow<'p, const K: usize, const ENTRIES: usize, const PACKS: usize> {
    plan: &'p FixedPlan<K, ENTRIES, PACKS>,
    /// Number of graphs that wait, at the first of the plan's entries of their size. They are not enough for any pack
    /// that is still to be made.
    waiting: [u32; ENTRIES],
    /// Per pack: how often it is still to be made.
    left: [u64; PACKS],
}

impl<'p, const K: usize, const ENTRIES: usize, const PACKS: usize> Follow<'p, K, ENTRIES, PACKS> {
    /// Starts before the first graph.
    pub fn new(plan: &'p FixedPlan<K, ENTRIES, PACKS>) -> Self {
        let mut follow = Self { plan, waiting: [0; ENTRIES], left: [0; PACKS] };
        follow.restart();
        follow
    }

    /// Starts over, for the next epoch; forgets the graphs that wait.
    pub fn restart(&mut self) {
        self.waiting.fill(0);
        for (left, pack) in self.left.iter_mut().zip(self.plan.iter()) {
            *left = pack.repeat;
        }
    }

    /// Takes one graph. Returns the number of the pack that it completes, in the order of [`plan`](Self::plan), or None
    /// if the graph waits. On an error nothing changes.
    pub fn push(&mut self, size: [u32; K]) -> Result<Option<usize>, FollowError<K>> {
        let (mut places, mut free) = (0, 0);
        for (pack, &left) in self.plan.iter().zip(&self.left) {
            places += pack.graphs_of(&size) * pack.repeat;
            free += pack.graphs_of(&size) * left;
        }
        let Some(entry) = self.entry(&size).filter(|&entry| u64::from(self.waiting[entry]) < free) else {
            return Err(FollowError::NoPlace { size, places });
        };
        self.waiting[entry] = self.waiting[entry].checked_add(1).ok_or(FollowError::Overflow { size })?;
        // A pack that this graph completes lacked only this graph, so it takes all graphs of this size that wait, and
        // none is left to complete another pack. When all graphs have come, those that wait are the contents of the
        // packs that are left; if there were such a pack, it would be complete.
        let all = u64::from(self.waiting[entry]);
        let complete = self
            .plan
            .iter()
            .zip(&self.left)
            .position(|(pack, &left)| left > 0 && pack.graphs_of(&size) == all && self.can_make(&pack));
        if let Some(number) = complete {
            self.make(number);
        }
        Ok(complete)
    }

    /// The plan that is followed.
    pub fn plan(&self) -> &'p FixedPlan<K, ENTRIES, PACKS> {
        self.plan
    }

    /// Number of packs that are still to be made, repeats counted.
    pub fn packs_left(&self) -> u64 {
        self.left.iter().sum()
    }

    /// Sizes of the graphs that wait, with the number of graphs of each.
    pub fn waiting(&self) -> impl Iterator<Item = ([u32; K], u32)> + '_ {
        let sizes = self.plan.contents.iter().map(|&(size, _)| size);
        sizes.zip(self.waiting).filter(|&(_, waiting)| waiting > 0)
    }

    fn can_make(&self, pack: &FixedPack<'_, K>) -> bool {
        let waiting = |size| self.entry(size).map_or(0, |entry| u64::from(self.waiting[entry]));
        pack.contents.iter().all(|(size, _)| pack.graphs_of(size) <= waiting(size))
    }

    fn make(&mut self, number: usize) {
        self.left[number] -= 1;
        for (size, times) in self.plan.iter().nth(number).map_or(&[][..], |pack| pack.contents) {
            if let Some(entry) = self.entry(size) {
                self.waiting[entry] -= times;
            }
        }
    }

    /// The first of the plan's entries of a size.
    fn entry(&self, size: &[u32; K]) -> Option<usize> {
        self.plan.contents.iter().position(|(of, _)| of == size)
    }
}

/// Why a graph cannot be taken.
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FollowError<const K: usize> {
    /// The plan has no such size, or all graphs of it have come.
    #[error("expected at most {places} graphs of size {}, as in the plan, found one more", Tuple(size))]
    NoPlace {
        /// Its size.
        size: [u32; K],
        /// Number of graphs of that size in all packs of the plan.
        places: u64,
    },
    /// More than 2^32 - 1 graphs of one size would wait.
    #[error("expected fewer than 2^32 graphs of size {} to wait, found one more", Tuple(size))]
    Overflow {
        /// Their size.
        size: [u32; K],
    },
}

crate::debug_is_display::debug_is_display!(const K: FollowError<K>);
