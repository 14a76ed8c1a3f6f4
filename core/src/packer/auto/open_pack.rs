//! [`OpenPack`]: a pack that gives and takes graphs, and [`Handful`]: graphs that it may give.

use super::values::Values;
use crate::FixedLimits;
use crate::lanes::Lanes;
use alloc::vec::Vec;

/// Most handfuls of two graphs that are listed; of packs with more only single graphs are.
const MOST_PAIRS: usize = 1 << 11;

/// One pack and the room that it has left.
pub(super) struct OpenPack<const K: usize> {
    /// The number of each size once, with the number of its graphs.
    contents: Vec<(u32, u32)>,
    room: [u32; K],
    graphs_left: u32,
    /// What the room is worth.
    slack: u64,
}

/// Up to two graphs of one pack.
#[derive(Clone, Copy)]
pub(super) struct Handful<const K: usize> {
    value: u64,
    /// Sum over the graphs.
    size: [u32; K],
    /// The numbers of their sizes.
    graphs: [Option<u32>; 2],
}

impl<const K: usize> Handful<K> {
    fn new(values: &Values<'_, K>, graphs: [Option<u32>; 2]) -> Self {
        // Cannot overflow: the graphs share a pack, whose limits have 32 bits.
        let size = graphs.iter().flatten().fold([0; K], |sum, &number| sum.plus(values.size(number)));
        let number = graphs.iter().flatten().count() as u32;
        Self { value: values.of(&size, number), size, graphs }
    }

    pub(super) fn value(&self) -> u64 {
        self.value
    }

    fn number(&self) -> u32 {
        self.graphs.iter().flatten().count() as u32
    }
}

impl<const K: usize> OpenPack<K> {
    /// A pack with these graphs, which are within the limits.
    pub(super) fn new(contents: &[(u32, u32)], limits: &FixedLimits<K>, values: &Values<'_, K>) -> Self {
        let (room, graphs_left) = (limits.size, limits.graphs);
        let mut pack = Self { contents: Vec::new(), room, graphs_left, slack: values.of(&room, graphs_left) };
        for &(number, times) in contents {
            pack.put(values, number, times);
        }
        pack
    }

    pub(super) fn contents(&self) -> &[(u32, u32)] {
        &self.contents
    }

    pub(super) fn slack(&self) -> u64 {
        self.slack
    }

    /// Puts in `times` graphs, for which there must be room.
    fn put(&mut self, values: &Values<'_, K>, number: u32, times: u32) {
        let size = values.size(number);
        self.room = self.room.less(size, times);
        self.graphs_left -= times;
        self.slack -= values.of(size, 1) * u64::from(times);
        match self.contents.binary_search_by_key(&number, |(number, _)| *number) {
            Ok(place) => self.contents[place].1 += times,
            Err(place) => self.contents.insert(place, (number, times)),
        }
    }

    /// Takes out a graph, which the pack must hold.
    fn take(&mut self, values: &Values<'_, K>, number: u32) {
        let Ok(place) = self.contents.binary_search_by_key(&number, |(number, _)| *number) else { return };
        let size = values.size(number);
        self.room = self.room.plus(size);
        self.graphs_left += 1;
        self.slack += values.of(size, 1);
        self.contents[place].1 -= 1;
        if self.contents[place].1 == 0 {
            self.contents.remove(place);
        }
    }

    /// No graph, every single graph and every pair of graphs of this pack, in ascending order of value.
    pub(super) fn handfuls(&self, values: &Values<'_, K>) -> Vec<Handful<K>> {
        let sizes = self.contents.len();
        let mut found = alloc::vec![Handful::new(values, [None, None])];
        for (i, &(first, times)) in self.contents.iter().enumerate() {
            found.push(Handful::new(values, [Some(first), None]));
            if sizes * sizes <= 2 * MOST_PAIRS {
                let others = self.contents[i + usize::from(times == 1)..].iter();
                found.extend(others.map(|&(second, _)| Handful::new(values, [Some(first), Some(second)])));
            }
        }
        found.sort_unstable_by_key(|handful| (handful.value, handful.graphs));
        found
    }

    /// Whether there is room for `more` once `less` is taken out.
    pub(super) fn has_room(&self, less: &Handful<K>, more: &Handful<K>) -> bool {
        let fits = |k: usize| u64::from(more.size[k]) <= u64::from(self.room[k]) + u64::from(less.size[k]);
        (0..K).all(fits) && u64::from(more.number()) <= u64::from(self.graphs_left) + u64::from(less.number())
    }

    /// Gives `less` away and takes `more`.
    pub(super) fn swap(&mut self, values: &Values<'_, K>, less: &Handful<K>, more: &Handful<K>) {
        less.graphs.iter().flatten().for_each(|&number| self.take(values, number));
        more.graphs.iter().flatten().for_each(|&number| self.put(values, number, 1));
    }
}
