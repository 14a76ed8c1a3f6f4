//! [`EpochOrder`]: the graphs of each batch of an epoch; [`InStep`]: takes packs so that graphs of all sizes are used
//! about in the order in which they are offered.

use crate::plan::PlanFingerprint;
use graphpack_core::Composition;
use std::ops::Range;

/// The graphs of one epoch, batch after batch.
#[derive(Default)]
pub(crate) struct EpochOrder {
    graphs: Vec<u32>,
    /// Where each batch ends in `graphs`.
    ends: Vec<usize>,
    /// Whether the last batch ended only because the epoch did.
    incomplete: bool,
    /// The order in which batches are handed over; `None` if it is that of `graphs`.
    sequence: Option<Vec<u32>>,
    /// The plan that the batches follow; `None` if there is none.
    plan: Option<PlanFingerprint>,
    /// How often the graph of each place comes before in the epoch; empty if no graph comes twice.
    copies: Vec<u32>,
}

impl EpochOrder {
    /// Returns an order without batches, with memory for `graphs` graphs.
    pub(super) fn with_capacity(graphs: usize) -> Self {
        Self { graphs: Vec::with_capacity(graphs), ..Self::default() }
    }

    /// Says which plan the batches follow.
    pub(super) fn follow(&mut self, plan: PlanFingerprint) {
        self.plan = Some(plan);
    }

    /// The plan that the batches follow; `None` if there is none.
    pub(crate) fn plan(&self) -> Option<PlanFingerprint> {
        self.plan
    }

    /// Adds a batch.
    pub(crate) fn push(&mut self, batch: impl IntoIterator<Item = u32>) {
        self.graphs.extend(batch);
        self.ends.push(self.graphs.len());
    }

    /// Adds a batch that ends because the epoch does.
    pub(super) fn push_incomplete(&mut self, batch: impl IntoIterator<Item = u32>) {
        self.push(batch);
        self.incomplete = true;
    }

    /// Adds the batches of `other`, which are in the order of its graphs.
    pub(super) fn append(&mut self, other: Self) {
        self.ends.extend(other.ends.iter().map(|end| self.graphs.len() + end));
        self.graphs.extend(other.graphs);
        self.incomplete |= other.incomplete;
        self.plan = self.plan.into_iter().chain(other.plan).reduce(PlanFingerprint::and);
    }

    /// Leaves out the last batch if it is incomplete.
    pub(super) fn drop_incomplete(&mut self) {
        if std::mem::take(&mut self.incomplete) {
            self.ends.pop();
            self.graphs.truncate(self.ends.last().copied().unwrap_or(0));
        }
    }

    /// Merges every `per_batch` consecutive batches, here packs, into one.
    pub(super) fn merge(mut self, per_batch: usize) -> Self {
        self.incomplete |= !self.ends.len().is_multiple_of(per_batch);
        self.ends = self.ends.chunks(per_batch).filter_map(|batch| batch.last().copied()).collect();
        self
    }

    /// Changes the order in which batches are handed over: batch i becomes the one that is number `places[i]` now.
    pub(crate) fn rearrange(&mut self, places: &[u32]) {
        let before = self.sequence.take();
        let batch = |&place: &u32| before.as_ref().map_or(place, |sequence| sequence[place as usize]);
        self.sequence = Some(places.iter().map(batch).collect());
    }

    /// Number of batches.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The graphs of batch `batch`; empty after the last batch.
    pub(crate) fn batch(&self, batch: usize) -> &[u32] {
        &self.graphs[self.places(batch)]
    }

    /// Where the graphs of batch `batch` are; nowhere after the last batch.
    fn places(&self, batch: usize) -> Range<usize> {
        if batch >= self.len() {
            return 0..0;
        }
        let batch = self.sequence.as_ref().map_or(batch, |sequence| sequence[batch] as usize);
        let start = if batch == 0 { 0 } else { self.ends[batch - 1] };
        start..self.ends[batch]
    }

    /// Counts how often the graph of each place comes before in the order in which batches are handed over. `firsts`
    /// has for each graph the first that is the same.
    pub(crate) fn count_copies(&mut self, firsts: &[u32]) {
        let (mut before, mut copies) = (vec![0; firsts.len()], vec![0; self.graphs.len()]);
        for place in (0..self.len()).flat_map(|batch| self.places(batch)) {
            let times = &mut before[firsts[self.graphs[place] as usize] as usize];
            copies[place] = *times;
            *times += 1;
        }
        self.copies = copies;
    }

    /// How often each graph of batch `batch` comes before in the epoch, as far as that was counted.
    pub(crate) fn copies(&self, batch: usize) -> &[u32] {
        self.copies.get(self.places(batch)).unwrap_or_default()
    }
}

/// Packs that are compared for each that is taken. With 8, graphs are a quarter farther from where they were offered;
/// with 64, a quarter nearer.
const COMPARED: u64 = 16;

/// Takes packs so that graphs of all sizes are used about in the order in which they are offered.
///
/// A pack takes the next graph of each size that it needs. In random order, packs use up the graphs of one size faster
/// than those of another, and how far apart they get grows with the square root of the number of graphs: of 16 million
/// molecules, packed by 128, a graph comes 70,000 places from where it was offered, and so 5,000 (simulated, root mean
/// square).
pub(super) struct InStep<'a> {
    packs: &'a Composition,
    /// Packs that are not taken yet.
    left: Vec<u32>,
    compared: u64,
    /// Graphs that were taken.
    graphs: i64,
}

impl<'a> InStep<'a> {
    pub(super) fn new(packs: &'a Composition) -> Self {
        Self { packs, left: (0..packs.packs() as u32).collect(), compared: 0, graphs: 0 }
    }

    /// Takes that pack, of a few, whose graphs were offered first; `place` returns where the next graph of a kind was
    /// offered.
    pub(super) fn next(&mut self, place: impl Fn(u32) -> u32) -> Option<&'a [u32]> {
        let pack = |at: usize| self.packs.pack(self.left[at] as usize);
        let late = |at: usize| pack(at).iter().map(|&kind| i64::from(place(kind)) - self.graphs).sum::<i64>();
        // The order of what is left is random, so that any of it will do.
        let few = (self.compared..self.compared + COMPARED).map(|number| {
            let spread = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
            ((spread * self.left.len() as u64) >> 32) as usize
        });
        let first = few.filter(|&at| at < self.left.len()).min_by_key(|&at| late(at))?;
        let taken = pack(first);
        self.left.swap_remove(first);
        self.compared += COMPARED;
        self.graphs += taken.len() as i64;
        Some(taken)
    }
}
