//! Which way of batching trains fastest: [`Advice`] predicts it of [`Way`]s, by the [`Workload`] of each and by what a
//! step of a shape takes. [`Counted`] plans batches of sizes alone.

mod workload;

pub use workload::{Workload, probe_shapes};

use graphpack_core::{Budget, Cost, Limits, Packer, Size};
use graphpack_loader::step_cost::StepCost;
use graphpack_loader::{
    BoxError, Capacity, Error, Estimate, Grouping, Options, Schema, Shape, Shapes, Slot, Source, Worker,
};
use std::fmt;

/// How long a training is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Training {
    /// Every graph this number of times: ways whose batches have fewer graphs make more steps.
    Epochs(f64),
    /// This number of steps with every way, whatever graphs they have, as in the batching study.
    Steps(f64),
}

/// The most memory of a step, and what the rows and graphs of a batch need of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryLimit {
    /// Memory of rows of each set, of graphs, and of every step: bytes or another unit.
    pub cost: Cost,
    /// The most memory, in the same unit.
    pub budget: u64,
}

/// What a training takes with one way of making batches.
#[derive(Clone, Debug, PartialEq)]
pub struct Predicted {
    /// The way.
    pub way: Way,
    /// The shape of most batches.
    pub shape: Shape,
    /// Steps of the training.
    pub steps: f64,
    /// Mean milliseconds of a step, without compilation.
    pub step_milliseconds: f64,
    /// Distinct shapes that the training meets.
    pub shapes: f64,
    /// Seconds of the training, compilation of each shape included.
    pub seconds: f64,
    /// Memory of the largest batch; `None` without a [`MemoryLimit`].
    pub memory: Option<u128>,
}

/// The ways of making batches with the time that each needs for a training, fastest first.
///
/// ```
/// use graphpack_cli::advice::{Advice, Batching, Training, Way, Workload};
/// use graphpack_loader::step_cost::StepCost;
/// use graphpack_loader::{Loader, Options, Order, molecules};
///
/// let ways = Way::all(&Batching::ALL, &[16, 64]);
/// let mut workloads = Vec::new();
/// for way in ways {
///     let options = way.apply(Options::default().order(Order::Shuffled).seed(1));
///     let loader = Loader::new(molecules::generate(7, 1000), options)?;
///     workloads.push((way, Workload::of(&loader, 10_000, 100)?));
/// }
/// // 0.1 ms a step, 1 microsecond a node or edge; 2 s to compile a shape.
/// let cost = StepCost::of_rows([1e-3, 1e-3], 0.1).compile(2000.0);
/// let advice = Advice::new(&workloads, &cost, Training::Epochs(100.0), None);
/// // Several shapes do not pay here.
/// assert_eq!(advice.fastest().unwrap().way.batching, Batching::Packed);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Advice {
    /// The ways that are within the memory limit, fastest first.
    pub ways: Vec<Predicted>,
    /// The ways that exceed it.
    pub too_large: Vec<Predicted>,
}

impl Advice {
    /// Predicts the time of `training` for each workload.
    pub fn new(
        workloads: &[(Way, Workload)],
        cost: &StepCost,
        training: Training,
        memory: Option<MemoryLimit>,
    ) -> Self {
        let mut advice = Self::default();
        for (way, workload) in workloads {
            let Some(shape) = workload.common() else { continue };
            let steps = match training {
                Training::Epochs(epochs) => epochs * workload.batches_per_epoch(),
                Training::Steps(steps) => steps,
            };
            let (step_milliseconds, shapes) = (workload.milliseconds(cost), workload.shapes_met(steps));
            let seconds = (steps * step_milliseconds + shapes * cost.compilation()) / 1e3;
            let needed = memory.map(|memory| largest(workload, &memory.cost));
            let fits = memory.zip(needed).is_none_or(|(memory, needed)| needed <= u128::from(memory.budget));
            let predicted = Predicted { way: *way, shape, steps, step_milliseconds, shapes, seconds, memory: needed };
            if fits { &mut advice.ways } else { &mut advice.too_large }.push(predicted);
        }
        for ways in [&mut advice.ways, &mut advice.too_large] {
            ways.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
        }
        advice
    }

    /// The fastest way; `None` if there is none within the memory limit.
    pub fn fastest(&self) -> Option<&Predicted> {
        self.ways.first()
    }
}

/// Memory of the largest batch.
fn largest(workload: &Workload, cost: &Cost) -> u128 {
    let limits = |shape: &Shape| {
        let rows = |set: usize| shape.sets().get(set).map_or(0, |rows| u32::try_from(*rows).unwrap_or(u32::MAX));
        let graphs = u32::try_from(shape.graphs()).unwrap_or(u32::MAX);
        Limits { size: Size::of(shape.sets().len(), rows), graphs }
    };
    workload.shapes().iter().map(|(shape, _)| cost.of(&limits(shape))).max().unwrap_or(0)
}

