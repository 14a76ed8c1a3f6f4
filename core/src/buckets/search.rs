//! [`Buckets::search`]: classes of sizes with limits of their own, as cheap together as can be found.

use super::key::Key;
use super::line::{Division, Interval, Line};
use super::{Bucket, Buckets};
use crate::{Histogram, Limits, PackError, Size};
use alloc::vec;
use alloc::vec::Vec;

/// How much wider than the mean pack an interval's limits are thought to be, in standard deviations of random packs.
const MARGINS: [f64; 2] = [0.0, 0.5];

/// Number of divisions that are packed, for each number of shapes and each margin.
const PACKED: usize = 2;

impl Buckets {
    /// Returns classes of sizes with limits of their own, as cheap together as the search finds; their number is the
    /// number of shapes. The last limits are those of a single shape, and no others exceed them in any component, so
    /// that this shape has room for every graph and for a pack of every class.
    ///
    /// Takes about a second for a thousand distinct sizes. Errors if `graphs` is 0. No classes if there are no graphs.
    pub fn search(&self, histogram: &Histogram) -> Result<Vec<Bucket>, PackError> {
        Ok(self.search_each(histogram)?.pop().unwrap_or_default())
    }

    /// Returns what [`search`](Self::search) finds for at most 1 shape, at most 2, and so on.
    pub fn search_each(&self, histogram: &Histogram) -> Result<Vec<Vec<Bucket>>, PackError> {
        if histogram.graphs() == 0 {
            return Ok(vec![Vec::new(); self.shapes.max(1)]);
        }
        let mut single = Bucket::new(histogram.clone(), Limits::new(Size::of(histogram.sets(), |_| u32::MAX)));
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
    ) -> Result<Option<Vec<Bucket>>, PackError> {
        let mut best: Option<Vec<Bucket>> = None;
        for divided in divided {
            let of_shapes = divided.iter().map(|divisions| divisions.get(shapes - 1));
            let mut found: Vec<_> = lines.iter().zip(of_shapes).filter_map(|(line, of)| Some((line, of?))).collect();
            found.sort_by(|(_, a), (_, b)| a.cost.total_cmp(&b.cost));
            for (line, division) in found.into_iter().take(PACKED) {
                // Cannot fail: these graphs were counted before.
                let Ok(classes) = line.classes(division) else { continue };
                let mut buckets: Vec<_> = classes.into_iter().map(|class| Bucket::new(class, *most)).collect();
                buckets[..shapes - 1].iter_mut().try_for_each(|bucket| bucket.fit(self, Some(most)))?;
                buckets[shapes - 1].consider(self, vec![*most])?;
                if best.as_ref().is_none_or(|best| self.total(&buckets) < self.total(best)) {
                    best = Some(buckets);
                }
            }
        }
        let others = best.iter_mut().flat_map(|buckets| &mut buckets[..shapes - 1]);
        for bucket in others {
            bucket.refine(self, Some(most))?;
        }
        Ok(best)
    }

    /// What these buckets cost an epoch.
    pub fn total(&self, buckets: &[Bucket]) -> u128 {
        let packs = buckets.iter().map(|bucket| bucket.cost(self)).fold(0, u128::saturating_add);
        packs.saturating_add(u128::from(self.per_shape) * buckets.len() as u128)
    }

    /// What an interval may cost: its limits hold the most graphs of mean size, and a margin.
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
