//! [`Probe`]: the largest shape that a device takes, found by running steps.

use crate::{Cost, Histogram, LeastPadding, MAX_SETS, Shape, Size};
use alloc::vec::Vec;

/// Finds the largest shape of a batch with which a step fits into the memory of a device: proposes shapes, and is told
/// of each whether it ran.
///
/// Shapes have rows in the proportion of the data, and never fewer than the largest graph needs. From the smallest they
/// grow until a step runs out of memory or a batch holds all graphs. Then they are halved between the largest that ran
/// and the smallest that did not, until these differ by less than 2 %. Once, the smallest that did not run is tried
/// again, and shapes grow further if it runs. The largest that ran is run three times more, since fragmentation wastes
/// another part of the memory each time, and gets smaller where one of these fails. The answer is a shape that ran,
/// after about 20 steps.
///
/// If the peak of memory is told, too, a few small shapes show what each set needs, and by this
/// [fit](Self::memory) each next step takes about twice the memory. Otherwise shapes grow fourfold.
///
/// ```
/// use graphpack_core::{Histogram, LeastPadding, Probe, Shape};
///
/// // 1 GB of weights, 4 kB for a node, 20 kB for an edge, on a device of 10 GB.
/// let memory = |shape: &Shape| 1_000_000_000 + 4000 * u64::from(shape.size[0]) + 20_000 * u64::from(shape.size[1]);
/// let histogram = Histogram::from_counts([([20, 40], 500_000), ([31, 64], 200_000)])?;
/// let mut probe = Probe::new(&histogram, &LeastPadding::one_node(), 0.0);
/// while let Some(shape) = probe.next_shape() {
///     match memory(&shape) {
///         peak @ ..=10_000_000_000 => probe.ran(Some(peak)),
///         _ => probe.out_of_memory(),
///     }
/// }
/// let largest = memory(&probe.largest().expect("the largest graph fits"));
/// assert!((9_700_000_000..=10_000_000_000).contains(&largest) && probe.steps() < 30);
/// # Ok::<(), graphpack_core::HistogramError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Probe {
    /// Room for the largest graph.
    smallest: Shape,
    /// Mean rows of each set per graph.
    mean: [f64; MAX_SETS],
    /// The share of rows that is left free in the end.
    margin: f64,
    /// The number of all graphs.
    all: f64,
    /// Numbers of mean graphs of the largest shape that ran, and of the smallest that did not.
    ran: f64,
    failed: Option<f64>,
    /// Each shape with its peak of memory.
    peaks: Vec<(Shape, u64)>,
    /// How many shapes failed that had run before.
    stepped_back: u32,
    /// Whether the smallest that failed was tried again.
    again: bool,
    steps: usize,
    trial: Option<Trial>,
    largest: Option<Shape>,
}

#[derive(Clone, Copy, Debug)]
struct Trial {
    phase: Phase,
    /// Number of mean graphs.
    graphs: f64,
    shape: Shape,
}

#[derive(Clone, Copy, Debug)]
enum Phase {
    Smallest,
    Small,
    /// As small, with twice the rows of one set, or twice the graphs after the last set.
    Varied(usize),
    Grown,
    Halved,
    /// The smallest that failed.
    Again,
    /// What ran, or should, and how often it did.
    Confirmed(u32),
    WithMargin,
}

/// Mean graphs of the smallest shape: one graph at most, of which a shape has a quarter more.
const ONE: f64 = 0.8;
/// How much the small shape is larger than where rows exceed those of the smallest, of which rounding is a large part.
const SMALL: f64 = 8.0;
/// How shapes grow: without a fit, and the least and the most with one.
const GROWTH: f64 = 4.0;
const GROWTHS: [f64; 2] = [2.0, 64.0];
/// How near what ran and what did not come.
const NEAR: f64 = 1.02;
/// How often the largest shape must run.
const RUNS: u32 = 4;

