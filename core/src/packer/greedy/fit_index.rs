//! [`FitIndex`]: open packs in the order of their room; finds the first or the last that has room for a size.
//!
//! It holds [`Group`]s of equal packs in a tree of three levels ([`Run`]) with bounds of their room ([`Maxima`]), so
//! that a search skips what has none. [`Contents`] is what open packs hold.

use crate::FixedLimits;
use crate::lanes::Lanes;
use crate::packer::problem::Ranked;
use alloc::vec::Vec;
use core::cell::Cell;
use core::num::NonZeroUsize;

/// Shelf, block and group; valid until the next insertion or removal.
pub(super) type Place = (usize, usize, usize);

/// A hundred blocks of a hundred groups, about.
type Shelf<const K: usize> = Run<K, Run<K, Group<K>>>;

/// Groups in ascending order of rank, of equal ones the newest first, in blocks on shelves. A search skips a shelf or a
/// block that its maxima rule out. An insertion or a removal touches one block and one shelf.
pub(super) struct FitIndex<const K: usize> {
    limits: [u32; K],
    shelves: Vec<Shelf<K>>,
    /// Groups and blocks that searches have looked at, the measure of work.
    visits: Cell<u64>,
}

impl<const K: usize> FitIndex<K> {
    pub(super) fn new(limits: [u32; K]) -> Self {
        Self { limits, shelves: Vec::new(), visits: Cell::new(0) }
    }

    pub(super) fn insert(&mut self, group: Group<K>) {
        let (rank, room) = (group.rank(), group.room);
        let s = at_least(&self.shelves, &rank).min(self.shelves.len().saturating_sub(1));
        let Some(shelf) = self.shelves.get_mut(s) else {
            return self.shelves.push(Run::of(Run::of(group, &self.limits), &self.limits));
        };
        let b = at_least(&shelf.members, &rank).min(shelf.members.len() - 1);
        let block = &mut shelf.members[b];
        block.members.insert(at_least(&block.members, &rank), group);
        block.widen(rank, &room, &self.limits);
        let upper = block.split(&self.limits);
        shelf.widen(rank, &room, &self.limits);
        if let Some(upper) = upper {
            shelf.members.insert(b + 1, upper);
            if let Some(upper) = shelf.split(&self.limits) {
                self.shelves.insert(s + 1, upper);
            }
        }
    }

    pub(super) fn get(&self, (s, b, g): Place) -> &Group<K> {
        &self.shelves[s].members[b].members[g]
    }

    /// Takes `packs` packs out of the group at `place`.
    pub(super) fn take(&mut self, (s, b, g): Place, packs: u64) -> Group<K> {
        let shelf = &mut self.shelves[s];
        let block = &mut shelf.members[b];
        if block.members[g].packs > packs {
            return block.members[g].split(packs);
        }
        let group = block.members.remove(g);
        block.narrow(&group.room, &self.limits);
        if block.members.is_empty() {
            shelf.members.remove(b);
        }
        shelf.narrow(&group.room, &self.limits);
        if shelf.members.is_empty() {
            self.shelves.remove(s);
        }
        group
    }

    /// The first group whose key is at least `key` and that has room for a graph of `size`.
    pub(super) fn first(&self, key: u64, size: &[u32; K]) -> Option<Place> {
        let rank = (key, [0; K], 0);
        let count = |visits: usize| self.visits.set(self.visits.get() + visits as u64);
        let holds = |group: &Group<K>| group.key >= key && size.fits(&group.room);
        let in_shelf = |(s, shelf): (usize, &Shelf<K>)| {
            let blocks = shelf.members.iter().enumerate().skip(at_least(&shelf.members, &rank));
            let mut fitting = blocks.filter(|(_, block)| {
                count(1);
                block.maxima.may_hold(size)
            });
            fitting.find_map(|(b, block)| {
                let place = block.members.iter().position(holds);
                count(place.unwrap_or(block.members.len()));
                Some((s, b, place?))
            })
        };
        let shelves = self.shelves.iter().enumerate().skip(at_least(&self.shelves, &rank));
        shelves.filter(|(_, shelf)| shelf.maxima.may_hold(size)).find_map(in_shelf)
    }

    /// Groups and blocks that searches have looked at.
    pub(super) fn visits(&self) -> u64 {
        self.visits.get()
    }

