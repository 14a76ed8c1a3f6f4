//! [`FewShapes`]: a few limits in place of one, each for a [`SizeClass`] of its own.
//!
//! Packs of few graphs waste room where the largest graphs, or those of unusual proportions, set the limits for all. If
//! each class of sizes has its own limits, only packs of these graphs are large.
//!
//! [`FewShapes::search`] puts the sizes in the order of a key: the rows of a set, the cost of a graph, or the ratio of
//! two sets. It divides them into intervals by dynamic programming over what each interval would cost, for each key,
//! and packs the cheapest few for real. [`FewShapes::bound`] is a lower bound on the cost of any division into this
//! many classes, whatever its order and its limits.

mod line;

use crate::search::cheaper;
use crate::{Cost, Histogram, Limits, PackError, Size};
use alloc::vec;
use alloc::vec::Vec;
use line::{Division, Interval, Key, Line};

/// A few shapes in place of one: how many there may be, and what they cost. [`search`](Self::search) finds them.
///
/// ```
/// use graphpack_core::{FewShapes, Histogram};
///
/// // One graph in a hundred is ten times as large as the others.
/// let histogram = Histogram::from_counts([([10, 20], 990), ([100, 200], 10)])?;
/// let rows = |shapes| -> Result<u64, Box<dyn std::error::Error>> {
///     let classes = FewShapes::new(shapes, 2).search(&histogram)?;
///     Ok(classes.iter().map(|class| class.packs * (class.limits.size[0] + class.limits.size[1]) as u64).sum())
/// };
/// assert!(4 * rows(2)? < rows(1)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FewShapes {
    /// The most shapes that there may be.
    pub shapes: usize,
    /// The most graphs of a pack, whatever its shape.
    pub graphs: u32,
    /// All limits are multiples of this.
    pub multiple_of: u32,
    /// The cost of a step.
    pub cost: Cost,
    /// What each shape costs an epoch beyond its steps, such as its share of a compilation, in the unit of `cost`. A
    /// shape that saves less is not taken.
    pub per_shape: u64,
}

impl FewShapes {
    /// Asks for at most `shapes` shapes for packs of at most `graphs` graphs, whose limits are multiples of 8 and whose
    /// epoch has the fewest rows, padding included.
    pub const fn new(shapes: usize, graphs: u32) -> Self {
        Self { shapes, graphs, multiple_of: 8, cost: Cost::ROWS, per_shape: 0 }
    }

    /// Returns the next multiple, at least 1.
    pub(super) fn rounded(&self, rows: u32) -> u32 {
        rows.max(1).checked_next_multiple_of(self.multiple_of.max(1)).unwrap_or(u32::MAX)
    }
}

/// A class of sizes, and the limits of its packs: one of the shapes that [`FewShapes::search`] finds.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SizeClass {
    /// The limits.
    pub limits: Limits,
    /// The sizes, with their counts.
    pub histogram: Histogram,
    /// Number of packs, which is the number of steps per epoch with one pack each. Another packer than the search's may
    /// need fewer.
    pub packs: u64,
}

/// Limits that are tried have room for the most graphs of a pack at mean size, times each of these. Above 1 there is
/// room for packs of larger graphs; below 1, packs have fewer graphs.
const ROOM: [f64; 7] = [0.9, 1.0, 1.1, 1.2, 1.35, 1.6, 2.0];

impl SizeClass {
    /// A class that is not packed yet.
    pub(super) fn new(histogram: Histogram, limits: Limits) -> Self {
        Self { limits, histogram, packs: u64::MAX }
    }

    /// Tries limits for packs of mean size, and of more or less room, none of which exceeds `most`.
    pub(super) fn fit(&mut self, options: &FewShapes, most: Option<&Limits>) -> Result<(), PackError> {
        let (totals, count) = (self.histogram.totals(), self.histogram.graphs().max(1) as f64);
        let limits = ROOM.map(|room| {
            let graphs = f64::from(options.graphs).min(count) * room;
            // A cast from float to integer saturates.
            let rows = Size::of(self.histogram.sets(), |set| (totals[set] as f64 / count * graphs) as u32);
            self.at_least(options, rows, most)
        });
        self.consider(options, limits.to_vec())
    }

