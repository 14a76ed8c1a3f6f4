//! [`Run`]: the groups of a block of the index, or the blocks of one of its shelves.

use super::group::{Group, Rank};
use super::maxima::Maxima;
use alloc::vec::Vec;

/// Parts of a run at which it is split in two.
const FULL: usize = 128;

/// Parts in ascending order of rank: the groups of a block, or the blocks of a shelf.
pub(super) struct Run<const K: usize, T> {
    pub(super) parts: Vec<T>,
    /// No group in here has a higher rank, and none in the run after it has a lower one.
    last: Rank<K>,
    /// Bounds the room of all groups in here.
    pub(super) maxima: Maxima<K>,
}

impl<const K: usize, T: Part<K>> Run<K, T> {
    pub(super) fn of(part: T, limits: &[u32; K]) -> Self {
        let parts = alloc::vec![part];
        Self { last: parts[0].last(), maxima: maxima(&parts, limits), parts }
    }

    /// Updates rank and maxima after a group was inserted.
    pub(super) fn widen(&mut self, rank: Rank<K>, room: &[u32; K], limits: &[u32; K]) {
        self.last = self.last.max(rank);
        self.maxima.add(room, limits);
    }

    /// Updates the maxima after a group with this room was removed.
    pub(super) fn narrow(&mut self, room: &[u32; K], limits: &[u32; K]) {
        if self.maxima.follow_from(room, limits) {
            self.maxima = maxima(&self.parts, limits);
        }
    }

    /// Splits off the upper half of a run that is full.
    pub(super) fn split(&mut self, limits: &[u32; K]) -> Option<Self> {
        if self.parts.len() < FULL {
            return None;
        }
        let parts = self.parts.split_off(FULL / 2);
        let upper = Self { last: self.last, maxima: maxima(&parts, limits), parts };
        self.last = self.parts.last().map_or(self.last, Part::last);
        self.maxima = maxima(&self.parts, limits);
        Some(upper)
    }
}

/// What a [`Run`] consists of.
pub(super) trait Part<const K: usize> {
    /// The highest rank of a group, or more.
    fn last(&self) -> Rank<K>;
    /// Adds the room of all groups.
    fn add_to(&self, maxima: &mut Maxima<K>, limits: &[u32; K]);
}

impl<const K: usize> Part<K> for Group<K> {
    fn last(&self) -> Rank<K> {
        self.rank()
    }

    fn add_to(&self, maxima: &mut Maxima<K>, limits: &[u32; K]) {
        maxima.add(self.room(), limits);
    }
}

impl<const K: usize, T> Part<K> for Run<K, T> {
    fn last(&self) -> Rank<K> {
        self.last
    }

    fn add_to(&self, maxima: &mut Maxima<K>, _: &[u32; K]) {
        maxima.join(&self.maxima);
    }
}

/// The number of parts before the first that may hold groups of `rank` or higher.
pub(super) fn at_least<const K: usize>(parts: &[impl Part<K>], rank: &Rank<K>) -> usize {
    parts.partition_point(|part| part.last() < *rank)
}

fn maxima<const K: usize>(parts: &[impl Part<K>], limits: &[u32; K]) -> Maxima<K> {
    parts.iter().fold(Maxima::NONE, |mut maxima, part| {
        part.add_to(&mut maxima, limits);
        maxima
    })
}
