//! [`Waiting`]: memory for a graph that waits; [`PackIds`]: the ids of the graphs of a pack; [`StreamError`]: why a
//! graph cannot be taken.

use crate::FixedLimits;
use crate::size::Tuple;

/// Memory for one graph, which the caller knows as `T`, while it waits in a stream for others of its pack.
///
/// Each stream says how many graphs wait at most. It needs memory for one more: the graph that comes.
#[derive(Clone, Copy, Debug)]
pub struct Waiting<T> {
    id: Option<T>,
    /// Where the next graph of the same list is.
    next: u32,
}

impl<T> Waiting<T> {
    /// Memory without a graph.
    pub const EMPTY: Self = Self { id: None, next: 0 };
}

/// Graphs that wait together, in the order in which they came.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct List {
    first: u32,
    last: u32,
    pub(super) graphs: u32,
}

/// All lists of a stream, linked in the memory that the caller gives.
#[derive(Debug)]
pub(super) struct Lists<'m, T> {
    memory: &'m mut [Waiting<T>],
    free: List,
}

impl<'m, T: Copy> Lists<'m, T> {
    pub(super) fn new(memory: &'m mut [Waiting<T>]) -> Self {
        let mut lists = Self { memory, free: List::default() };
        lists.clear();
        lists
    }

    /// Frees all memory.
    pub(super) fn clear(&mut self) {
        for (next, waiting) in (1..=u32::MAX).zip(self.memory.iter_mut()) {
            waiting.next = next;
        }
        let graphs = u32::try_from(self.memory.len()).unwrap_or(u32::MAX);
        self.free = List { first: 0, last: graphs.saturating_sub(1), graphs };
    }

    /// Adds a graph to the end of a list. Errors, without a change, if no memory is free.
    pub(super) fn push<const K: usize>(&mut self, list: &mut List, id: T) -> Result<(), StreamError<K>> {
        if self.free.graphs == 0 {
            return Err(StreamError::Memory { memory: self.memory.len() });
        }
        let place = self.free.first;
        let waiting = &mut self.memory[place as usize];
        waiting.id = Some(id);
        (self.free.first, self.free.graphs) = (waiting.next, self.free.graphs - 1);
        *list = self.join(*list, List { first: place, last: place, graphs: 1 });
        Ok(())
    }

    /// Takes the first `graphs` graphs from a list, which must have them.
    pub(super) fn split(&self, list: &mut List, graphs: u32) -> List {
        if graphs == 0 {
            return List::default();
        }
        let (first, mut last) = (list.first, list.first);
        for _ in 1..graphs {
            last = self.memory[last as usize].next;
        }
        (list.first, list.graphs) = (self.memory[last as usize].next, list.graphs - graphs);
        List { first, last, graphs }
    }

    /// Appends a list to another.
    pub(super) fn join(&mut self, list: List, more: List) -> List {
        if list.graphs == 0 || more.graphs == 0 {
            return if list.graphs == 0 { more } else { list };
        }
        self.memory[list.last as usize].next = more.first;
        List { first: list.first, last: more.last, graphs: list.graphs + more.graphs }
    }

    /// Frees the memory of a list, which is unchanged until the next graph comes.
    pub(super) fn release(&mut self, list: List) {
        self.free = self.join(list, self.free);
    }

    pub(super) fn ids(&self, list: List) -> PackIds<'_, T> {
        PackIds { memory: self.memory, next: list.first, left: list.graphs }
    }
}

/// The ids of the graphs of one pack.
#[derive(Clone, Debug)]
pub struct PackIds<'a, T> {
    memory: &'a [Waiting<T>],
    next: u32,
    left: u32,
}

impl<T: Copy> Iterator for PackIds<'_, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.left = self.left.checked_sub(1)?;
        let waiting = self.memory.get(self.next as usize)?;
        self.next = waiting.next;
        waiting.id
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left as usize, Some(self.left as usize))
    }
}

impl<T: Copy> ExactSizeIterator for PackIds<'_, T> {}

/// Why a stream cannot take a graph.
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StreamError<const K: usize> {
    /// The graph exceeds the limits on its own.
    #[error("a graph of size {} exceeds the limits {limits}", Tuple(size))]
    TooLarge {
        /// Its size.
        size: [u32; K],
        /// The most that a pack may hold, padding not included.
        limits: FixedLimits<K>,
    },
    /// The plan has no such size, or all graphs of it have come.
    #[error("expected at most {places} graphs of size {}, as in the plan, found one more", Tuple(size))]
    NoPlace {
        /// Its size.
        size: [u32; K],
        /// Number of graphs of that size in all packs of the plan.
        places: u64,
    },
    /// The memory is full of graphs that wait.
    #[error(
        "expected memory for {} graphs, those that wait and the one that comes, found memory for {memory}",
        .memory.saturating_add(1)
    )]
    Memory {
        /// Number of graphs that there is memory for.
        memory: usize,
    },
}

crate::debug_is_display::debug_is_display!(const K: StreamError<K>);