    /// Tries limits with one set at a time up to a tenth lower or higher.
    pub(super) fn refine(&mut self, options: &FewShapes, most: Option<&Limits>) -> Result<(), PackError> {
        for set in 0..self.histogram.sets() {
            let lean = |lean: i64| {
                let size = self.limits.size;
                let leaning = i64::from(size[set]) + i64::from(size[set]) * lean / 50;
                let leaning = u32::try_from(leaning).unwrap_or(u32::MAX);
                let size = Size::of(size.sets(), |other| if other == set { leaning } else { size[other] });
                self.at_least(options, size, most)
            };
            let limits = (-5..=5).map(lean).collect();
            self.consider(options, limits)?;
        }
        Ok(())
    }

    /// Packs under those of `limits` that would be cheaper with as few packs as the simple bound; keeps the cheapest.
    pub(super) fn consider(&mut self, options: &FewShapes, limits: Vec<Limits>) -> Result<(), PackError> {
        let cost = (self.packs < u64::MAX).then(|| self.cost(options));
        if let Some(found) = cheaper(&self.histogram, limits, &options.cost, cost)? {
            (self.limits, self.packs) = (found.limits, found.packs);
        }
        Ok(())
    }

    /// The limits of these rows, or of the largest graph where that has more, rounded up, but at most `most`, which has
    /// room for the largest graph.
    fn at_least(&self, options: &FewShapes, size: Size, most: Option<&Limits>) -> Limits {
        let largest = self.histogram.largest();
        let size = Size::of(size.sets(), |set| {
            let rows = options.rounded(size[set].max(largest[set]));
            most.map_or(rows, |most| rows.min(most.size[set]))
        });
        Limits::new(size).graphs(options.graphs)
    }

    /// Returns the cost of all packs.
    pub(super) fn cost(&self, options: &FewShapes) -> u128 {
        options.cost.of_epoch(self.packs, &self.limits)
    }
}

/// How much wider than the mean pack an interval's limits are thought to be, in standard deviations of random packs.
const MARGINS: [f64; 2] = [0.0, 0.5];

/// Number of divisions that are packed, for each number of shapes and each margin.
const PACKED: usize = 2;

impl FewShapes {
    /// Returns the cheapest classes of sizes that are found, one for each shape. The last class has the limits that a
    /// single shape would have, and no other class exceeds them in any set: so the last shape has room for every graph
    /// and for a pack of every class.
    ///
    /// Takes about a second for a thousand distinct sizes. Errors if `graphs` is 0. Returns no classes if there are no
    /// graphs.
    pub fn search(&self, histogram: &Histogram) -> Result<Vec<SizeClass>, PackError> {
        Ok(self.search_each(histogram)?.pop().unwrap_or_default())
    }

    /// Returns what [`search`](Self::search) finds for at most 1 shape, at most 2, and so on, up to one for each
    /// distinct size.
    pub fn search_each(&self, histogram: &Histogram) -> Result<Vec<Vec<SizeClass>>, PackError> {
        if histogram.graphs() == 0 {
            return Ok(vec![Vec::new()]);
        }
        self.for_graphs(histogram).search_in(histogram)
    }

    /// Returns these options with at most the graphs and the distinct sizes that there are.
    fn for_graphs(&self, histogram: &Histogram) -> Self {
        let graphs = self.graphs.min(u32::try_from(histogram.graphs()).unwrap_or(u32::MAX));
        Self { graphs, shapes: self.shapes.min(histogram.entries().len()), ..*self }
    }

    /// Searches with the options of [`for_graphs`](Self::for_graphs).
    fn search_in(&self, histogram: &Histogram) -> Result<Vec<Vec<SizeClass>>, PackError> {
        let mut single = SizeClass::new(histogram.clone(), Limits::new(Size::of(histogram.sets(), |_| u32::MAX)));
        single.fit(self, None)?;
        single.refine(self, None)?;
        let most = single.limits;
        let lines: Vec<_> = Key::all(histogram.sets()).map(|key| Line::new(histogram, key, &self.cost)).collect();
        let divided = MARGINS.map(|margin| {
            let divide = |line| Line::divide(line, self.shapes, |interval| self.estimate(interval, &most, margin));
            lines.iter().map(divide).collect::<Vec<_>>()
        });
        let mut all = vec![vec![single]];
        for shapes in 2..=self.shapes {
            let before = all[shapes - 2].clone();
            let least = Self { shapes, ..*self }.bound(histogram);
            let least = least.saturating_add(u128::from(self.per_shape) * (shapes as u128 - 1));
            let found = if least < self.total(&before) { self.packed(&lines, &divided, shapes, &most)? } else { None };
            all.push(found.filter(|found| self.total(found) < self.total(&before)).unwrap_or(before));
        }
        Ok(all)
    }