impl Probe {
    /// Begins with the mean and the largest size of a histogram. Shapes have `padding` beside it. `margin` is the share
    /// of the rows, from 0 to less than 1, that the answer has less than the largest shape that ran.
    pub fn new(histogram: &Histogram, padding: &LeastPadding, margin: f64) -> Self {
        let (totals, count) = (histogram.totals(), histogram.graphs() as f64);
        let largest: Vec<u64> = histogram.largest().as_slice().iter().map(|&rows| rows.max(1).into()).collect();
        let smallest = padding.shape(&largest, 1).filter(|_| count > 0.0);
        let mut probe = Self {
            smallest: smallest.unwrap_or(Shape { size: Size::new([]), graphs: 0 }),
            mean: core::array::from_fn(|set| totals.get(set).map_or(0.0, |&total| total as f64 / count.max(1.0))),
            margin: margin.clamp(0.0, 1.0),
            all: count,
            ran: 0.0,
            failed: None,
            peaks: Vec::new(),
            stepped_back: 0,
            again: false,
            steps: 0,
            trial: None,
            largest: None,
        };
        let sets = (0..probe.smallest.size.sets()).filter(|&set| probe.mean[set] > 0.0);
        // Up to so many mean graphs, rows are those of the smallest.
        let least = sets.map(|set| f64::from(probe.smallest.size[set]) / probe.mean[set]).fold(count, f64::min);
        probe.trial = smallest.map(|shape| Trial { phase: Phase::Smallest, graphs: least, shape });
        probe
    }

    /// Returns the shape to run a step with; None if the answer is found, or if the smallest shape does not run. It stays
    /// the same until [`ran`](Self::ran) or [`out_of_memory`](Self::out_of_memory) says what came of it.
    pub fn next_shape(&self) -> Option<Shape> {
        self.trial.map(|trial| trial.shape)
    }

    /// The step ran, with this peak of memory in bytes, if it is known.
    pub fn ran(&mut self, peak: Option<u64>) {
        let Some(Trial { phase, graphs, shape }) = self.trial.take() else { return };
        self.steps += 1;
        self.peaks.extend(peak.filter(|&peak| peak > 0).map(|peak| (shape, peak)));
        match phase {
            Phase::Smallest => self.ran = ONE,
            Phase::Varied(_) => {}
            _ => self.ran = graphs,
        }
        let sets = self.smallest.size.sets();
        self.trial = match phase {
            Phase::Smallest => self.at(Phase::Small, graphs * SMALL),
            Phase::Small if !self.peaks.is_empty() => self.varied(0),
            Phase::Varied(set) if set < sets => self.varied(set + 1),
            Phase::Small | Phase::Varied(_) | Phase::Grown | Phase::Again => self.grown(),
            Phase::Halved => self.halved(),
            Phase::Confirmed(runs) if runs + 1 < RUNS => self.at(Phase::Confirmed(runs + 1), graphs),
            Phase::Confirmed(_) if self.margin > 0.0 => self.at(Phase::WithMargin, graphs * (1.0 - self.margin)),
            Phase::Confirmed(_) | Phase::WithMargin => {
                self.largest = Some(shape);
                None
            }
        };
    }

    /// The step ran out of memory.
    pub fn out_of_memory(&mut self) {
        let Some(Trial { phase, graphs, shape }) = self.trial.take() else { return };
        self.steps += 1;
        // Of a shape with more rows of one set it is known that twice the rows of all do not fit.
        self.failed = Some(if let Phase::Varied(_) = phase { 2.0 * graphs } else { graphs });
        self.trial = match phase {
            Phase::Smallest => None,
            Phase::Confirmed(_) | Phase::WithMargin if shape == self.smallest => {
                self.largest = Some(shape);
                None
            }
            Phase::Confirmed(_) | Phase::WithMargin => {
                // By 2 % twice, then by twice as much each second time.
                let mut less = (0..1_u32 << (self.stepped_back / 2).min(16)).fold(graphs, |graphs, _| graphs / NEAR);
                // Where there are few rows.
                while self.line(less) == shape {
                    less /= NEAR;
                }
                self.stepped_back += 1;
                self.at(Phase::Confirmed(0), less)
            }
            _ => self.halved(),
        };
    }