    /// The last group with room for a graph of `size`.
    pub(super) fn last(&self, size: &[u32; K]) -> Option<Place> {
        let in_shelf = |(s, shelf): (usize, &Shelf<K>)| {
            let mut fitting = shelf.members.iter().enumerate().rev().filter(|(_, block)| block.maxima.may_hold(size));
            fitting.find_map(|(b, block)| Some((s, b, block.members.iter().rposition(|group| size.fits(&group.room))?)))
        };
        self.shelves.iter().enumerate().rev().filter(|(_, shelf)| shelf.maxima.may_hold(size)).find_map(in_shelf)
    }

    pub(super) fn into_groups(self) -> impl Iterator<Item = Group<K>> {
        self.shelves.into_iter().flat_map(|shelf| shelf.members).flat_map(|block| block.members)
    }
}

/// Members of a run at which it is split in two, so that an insertion moves at most this number of members.
const MOST_MEMBERS: usize = 128;

/// Members in ascending order of rank: the groups of a block, or the blocks of a shelf.
pub(super) struct Run<const K: usize, T> {
    pub(super) members: Vec<T>,
    /// No group in here has a higher rank, and none in the run after it has a lower one.
    last: Rank<K>,
    /// Bounds the room of all groups in here.
    pub(super) maxima: Maxima<K>,
}

impl<const K: usize, T: Member<K>> Run<K, T> {
    pub(super) fn of(member: T, limits: &[u32; K]) -> Self {
        let members = alloc::vec![member];
        Self { last: members[0].last(), maxima: maxima(&members, limits), members }
    }

    /// Updates rank and maxima after a group was inserted.
    pub(super) fn widen(&mut self, rank: Rank<K>, room: &[u32; K], limits: &[u32; K]) {
        self.last = self.last.max(rank);
        self.maxima.add(room, limits);
    }

    /// Updates the maxima after a group with this room was removed.
    pub(super) fn narrow(&mut self, room: &[u32; K], limits: &[u32; K]) {
        if self.maxima.follow_from(room, limits) {
            self.maxima = maxima(&self.members, limits);
        }
    }

    /// Splits off the upper half of a run that is full.
    pub(super) fn split(&mut self, limits: &[u32; K]) -> Option<Self> {
        if self.members.len() < MOST_MEMBERS {
            return None;
        }
        let members = self.members.split_off(MOST_MEMBERS / 2);
        let upper = Self { last: self.last, maxima: maxima(&members, limits), members };
        self.last = self.members.last().map_or(self.last, Member::last);
        self.maxima = maxima(&self.members, limits);
        Some(upper)
    }
}

/// A member of a [`Run`].
pub(super) trait Member<const K: usize> {
    /// The highest rank of a group, or more.
    fn last(&self) -> Rank<K>;
    /// Adds the room of all groups.
    fn add_to(&self, maxima: &mut Maxima<K>, limits: &[u32; K]);
}

impl<const K: usize> Member<K> for Group<K> {
    fn last(&self) -> Rank<K> {
        self.rank()
    }

    fn add_to(&self, maxima: &mut Maxima<K>, limits: &[u32; K]) {
        maxima.add(&self.room, limits);
    }
}

impl<const K: usize, T> Member<K> for Run<K, T> {
    fn last(&self) -> Rank<K> {
        self.last
    }

    fn add_to(&self, maxima: &mut Maxima<K>, _: &[u32; K]) {
        maxima.join(&self.maxima);
    }
}

/// The number of members before the first that may hold groups of `rank` or higher.
pub(super) fn at_least<const K: usize>(members: &[impl Member<K>], rank: &Rank<K>) -> usize {
    members.partition_point(|member| member.last() < *rank)
}

fn maxima<const K: usize>(members: &[impl Member<K>], limits: &[u32; K]) -> Maxima<K> {
    members.iter().fold(Maxima([[0; K]; K]), |mut maxima, member| {
        member.add_to(&mut maxima, limits);
        maxima
    })
}

/// The most room of groups, set by set, apart for those that have least of the first set, of the
/// second, and so on, as shares of the limits.
///
/// With one maximum for all, groups that have room in one set only and groups that have room in another only
/// would look like groups with room in both; these are most of what best-fit leaves open.
#[derive(Clone, Copy)]
pub(super) struct Maxima<const K: usize>([[u32; K]; K]);

impl<const K: usize> Maxima<K> {
    /// Whether a graph of `size` may have room in a group. There may be none although this is true.
    pub(super) fn may_hold(&self, size: &[u32; K]) -> bool {
        self.0.iter().any(|maximum| size.fits(maximum))
    }