/// A way of batching by the name that the batching study (Speckhard et al., arXiv 2502.00944) gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Batching {
    /// Graphs are packed by a plan, into one shape.
    Packed,
    /// Each graph goes to the open pack that it fits best, into one shape.
    Window,
    /// Graphs in order until one does not fit, into one shape: jraph's.
    Dynamic,
    /// A fixed number of graphs, each set padded to a multiple of 64 rows.
    Static64,
    /// A fixed number of graphs, each set padded to a power of two.
    StaticPow2,
    /// A fixed number of graphs in one shape that holds any.
    StaticConstant,
}

impl Batching {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Packed, Self::Window, Self::Dynamic, Self::Static64, Self::StaticPow2, Self::StaticConstant];
}

impl fmt::Display for Batching {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Packed => "packed",
            Self::Window => "window",
            Self::Dynamic => "dynamic",
            Self::Static64 => "static-64",
            Self::StaticPow2 => "static-2^N",
            Self::StaticConstant => "static-constant",
        })
    }
}

/// A way of making batches: a [`Batching`], and a batch size that counts the padding graph, as in jraph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Way {
    /// Which graphs share a batch, and its shape.
    pub batching: Batching,
    /// Graphs of a batch, the padding graph included; at least 2.
    pub batch_size: u32,
}

impl Way {
    /// Returns each batching with each batch size.
    pub fn all(batchings: &[Batching], batch_sizes: &[u32]) -> Vec<Self> {
        let of_size = |&batch_size: &u32| batchings.iter().map(move |&batching| Self { batching, batch_size });
        batch_sizes.iter().flat_map(of_size).collect()
    }

    /// Makes batches this way, with the other options as they are: in the shape of jraph's estimate for dynamic
    /// batching, of `batch_size - 1` graphs for all others.
    pub fn apply(&self, options: Options) -> Options {
        let graphs = self.batch_size.saturating_sub(1);
        let fixed = |shapes| (Capacity::exactly(graphs), Grouping::InOrder, shapes);
        let (capacity, grouping, shapes) = match self.batching {
            Batching::Packed => (Capacity::graphs(graphs), Packer::Auto(Budget::default()).into(), Shapes::One),
            Batching::Window => (Capacity::graphs(graphs), Grouping::Window(Grouping::DEFAULT_OPEN), Shapes::One),
            Batching::Dynamic => (Capacity::estimate(Estimate::Jraph, self.batch_size), Grouping::InOrder, Shapes::One),
            Batching::Static64 => fixed(Shapes::Multiple(64)),
            Batching::StaticPow2 => fixed(Shapes::PowerOfTwo),
            Batching::StaticConstant => fixed(Shapes::One),
        };
        options.capacity(capacity).grouping(grouping).shapes(shapes)
    }
}

/// Writes both: `static-64, batch size 32`.
impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, batch size {}", self.batching, self.batch_size)
    }
}

/// The graphs of a histogram: sizes without contents, to plan batches with. Its batches cannot be made.
pub struct Counted {
    schema: Schema,
    /// Each size, and the number of graphs up to and with it.
    sizes: Vec<(Size, u64)>,
}

impl Counted {
    /// Graphs of these sets, of each size as many as its count says.
    pub fn new(
        sets: impl IntoIterator<Item = impl AsRef<str>>,
        counts: impl IntoIterator<Item = (Size, u64)>,
    ) -> Result<Self, Error> {
        let mut all = 0_u64;
        let mut until = |(size, count): (Size, u64)| {
            all = all.saturating_add(count);
            (size, all)
        };
        let sizes = counts.into_iter().filter(|(_, count)| *count > 0).map(&mut until).collect();
        let sets: Vec<_> = sets.into_iter().collect();
        let schema = Schema::of(&sets.iter().map(AsRef::as_ref).collect::<Vec<_>>());
        schema.check()?;
        Ok(Self { schema, sizes })
    }
}

impl Source for Counted {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn len(&self) -> usize {
        self.sizes.last().map_or(0, |(_, until)| usize::try_from(*until).unwrap_or(usize::MAX))
    }

    fn size(&self, graph: usize) -> Result<Size, BoxError> {
        Ok(self.sizes[self.sizes.partition_point(|(_, until)| *until <= graph as u64)].0)
    }

    fn write(&self, _graph: usize, _slot: &mut Slot<'_>, _: &mut Worker) -> Result<(), BoxError> {
        Err("a histogram has no contents of graphs".into())
    }
}