    /// Number of steps so far.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// Returns the answer, once there is no [next shape](Self::next_shape); None if the smallest shape does not run.
    pub fn largest(&self) -> Option<Shape> {
        self.largest
    }

    /// Returns what memory a row of each set, a graph and a step need, in bytes, by least squares of relative
    /// differences over all steps whose peak is known; None without any. Memory that does not grow in proportion to rows
    /// makes it inexact.
    pub fn memory(&self) -> Option<Cost> {
        let [rows @ .., graph, step] = self.fit()?.map(|bytes| bytes as u64);
        Some(Cost::rows::<MAX_SETS>(rows).graph(graph).step(step))
    }

    /// The shape of a number of mean graphs. A quarter more graphs than fit on average hardly binds.
    fn line(&self, graphs: f64) -> Shape {
        // A cast from float to integer saturates.
        let rows = |set: usize| libm::ceil(graphs * self.mean[set]) as u32;
        let size = Size::of(self.smallest.size.sets(), rows).max_each(&self.smallest.size);
        let padding = self.smallest.graphs.saturating_sub(1);
        Shape { size, graphs: (libm::ceil(graphs * 1.25) as u32).saturating_add(padding) }
    }

    fn at(&self, phase: Phase, graphs: f64) -> Option<Trial> {
        let graphs = graphs.clamp(ONE, self.all);
        Some(Trial { phase, graphs, shape: self.line(graphs) })
    }

    /// The small shape with more rows of one set, or more graphs.
    fn varied(&self, set: usize) -> Option<Trial> {
        let mut trial = self.at(Phase::Varied(set), self.ran)?;
        let twice = self.line(2.0 * self.ran);
        match trial.shape.size.as_slice().get(set) {
            Some(_) => trial.shape.size.set(set, twice.size[set]),
            None => trial.shape.graphs = twice.graphs,
        }
        Some(trial)
    }

    /// The shape that needs about twice the memory of the largest that ran.
    fn grown(&self) -> Option<Trial> {
        if self.ran >= self.all {
            return self.at(Phase::Confirmed(1), self.ran);
        }
        let growth = self.fit().map_or(GROWTH, |[rows @ .., graph, step]| {
            let each = rows.iter().zip(&self.mean).map(|(bytes, mean)| bytes * mean).sum::<f64>() + 1.25 * graph;
            (2.0 + step / (each * self.ran)).clamp(GROWTHS[0], GROWTHS[1])
        });
        self.at(Phase::Grown, self.ran * growth)
    }

    /// The shape between what ran and what did not, or what ran if these are near.
    fn halved(&mut self) -> Option<Trial> {
        let mut failed = self.failed?;
        while failed > self.ran * NEAR {
            let between = libm::sqrt(self.ran * failed);
            let trial = self.at(Phase::Halved, between)?;
            // Where there are few rows.
            if trial.shape == self.line(failed) {
                failed = between;
            } else if trial.shape == self.line(self.ran) {
                self.ran = between;
            } else {
                return Some(trial);
            }
        }
        if self.again {
            return self.at(Phase::Confirmed(1), self.ran);
        }
        // A failure may be one of another program.
        self.again = true;
        self.at(Phase::Again, failed)
    }