    pub(super) fn add(&mut self, room: &[u32; K], limits: &[u32; K]) {
        let maximum = &mut self.0[scarcest(room, limits)];
        *maximum = maximum.max_each(room);
    }

    pub(super) fn join(&mut self, other: &Self) {
        for (maximum, other) in self.0.iter_mut().zip(&other.0) {
            *maximum = maximum.max_each(other);
        }
    }

    /// Whether the maxima may be lower without a group with this room.
    pub(super) fn follow_from(&self, room: &[u32; K], limits: &[u32; K]) -> bool {
        let maximum = &self.0[scarcest(room, limits)];
        (0..K).any(|k| room[k] == maximum[k])
    }
}

/// The set of which there is least as a share of the limits.
fn scarcest<const K: usize>(room: &[u32; K], limits: &[u32; K]) -> usize {
    let product = |a: usize, b: usize| u64::from(room[a]) * u64::from(limits[b]);
    (1..K).fold(0, |least, k| if product(k, least) < product(least, k) { k } else { least })
}

/// The order of open packs, the fullest first: the priority of the room, the room, and the graphs left.
pub(super) type Rank<const K: usize> = (u64, [u32; K], u32);

/// A number of open packs with the same contents.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group<const K: usize> {
    /// The priority of `room`.
    key: u64,
    /// What is left in each pack.
    room: [u32; K],
    pub(super) graphs_left: u32,
    pub(super) packs: u64,
    pub(super) contents: Chain,
    /// Whether the contents of another group begin with these.
    shared: bool,
}

impl<const K: usize> Group<K> {
    /// Empty packs.
    pub(super) fn empty(limits: &FixedLimits<K>, packs: u64) -> Self {
        let (room, graphs_left) = (limits.size, limits.graphs);
        Self { key: u64::MAX, room, graphs_left, packs, contents: None, shared: false }
    }

    /// The order of open packs, the fullest first.
    pub(super) fn rank(&self) -> Rank<K> {
        (self.key, self.room, self.graphs_left)
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

    /// Returns these packs with `times` more graphs of a size in each, for which there must be room.
    pub(super) fn fill(
        self,
        priority: impl Fn(&[u32; K]) -> u64,
        contents: &mut Contents,
        size: &Ranked<K>,
        times: u32,
    ) -> Self {
        let (key, room, graphs_left) = self.rank_with(priority, &size.size, times);
        let contents = contents.extend(self.contents, self.shared, size.number, times);
        Self { key, room, graphs_left, contents, shared: false, ..self }
    }

    /// Takes `packs` packs out; those that remain share their contents with them.
    pub(super) fn split(&mut self, packs: u64) -> Self {
        self.packs -= packs;
        self.shared = true;
        Self { packs, ..*self }
    }
}

/// The links of all chains. Packs that were filled alike share one chain until they differ, so that memory follows the
/// number of placements and not of graphs.
#[derive(Default)]
pub(super) struct Contents {
    links: Vec<Link>,
}

/// A number of graphs of one size, after those of another chain.
struct Link {
    /// The number of the size.
    size: u32,
    times: u32,
    before: Chain,
}

/// A chain, by the number of its last link, from 1; None is that of an empty pack.
pub(super) type Chain = Option<NonZeroUsize>;

impl Contents {
    /// The chain `before` with `times` graphs of `size` after it.
    pub(super) fn push(&mut self, before: Chain, size: u32, times: u32) -> Chain {
        self.links.push(Link { size, times, before });
        NonZeroUsize::new(self.links.len())
    }

    /// Like [`push`](Self::push), but a chain that is not `shared` and ends in the same size grows in place.
    pub(super) fn extend(&mut self, chain: Chain, shared: bool, size: u32, times: u32) -> Chain {
        match chain.map(|last| &mut self.links[last.get() - 1]) {
            Some(last) if !shared && last.size == size => {
                last.times += times;
                chain
            }
            _ => self.push(chain, size, times),
        }
    }

    /// Numbers of the sizes of a chain from the last to the first, with the number of graphs; a size may occur in
    /// several links.
    pub(super) fn iter(&self, chain: Chain) -> impl Iterator<Item = (u32, u32)> + '_ {
        let link = move |chain: Chain| chain.map(|link| &self.links[link.get() - 1]);
        core::iter::successors(link(chain), move |last| link(last.before)).map(|link| (link.size, link.times))
    }
}
