//! Classes of hard instances from the literature on packing in several dimensions, drawn from seeds.

use crate::draw::Draw;
use graphpack_core::{Histogram, Limits, Size};

/// A histogram with its limits.
pub(crate) type Instance = (Histogram, Limits);

/// `graphs` graphs with `sets` sets, each of `rows` rows, in packs of 1,000: Caprara and Toth's classes for two sets.
pub(crate) fn uniform(sets: usize, rows: std::ops::RangeInclusive<u32>, graphs: u32, seed: u64) -> Instance {
    let mut draw = Draw::new(seed);
    let sizes = (0..graphs).map(|_| Size::of(sets, |_| draw.one(rows.clone())));
    packs_of(1000, sets, sizes)
}

/// Two sets, where one that is large makes the other small: their sum is `sum`, a fifth more or less.
pub(crate) fn anti_correlated(graphs: u32, sum: u32, seed: u64) -> Instance {
    let mut draw = Draw::new(seed);
    let sizes = (0..graphs).map(|_| {
        let first = draw.one(1..=sum - 1);
        let noise = draw.one(0..=2 * sum / 5);
        Size::new([first, (sum - first + noise).saturating_sub(sum / 5).max(1)])
    });
    packs_of(1000, 2, sizes)
}

/// `packs` packs that are full in every set, cut into `pieces` graphs each, and `copies` of every graph.
pub(crate) fn perfect(sets: usize, packs: u32, pieces: u32, copies: u64, seed: u64) -> Instance {
    let mut draw = Draw::new(seed);
    let mut sizes: Vec<(Size, u64)> = Vec::new();
    for _ in 0..packs {
        let cuts: Vec<Vec<u32>> = (0..sets).map(|_| parts(&mut draw, 1000, pieces)).collect();
        sizes.extend((0..pieces as usize).map(|piece| (Size::of(sets, |set| cuts[set][piece]), copies)));
    }
    (Histogram::from_counts(sizes).unwrap(), Limits::new(Size::of(sets, |_| 1000)))
}

/// Falkenauer's triplets: `packs` packs of three graphs that are full, with 250 to 500 rows each.
pub(crate) fn triplets(packs: u32, seed: u64) -> Instance {
    let mut draw = Draw::new(seed);
    let sizes = (0..packs).flat_map(|_| {
        let first = draw.one(380..=490);
        let second = draw.one(250..=(1000 - first) / 2 - 1);
        [first, second, 1000 - first - second].map(|rows| Size::new([rows]))
    });
    packs_of(1000, 1, sizes.collect::<Vec<_>>().into_iter())
}

/// The cutting-stock class of Gschwind and Irnich: `sizes` sizes between a thousandth and a quarter of a long limit, up
/// to a hundred graphs of each.
pub(crate) fn long_stock(sizes: u32, seed: u64) -> Instance {
    let mut draw = Draw::new(seed);
    let counts = (0..sizes).map(|_| (Size::new([draw.one(500..=125_000)]), u64::from(draw.one(1..=100))));
    (Histogram::from_counts(counts.collect::<Vec<_>>()).unwrap(), Limits::new([500_000]).graphs(u32::MAX))
}

/// About `sizes` sizes of two sets with counts that fall off as a power, most of them small.
pub(crate) fn skewed(sizes: u32, seed: u64) -> Instance {
    let mut draw = Draw::new(seed);
    let counts = (0..sizes).map(|_| {
        let small = |draw: &mut Draw| {
            let share = draw.one(1..=1000);
            1 + share * share / 1000 * draw.one(1..=4000) / 1000
        };
        let size = Size::new([small(&mut draw), small(&mut draw)]);
        (size, u64::from(20_000 / draw.one(1..=20_000)))
    });
    (Histogram::from_counts(counts.collect::<Vec<_>>()).unwrap(), Limits::new([4001, 4001]))
}

fn packs_of(limit: u32, sets: usize, sizes: impl Iterator<Item = Size>) -> Instance {
    (Histogram::from_sizes(sizes).unwrap(), Limits::new(Size::of(sets, |_| limit)))
}

/// `whole` cut at random into `pieces` parts of at least 1.
fn parts(draw: &mut Draw, whole: u32, pieces: u32) -> Vec<u32> {
    let mut cuts: Vec<u32> = Vec::new();
    while cuts.len() + 1 < pieces as usize {
        let cut = draw.one(1..=whole - 1);
        if !cuts.contains(&cut) {
            cuts.push(cut);
        }
    }
    cuts.extend([0, whole]);
    cuts.sort_unstable();
    cuts.windows(2).map(|ends| ends[1] - ends[0]).collect()
}
