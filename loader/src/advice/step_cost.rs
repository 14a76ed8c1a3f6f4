//! [`StepCost`]: what a step takes, as a function of its shape.

use super::fit::{COLUMNS, Point, fit};
use crate::layout::{MAX_SETS, Shape};
use std::collections::BTreeMap;
use std::time::Duration;

/// Steps that [`StepCost::measure`] times for each shape after the first.
const TIMED: usize = 3;

/// A step of a training that was timed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimedStep {
    /// The shape of the batch, padding included.
    pub shape: Shape,
    /// The time of the whole step, until the device is done.
    pub milliseconds: f64,
}

/// Milliseconds of a step: a part for each row of each set, a constant part, and a part for the first step of a shape.
///
/// ```
/// use graphpack_loader::advice::StepCost;
/// use graphpack_loader::Shape;
///
/// // 2 ms, 1 microsecond per node, 0.2 per edge.
/// let cost = StepCost::of_rows([1e-3, 2e-4], 2.0);
/// assert!((cost.milliseconds(&Shape::new([1000, 5000], 32)) - 4.0).abs() < 1e-9);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepCost {
    rows: [f64; MAX_SETS],
    step: f64,
    compile: f64,
    /// The median of the steps of each shape that was timed.
    timed: BTreeMap<Shape, f64>,
}

impl StepCost {
    /// A cost of `rows` milliseconds for each row of each set, and `step` for every step.
    pub fn of_rows<const K: usize>(rows: [f64; K], step: f64) -> Self {
        let row = |set: usize| rows.get(set).copied().unwrap_or(0.0);
        Self { rows: std::array::from_fn(row), step, ..Self::default() }
    }

    /// The same cost, with other milliseconds for the first step of each shape, as compilation takes them.
    #[must_use]
    pub fn compile(mut self, milliseconds: f64) -> Self {
        self.compile = milliseconds;
        self
    }

    /// Fits the cost to times of steps: relative to them, the sum of absolute errors is least. No part is negative.
    /// Sets whose rows are in proportion in all shapes cannot be told apart; [`probe_shapes`](super::probe_shapes)
    /// breaks the proportion. A shape that was timed costs the median of its times, any other what was fitted.
    pub fn fit(steps: &[TimedStep]) -> Self {
        let mut of_shapes = BTreeMap::<Shape, Vec<f64>>::new();
        let mut points: Vec<Point> = Vec::new();
        for step in steps {
            of_shapes.entry(step.shape).or_default().push(step.milliseconds);
            points.push((columns(&step.shape), step.milliseconds));
        }
        let used = 1 + of_shapes.keys().map(|shape| shape.sets().len()).max().unwrap_or(0);
        let timed = of_shapes.into_iter().map(|(shape, mut times)| (shape, median(&mut times))).collect();
        let found = fit(&points, used);
        Self { rows: std::array::from_fn(|set| found[1 + set]), step: found[0], compile: 0.0, timed }
    }

    /// Fits the cost to steps in the order in which a training made them. Of a shape with several steps, the first is
    /// the one that compiles: the median of what it takes longer than the others is the compilation of a shape.
    pub fn fit_with_compilation(steps: &[TimedStep]) -> Self {
        let mut of_shapes = BTreeMap::<Shape, Vec<f64>>::new();
        for step in steps {
            of_shapes.entry(step.shape).or_default().push(step.milliseconds);
        }
        let mut compiled = Vec::new();
        let mut later = Vec::new();
        for (shape, mut times) in of_shapes {
            let first = (times.len() > 1).then(|| times.remove(0));
            let milliseconds = median(&mut times);
            compiled.extend(first.map(|first| (first - milliseconds).max(0.0)));
            later.push(TimedStep { shape, milliseconds });
        }
        Self::fit(&later).compile(median(&mut compiled))
    }

    /// Fits the cost to a few steps of each of `shapes`. `step` makes a step on any batch of a shape and returns its
    /// time until the device is done.
    ///
    /// ```
    /// use graphpack_loader::advice::{StepCost, Way, Workload, probe_shapes};
    /// use graphpack_loader::{Batching, Capacity, Loader, Oversize, molecules};
    /// use std::time::Instant;
    ///
    /// let data = molecules::generate(7, 1000);
    /// let mut workloads = Vec::new();
    /// for way in Way::all(&Way::batchings(), &[16, 64]) {
    ///     workloads.push(Workload::of(&way.apply(Loader::new(data.clone()).shuffle(1)).build()?, 10_000, 100)?);
    /// }
    /// let cost = StepCost::measure(&probe_shapes(&workloads, 12), |shape| {
    ///     // A batch of any shape: dynamic batching fills it with as many graphs as fit.
    ///     let loader = Loader::new(data.clone()).batching(Batching::Dynamic).capacity(Capacity::Shape(*shape));
    ///     let loader = loader.oversize(Oversize::Skip).workers(0).build()?;
    ///     let batch = loader.epoch(0).next().ok_or("no graph fits")??;
    ///     let begun = Instant::now();
    ///     let sum: i64 = batch.get::<i64>("x")?.iter().sum(); // here the model makes its step
    ///     assert!(sum >= 0);
    ///     Ok::<_, Box<dyn std::error::Error>>(begun.elapsed())
    /// })?;
    /// assert!(cost.step() >= 0.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn measure<E>(shapes: &[Shape], mut step: impl FnMut(&Shape) -> Result<Duration, E>) -> Result<Self, E> {
        let mut steps = Vec::with_capacity(shapes.len() * (1 + TIMED));
        for shape in shapes {
            for _ in 0..=TIMED {
                steps.push(TimedStep { shape: *shape, milliseconds: step(shape)?.as_secs_f64() * 1e3 });
            }
        }
        Ok(Self::fit_with_compilation(&steps))
    }

    /// Milliseconds of a step of `shape` that is not the first.
    pub fn milliseconds(&self, shape: &Shape) -> f64 {
        self.timed.get(shape).copied().unwrap_or_else(|| self.fitted(shape))
    }

    /// Milliseconds of a step of `shape` by the fit, whether it was timed or not.
    pub fn fitted(&self, shape: &Shape) -> f64 {
        self.step + shape.sets().iter().zip(self.rows).map(|(rows, each)| *rows as f64 * each).sum::<f64>()
    }

    /// Milliseconds for each row of each set.
    pub fn rows(&self) -> &[f64; MAX_SETS] {
        &self.rows
    }

    /// Milliseconds of every step, whatever its shape.
    pub fn step(&self) -> f64 {
        self.step
    }

    /// Milliseconds that the first step of a shape takes besides.
    pub fn compilation(&self) -> f64 {
        self.compile
    }
}

/// 1 for the constant, and the rows of each set.
fn columns(shape: &Shape) -> [f64; COLUMNS] {
    let mut columns = [0.0; COLUMNS];
    columns[0] = 1.0;
    for (column, rows) in columns[1..].iter_mut().zip(shape.sets()) {
        *column = *rows as f64;
    }
    columns
}

/// The middle of some numbers, or the mean of the two in the middle; 0 of none.
fn median(numbers: &mut [f64]) -> f64 {
    numbers.sort_by(f64::total_cmp);
    match (numbers.len(), numbers.len() / 2) {
        (0, _) => 0.0,
        (count, middle) if count % 2 == 1 => numbers[middle],
        (_, middle) => f64::midpoint(numbers[middle - 1], numbers[middle]),
    }
}
