//! [`Buckets::bound`]: a lower bound on the cost of any division into classes.

use super::Buckets;
use crate::Histogram;
use alloc::vec;
use alloc::vec::Vec;

impl Buckets {
    /// A lower bound on the cost of every division of these graphs into at most `shapes` classes, by size or otherwise,
    /// with any multiples as limits.
    ///
    /// All packs together have at least the rows of all graphs. And each pack of a class has room for the largest graph
    /// of the class, in each component, and no more than the most graphs. What that takes of a component by itself is
    /// least if classes are intervals of that component; those are found exactly.
    pub fn bound(&self, histogram: &Histogram) -> u128 {
        let (totals, count) = (histogram.totals(), u128::from(histogram.graphs()));
        let graphs = u128::from(self.graphs.max(1));
        let rows = (0..histogram.sets()).map(|k| {
            let covered = self.covered(histogram, k).div_ceil(graphs);
            totals[k].max(covered).saturating_mul(self.cost.rows[k].into())
        });
        let rows = rows.fold(u128::from(self.per_shape), u128::saturating_add);
        let steps = count.div_ceil(graphs).saturating_mul(self.cost.step.into());
        rows.saturating_add(count.saturating_mul(self.cost.graph.into())).saturating_add(steps)
    }

    /// The least sum over graphs of the largest rows of component `k` in their class, rounded up.
    fn covered(&self, histogram: &Histogram, k: usize) -> u128 {
        let mut rows: Vec<(u32, u64)> = histogram.entries().iter().map(|(size, count)| (size[k], *count)).collect();
        rows.sort_unstable();
        let mut values: Vec<u128> = Vec::new();
        let mut counts: Vec<u128> = vec![0];
        for (rows, count) in rows {
            let value = u128::from(self.rounded(rows));
            if values.last() != Some(&value) {
                values.push(value);
                counts.push(counts[counts.len() - 1]);
            }
            *counts.last_mut().unwrap_or(&mut 0) += u128::from(count);
        }
        // What the first values cost in one class more each time.
        let mut best: Vec<u128> = counts.iter().zip([0].iter().chain(&values)).map(|(n, value)| n * value).collect();
        for _ in 1..self.shapes.min(values.len()) {
            let before = best.clone();
            // Of more values, the last class never begins earlier: half of the choices are left on each side of the
            // middle.
            let mut open = vec![(1..best.len(), 0..values.len())];
            while let Some((ends, starts)) = open.pop() {
                if ends.is_empty() {
                    continue;
                }
                let end = usize::midpoint(ends.start, ends.end);
                let cost = |start: usize| before[start] + (counts[end] - counts[start]) * values[end - 1];
                let choices = starts.start..starts.end.min(end);
                let Some(start) = choices.min_by_key(|&start| cost(start)) else { continue };
                best[end] = cost(start);
                open.push((ends.start..end, starts.start..start + 1));
                open.push((end + 1..ends.end, start..starts.end));
            }
        }
        best.last().copied().unwrap_or(0)
    }
}