    /// Bytes for a row of each set, a graph and a step, none below 0: least squares of relative differences.
    fn fit(&self) -> Option<[f64; UNKNOWNS]> {
        let (largest, _) = self.peaks.last()?;
        // Numbers of rows are up to a million, those of steps one: in units of the last shape, all are near one.
        let of = |shape: &Shape| -> [f64; UNKNOWNS] {
            core::array::from_fn(|place| match place {
                STEP => 1.0,
                GRAPH => f64::from(shape.graphs),
                set => f64::from(shape.size[set]),
            })
        };
        let units = of(largest).map(|unit| unit.max(1.0));
        let mut kept: Vec<usize> = (0..UNKNOWNS).filter(|&place| of(largest)[place] > 0.0).collect();
        loop {
            let mut sums = [[0.0; UNKNOWNS + 1]; UNKNOWNS];
            for (shape, peak) in &self.peaks {
                let given = of(shape);
                let share = |place: usize| given[place] / units[place] / *peak as f64;
                for (row, &place) in kept.iter().enumerate() {
                    for (column, &other) in kept.iter().enumerate() {
                        sums[row][column] += share(place) * share(other);
                    }
                    sums[row][UNKNOWNS] += share(place);
                }
            }
            let found = solved(sums, kept.len());
            let least = (0..kept.len()).min_by(|&a, &b| found[a].total_cmp(&found[b]))?;
            if found[least] >= 0.0 {
                let mut bytes = [0.0; UNKNOWNS];
                kept.iter().zip(found).for_each(|(&place, found)| bytes[place] = found / units[place]);
                return Some(bytes);
            }
            kept.remove(least);
        }
    }
}

/// What is fitted: each set, graphs and steps.
const UNKNOWNS: usize = MAX_SETS + 2;
const GRAPH: usize = MAX_SETS;
const STEP: usize = MAX_SETS + 1;

