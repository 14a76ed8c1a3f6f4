//! Histograms of any number of sets, generated from fixed seeds.

use crate::draw::Draw;
use graphpack_core::{Histogram, Limits, Size};

/// About `distinct` sizes of `sets` sets, each with some of the rows of the one before and a few of its own, and up to
/// `most` graphs of each; limits that hold about `graphs` of them.
pub(crate) fn of_sets(sets: usize, distinct: usize, most: u32, graphs: u32) -> (Histogram, Limits) {
    let mut draw = Draw::new(sets as u64);
    let counts = (0..distinct).map(|_| {
        let nodes = draw.one(3..=12) + draw.one(0..=12) + draw.one(0..=12);
        let mut size = vec![nodes];
        for _ in 1..sets {
            let rows = size[size.len() - 1] * draw.one(40..=130) / 100 + draw.one(0..=9);
            size.push(rows);
        }
        (size, u64::from(draw.one(1..=most)))
    });
    let counts: Vec<(Vec<u32>, u64)> = counts.collect();
    let rows = |set: usize| counts.iter().map(move |(size, _)| size[set]);
    let mean = |set: usize| rows(set).sum::<u32>() / distinct as u32 + 1;
    let limits = Size::of(sets, |set| (mean(set) * graphs).max(rows(set).max().unwrap_or(1)));
    let sizes = counts.iter().map(|(size, count)| (Size::of(sets, |set| size[set]), *count));
    (Histogram::from_counts(sizes).unwrap(), Limits::new(limits))
}
