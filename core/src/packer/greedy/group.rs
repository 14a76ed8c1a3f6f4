//! [`Group`]: open packs that were filled alike.

use super::contents::{Chain, Contents};
use crate::FixedLimits;
use crate::lanes::Lanes;

/// The order of open packs, the fullest first: the priority of the room, the room, and the graphs left.
pub(super) type Rank<const K: usize> = (u64, [u32; K], u32);

/// A number of open packs with the same contents.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group<const K: usize> {
    /// The priority of `room`.
    key: u64,
    room: [u32; K],
    graphs_left: u32,
    packs: u64,
    contents: Chain,
    /// Whether the contents of another group begin with these.
    shared: bool,
}

impl<const K: usize> Group<K> {
    /// Empty packs.
    pub(super) fn empty(limits: &FixedLimits<K>, packs: u64) -> Self {
        let (room, graphs_left) = (limits.size, limits.graphs);
        Self { key: u64::MAX, room, graphs_left, packs, contents: Chain::EMPTY, shared: false }
    }

    /// The priority of the room that is left in each pack.
    pub(super) fn key(&self) -> u64 {
        self.key
    }

    /// The room that is left in each pack.
    pub(super) fn room(&self) -> &[u32; K] {
        &self.room
    }

    /// Number of packs.
    pub(super) fn packs(&self) -> u64 {
        self.packs
    }

    /// What each pack holds.
    pub(super) fn contents(&self) -> Chain {
        self.contents
    }

    /// The order of open packs, the fullest first.
    pub(super) fn rank(&self) -> Rank<K> {
        (self.key, self.room, self.graphs_left)
    }

    /// Whether the packs hold as many graphs as the limits allow.
    pub(super) fn is_closed(&self) -> bool {
        self.graphs_left == 0
    }

    /// How many more graphs of `size` each pack can hold.
    pub(super) fn times(&self, size: &[u32; K]) -> u32 {
        size.times_in(&self.room).min(self.graphs_left)
    }

    /// The [`rank`](Self::rank) with `times` more graphs of `size` in each pack, for which there must be room.
    pub(super) fn rank_with(&self, priority: impl Fn(&[u32; K]) -> u64, size: &[u32; K], times: u32) -> Rank<K> {
        let room = self.room.less(size, times);
        (priority(&room), room, self.graphs_left - times)
    }

    /// The same packs with `times` more graphs of a size in each, for which there must be room.
    pub(super) fn fill(
        self,
        priority: impl Fn(&[u32; K]) -> u64,
        contents: &mut Contents,
        (size, number): (&[u32; K], u32),
        times: u32,
    ) -> Self {
        let (key, room, graphs_left) = self.rank_with(priority, size, times);
        let contents = contents.extend(self.contents, self.shared, number, times);
        Self { key, room, graphs_left, contents, shared: false, ..self }
    }

    /// Takes `packs` packs out; those that remain share their contents with them.
    pub(super) fn split(&mut self, packs: u64) -> Self {
        self.packs -= packs;
        self.shared = true;
        Self { packs, ..*self }
    }
}