    /// Packs the cheapest divisions into `shapes` classes; returns the cheapest as packed.
    fn packed(
        &self,
        lines: &[Line],
        divided: &[Vec<Vec<Division>>],
        shapes: usize,
        most: &Limits,
    ) -> Result<Option<Vec<SizeClass>>, PackError> {
        let mut best: Option<Vec<SizeClass>> = None;
        for divided in divided {
            let of_shapes = divided.iter().map(|divisions| divisions.get(shapes - 1));
            let mut found: Vec<_> = lines.iter().zip(of_shapes).filter_map(|(line, of)| Some((line, of?))).collect();
            found.sort_by(|(_, a), (_, b)| a.cost.total_cmp(&b.cost));
            for (line, division) in found.into_iter().take(PACKED) {
                // Cannot fail: these graphs were counted before.
                let Ok(classes) = line.histograms(division) else { continue };
                let mut classes: Vec<_> = classes.into_iter().map(|class| SizeClass::new(class, *most)).collect();
                classes[..shapes - 1].iter_mut().try_for_each(|class| class.fit(self, Some(most)))?;
                classes[shapes - 1].consider(self, vec![*most])?;
                if best.as_ref().is_none_or(|best| self.total(&classes) < self.total(best)) {
                    best = Some(classes);
                }
            }
        }
        let others = best.iter_mut().flat_map(|classes| &mut classes[..shapes - 1]);
        for class in others {
            class.refine(self, Some(most))?;
        }
        Ok(best)
    }

    /// Returns what an epoch of these classes costs: all packs and `per_shape` for each class.
    pub fn total(&self, classes: &[SizeClass]) -> u128 {
        let packs = classes.iter().map(|class| class.cost(self)).fold(0, u128::saturating_add);
        packs.saturating_add(u128::from(self.per_shape) * classes.len() as u128)
    }

    /// Returns an estimate of an interval's cost: its limits hold the most graphs of mean size, and a margin.
    fn estimate(&self, interval: &Interval, most: &Limits, margin: f64) -> f64 {
        let graphs = f64::from(self.graphs);
        let (mut packs, mut cost) = (interval.graphs / graphs, 0.0);
        for k in 0..most.size.sets() {
            let limit = if interval.last {
                f64::from(most.size[k])
            } else {
                let rows = interval.mean[k] * graphs + margin * libm::sqrt(interval.variance[k] * graphs);
                f64::from(self.rounded((rows as u32).max(interval.largest[k])).min(most.size[k]))
            };
            packs = f64::max(packs, interval.rows[k] / limit);
            cost += self.cost.rows[k] as f64 * limit;
        }
        packs * (cost + self.cost.graph as f64 * graphs + self.cost.step as f64) + self.per_shape as f64
    }
}

impl FewShapes {
    /// Returns a lower bound on the cost of an epoch, however these graphs are divided into at most `shapes` classes
    /// and whichever multiples their limits are.
    ///
    /// All packs together have at least the rows of all graphs. And each pack of a class has room for the largest graph
    /// of the class, in each set, and no more than the most graphs. What that takes of a set by itself is
    /// least if classes are intervals of that set; those are found exactly.
    pub fn bound(&self, histogram: &Histogram) -> u128 {
        let (totals, count) = (histogram.totals(), u128::from(histogram.graphs()));
        let graphs = u128::from(self.for_graphs(histogram).graphs.max(1));
        let rows = (0..histogram.sets()).map(|k| {
            let covered = self.covered(histogram, k).div_ceil(graphs);
            totals[k].max(covered).saturating_mul(self.cost.rows[k].into())
        });
        let rows = rows.fold(u128::from(self.per_shape), u128::saturating_add);
        let steps = count.div_ceil(graphs).saturating_mul(self.cost.step.into());
        rows.saturating_add(count.saturating_mul(self.cost.graph.into())).saturating_add(steps)
    }

    /// The least sum over graphs of the largest rows of set `k` in their class, rounded up.
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