/// Solves the first `size` equations, whose matrix is positive semidefinite; the right sides are the last column.
fn solved(mut rows: [[f64; UNKNOWNS + 1]; UNKNOWNS], size: usize) -> [f64; UNKNOWNS] {
    // Sets that no shape has varied have no solution of their own.
    (0..size).for_each(|place| rows[place][place] *= 1.0 + 1e-9);
    for pivot in 0..size {
        let by = rows[pivot];
        for (_, row) in rows.iter_mut().take(size).enumerate().filter(|&(row, _)| row != pivot) {
            let factor = row[pivot] / by[pivot];
            row.iter_mut().zip(by).for_each(|(left, by)| *left -= factor * by);
        }
    }
    core::array::from_fn(|place| if place < size { rows[place][UNKNOWNS] / rows[place][place] } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rand_core::{Rng, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    /// A device, and how it differs from one on which memory is the sum of what rows need.
    #[derive(Clone, Copy, Debug)]
    struct Device {
        rows: [f64; 3],
        graph: f64,
        step: f64,
        /// The most graphs with which a step runs.
        graphs: u32,
        /// Bytes for each pair of rows of the second set.
        pairs: f64,
        total: f64,
        /// The most that fragmentation wastes of the memory that is left beside a step's own.
        wasted: f64,
        /// By how much what is measured is wrong; None if nothing is.
        noise: Option<f64>,
        /// The step, from 0, that fails whatever its shape, before one is confirmed.
        fails: usize,
    }

    impl Device {
        fn needs(&self, shape: &Shape) -> f64 {
            if shape.graphs > self.graphs {
                return f64::INFINITY;
            }
            let rows = self.rows.iter().enumerate().map(|(set, bytes)| bytes * f64::from(shape.size[set])).sum::<f64>();
            let pairs = self.pairs * f64::from(shape.size[1]) * f64::from(shape.size[1]);
            self.step + self.graph * f64::from(shape.graphs) + rows + pairs
        }

        fn probe(&self, mut probe: Probe, seed: u64) -> Probe {
            let mut rng = Pcg64Mcg::seed_from_u64(seed);
            let mut share = || rng.next_u32() as f64 / u32::MAX as f64;
            while let Some(shape) = probe.next_shape() {
                let needs = self.needs(&shape);
                let confirmed = matches!(probe.trial, Some(Trial { phase: Phase::Confirmed(_), .. }));
                let fails = probe.steps() == self.fails && !confirmed;
                if fails || needs > self.total - self.wasted * share() * (self.total - self.step) {
                    probe.out_of_memory();
                } else {
                    probe.ran(self.noise.map(|noise| (needs * (1.0 + noise * (2.0 * share() - 1.0))) as u64));
                }
            }
            probe
        }
    }

    fn sizes(count: u64) -> Histogram {
        let counts = [([9, 18, 30], 5), ([20, 44, 100], 3), ([31, 64, 140], 1), ([150, 330, 700], 1)];
        Histogram::from_counts(counts.map(|(size, share)| (size, share * count))).unwrap()
    }

    fn devices() -> impl Strategy<Value = Device> {
        let noise = prop_oneof![Just(None), (0.0..0.2).prop_map(Some)];
        let bytes = (proptest::array::uniform3(0.0..1e5), 0.0..1e5, 0.0..1e10, prop_oneof![Just(0.0), 0.0..10.0]);
        let graphs = prop_oneof![Just(u32::MAX), 2..1000_u32];
        let fails = prop_oneof![Just(usize::MAX), 1..25_usize];
        // By a power: from what the largest graph needs to what a million graphs do.
        (bytes, noise, prop_oneof![Just(0.0), Just(0.03)], 0.0..6.0, graphs, fails).prop_map(
            |((rows, graph, step, pairs), noise, wasted, free, graphs, fails)| {
                let total = step + 3e7 * f64::powf(10.0, free);
                Device { rows, graph, step, graphs, pairs, total, wasted, noise, fails }
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn the_answer_fits_and_little_more_would(device in devices(), count in 1..100_000_u64, seed: u64) {
            let histogram = sizes(count);
            let begun = Probe::new(&histogram, &LeastPadding::one_node(), 0.0);
            let probe = device.probe(begun.clone(), seed);
            prop_assert!(probe.steps() <= 40, "{} steps", probe.steps());
            let always = |shape: &Shape| device.needs(shape) <= device.total - device.wasted * (device.total - device.step);
            let Some(found) = probe.largest() else {
                prop_assert!(probe.steps() == 1 && !always(&begun.smallest));
                return Ok(());
            };
            prop_assert!(device.needs(&found) <= device.total);
            let more = probe.line(probe.ran / 0.95);
            prop_assert!(probe.ran / 0.95 >= probe.all || !always(&more), "{found:?} is too small: {more:?} runs");
        }
    }

    #[test]
    fn memory_is_fitted_and_a_margin_kept() {
        let rows = [4000.0, 20_000.0, 300.0];
        let device = Device {
            rows,
            graph: 1e5,
            step: 1e9,
            graphs: u32::MAX,
            pairs: 0.0,
            total: 1e10,
            wasted: 0.0,
            noise: None,
            fails: usize::MAX,
        };
        let probe = |noise, margin| {
            let device = Device { noise, ..device };
            device.probe(Probe::new(&sizes(100_000), &LeastPadding::one_node(), margin), 7)
        };
        let Cost { rows: found, graph, step } = probe(Some(0.0), 0.0).memory().unwrap();
        let near = |found: u64, wanted: f64| (found as f64 / wanted - 1.0).abs() < 0.01;
        assert!((0..3).all(|set| near(found[set], rows[set])) && near(graph, 1e5) && near(step, 1e9), "{found:?}");
        assert_eq!(probe(None, 0.0).memory(), None);
        let nodes = |margin| f64::from(probe(None, margin).largest().unwrap().size[0]);
        assert!((nodes(0.1) / nodes(0.0) - 0.9).abs() < 0.01);
    }

    #[test]
    fn nothing_is_asked_of_no_graphs_and_nothing_found_where_none_fits() {
        let mut probe = Probe::new(&Histogram::default(), &LeastPadding::one_node(), 0.0);
        assert_eq!((probe.next_shape(), probe.largest()), (None, None));
        probe.ran(None);
        probe.out_of_memory();
        assert_eq!(probe.steps(), 0);
        let mut probe = Probe::new(&sizes(1), &LeastPadding::one_node(), 0.0);
        assert_eq!(probe.next_shape(), Some(Shape { size: Size::new([151, 330, 700]), graphs: 2 }));
        probe.out_of_memory();
        assert_eq!((probe.next_shape(), probe.largest(), probe.steps()), (None, None, 1));
    }
}
