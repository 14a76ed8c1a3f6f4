//! [`lift`]: packs of one component, filled with sizes of all components.

use crate::{Histogram, Limits, Plan, Size};
use alloc::collections::VecDeque;
use alloc::vec::Vec;

/// Fills packs of one component with whole sizes, those of the same value in turn from the smallest and from the
/// largest, so that the other components even out. Leaves out packs that exceed another limit.
pub(super) fn lift<const K: usize>(
    packs: &Plan<1>,
    component: usize,
    projection: &Histogram<1>,
    histogram: &Histogram<K>,
    limits: &Limits<K>,
) -> Plan<K> {
    let mut classes: Vec<VecDeque<(Size<K>, u64)>> = projection.entries().iter().map(|_| VecDeque::new()).collect();
    for &(size, count) in histogram.entries() {
        if let Ok(class) = projection.entries().binary_search_by_key(&[size.0[component]], |(size, _)| size.0) {
            classes[class].push_back((size, count));
        }
    }
    let mut lifted: Vec<(Vec<(Size<K>, u32)>, u64)> = Vec::new();
    for pack in packs.iter() {
        let class = |(size, times): &(Size<1>, u32)| {
            let class = projection.entries().binary_search_by_key(size, |(size, _)| *size).ok()?;
            Some((class, *times))
        };
        let column: Vec<(usize, u32)> = pack.contents.iter().filter_map(class).collect();
        let places = || column.iter().flat_map(|&(class, times)| (0..times).map(move |_| class)).enumerate();
        let mut left = pack.repeat;
        while left > 0 {
            // The number of equal packs for which the first and the last size of every class have graphs enough.
            let enough = |&(class, times): &(usize, u32)| {
                let ends = [classes[class].front(), classes[class].back()];
                ends.iter().map(|end| end.map_or(0, |(_, count)| count / u64::from(times))).min().unwrap_or(0)
            };
            let alike = column.iter().map(enough).fold(left, u64::min).max(1);
            let graphs = places().filter_map(|(place, class)| take(&mut classes[class], place % 2 == 0, alike));
            let contents: Vec<(Size<K>, u32)> = graphs.map(|size| (size, 1)).collect();
            let within = |k: usize| {
                contents.iter().map(|(size, _)| u64::from(size.0[k])).sum::<u64>() <= u64::from(limits.size.0[k])
            };
            if (0..K).all(within) {
                match lifted.last_mut() {
                    Some((last, repeat)) if *last == contents => *repeat += alike,
                    _ => lifted.push((contents, alike)),
                }
            }
            left -= alike;
        }
    }
    let mut plan = Plan::empty(*limits);
    for (contents, repeat) in lifted {
        plan.push(contents, repeat);
    }
    plan
}

/// Returns the first or the last size of a class and takes `graphs` from its count, which must not be smaller. A size
/// whose count becomes zero is removed.
fn take<const K: usize>(class: &mut VecDeque<(Size<K>, u64)>, first: bool, graphs: u64) -> Option<Size<K>> {
    let (size, count) = if first { class.front_mut() } else { class.back_mut() }?;
    let size = *size;
    *count -= graphs;
    if *count == 0 {
        if first {
            class.pop_front()
        } else {
            class.pop_back()
        };
    }
    Some(size)
}
