//! [`InStep`]: takes packs so that graphs of all sizes are used about in the order in which they are offered.

use graphpack_core::Composition;

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
