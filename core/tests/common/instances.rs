//! Histograms that are hard to pack, generated from fixed seeds.

use crate::draw::Draw;
use graphpack_core::{Histogram, Limits};

/// Three sizes of which one graph of each fills a pack, and no two of a kind share one.
pub(crate) fn one_of_each() -> (Histogram, Limits) {
    let counts = [([1999, 3], 100_000), ([7, 1999], 100_000), ([1000, 1001], 99_999)];
    (Histogram::from_counts(counts).unwrap(), Limits::new([4000, 4000]))
}

/// 300 distinct sizes of 250 to 999 nodes and edges, at most three to a pack, each with up to `most` graphs.
pub(crate) fn few_per_pack(seed: u64, most: u32) -> (Histogram, Limits) {
    let mut draw = Draw::new(seed);
    let mut counts = std::collections::BTreeMap::new();
    while counts.len() < 300 {
        let size = [draw.one(250..=999), draw.one(250..=999)];
        counts.insert(size, u64::from(draw.one(1..=most)));
    }
    (Histogram::from_counts(counts).unwrap(), Limits::new([1000, 1000]))
}

/// About 11,000 sizes of atoms, pairs of near atoms, bonds and pairs of bonds, like those of QM9, about eight to a
/// pack.
pub(crate) fn four_sets() -> (Histogram, Limits) {
    let mut draw = Draw::new(4);
    let sizes = (0..128_744).map(|_| {
        let atoms = draw.one(3..=9) + draw.one(3..=10) + draw.one(3..=10);
        let bonds = 2 * (atoms - 1 + draw.one(0..=2) + draw.one(0..=2));
        let near = atoms * (atoms - 1) * draw.one(76..=92) / 200 * 2;
        let pairs = 2 * (bonds * draw.one(87..=101) / 100);
        [atoms, near, bonds, pairs]
    });
    (Histogram::from_sizes(sizes).unwrap(), Limits::new([145, 2263, 301, 564]))
}
