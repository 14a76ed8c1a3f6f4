//! [`BatchInfo`]: what is known of a batch beside its arrays; [`BatchPosition`]: its place in the epoch.

use crate::error::Error;
use crate::layout::{Layout, Shape, SlotError};
use crate::plan::{EpochPlan, Run, State};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// What a batch is, beside the contents of its arrays: their names and shapes, how much of them is real, which graphs
/// these are, and where in its run the batch is. [`Batch`](crate::Batch) derefs to it, and so do the batches of tensors
/// that bridges make of it. All of it is on the host, so asking never waits for a device. It keeps the plan of its
/// epoch, 4 bytes for each graph, which the batches of an epoch share.
#[derive(Clone)]
pub struct BatchInfo {
    layout: Arc<Layout>,
    real: Shape,
    left_out: u64,
    /// Of a batch without some of its graphs.
    lacking: Option<Arc<Lacking>>,
    collating: Duration,
    position: BatchPosition,
}

/// Graphs that could not be loaded, each by its error, and the places of the others.
struct Lacking {
    errors: Vec<Error>,
    places: Vec<u32>,
}

impl BatchInfo {
    pub(super) fn new(
        layout: Arc<Layout>,
        Collated { real, left_out, failed }: Collated,
        collating: Duration,
        position: BatchPosition,
    ) -> Self {
        let lacking = (!failed.is_empty()).then(|| {
            let (lost, errors): (Vec<_>, Vec<_>) = failed.into_iter().unzip();
            let places = position.graphs().iter().enumerate().filter(|(place, _)| lost.binary_search(place).is_err());
            Arc::new(Lacking { errors, places: places.map(|(_, &graph)| graph).collect() })
        });
        let real = real.named(layout.schema().sets());
        Self { layout, real, left_out, lacking, collating, position }
    }

    /// Names, dtypes and shapes of the arrays, and where they lie in [`Batch::bytes`](crate::Batch::bytes). Tensors
    /// that a bridge made of them may have other dtypes.
    pub fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// The shape, the same for every batch of the loader unless there are several [`Shapes`](crate::Shapes).
    pub fn shape(&self) -> Shape {
        self.layout.shape()
    }

    /// Numbers of real rows of each set and of real graphs, without padding.
    pub fn real(&self) -> Shape {
        self.real
    }

    /// Returns the number of real rows of the set named `set`, without padding. Errors if there is no such set.
    pub fn real_rows(&self, set: &str) -> Result<usize, Error> {
        let schema = self.layout.schema();
        let place = schema.set(set).ok_or_else(|| SlotError::no_set(set, schema))?;
        Ok(self.real.sets()[place])
    }

    /// Numbers of real rows of each set and of real graphs that all ranks together have in this step, as planned: every
    /// rank knows them without communication. A sum over the graphs of this batch, divided by this number of graphs and
    /// summed over ranks, is the mean over all graphs of the step, also if some ranks have an empty batch.
    ///
    /// With one rank this is [`real`](Self::real). With several, what is planned but not written counts, too: graphs
    /// that could not be loaded, rows that maps leave out, rows that [`Oversize::Trim`](crate::Oversize::Trim) takes
    /// with the rows that it drops, and derived rows that follow from all of these. A mean over rows is then of another
    /// number than with one rank; sum the rows of [`real`](Self::real) over ranks for it.
    ///
    /// ```
    /// use graphpack_loader::{Batch, Loader, Options, Shard, molecules};
    ///
    /// let loss = |batch: &Batch| -> Result<f64, Box<dyn std::error::Error>> {
    ///     let y = &batch.get::<i64>("y")?[..batch.real().graphs()];
    ///     Ok(y.iter().sum::<i64>() as f64 / batch.real_of_step().graphs() as f64)
    /// };
    /// let loader = |graphs, shard| Loader::new(molecules::generate(7, 150), Options::graphs(graphs).shard(shard));
    /// let mut over_ranks = 0.0; // what an all-reduce adds up
    /// for rank in 0..8 {
    ///     // Some of the eight have an empty batch.
    ///     over_ranks += loss(&loader(32, Shard::new(rank, 8)?)?.epoch(0).next().ok_or("a batch")??)?;
    /// }
    /// let alone = loader(150, Shard::default())?.epoch(0).next().ok_or("a batch")??; // of all graphs
    /// assert!((over_ranks - loss(&alone)?).abs() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn real_of_step(&self) -> Shape {
        self.position.real_of_step().unwrap_or(self.real).named(self.layout.schema().sets())
    }

    /// Number of edges and other derived rows that were left out, since their graphs were planned with fewer
    /// ([`Connect::margin`](crate::Connect::margin)).
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// The errors of the graphs that could not be loaded and that the batch is without, which
    /// [`Error::graph`](crate::Error::graph) names; none unless [`OnError`](crate::OnError) says to skip them.
    pub fn failed(&self) -> &[Error] {
        self.lacking.as_ref().map_or(&[], |lacking| &lacking.errors)
    }

    /// Time that a worker needed to make this batch.
    pub fn collating(&self) -> Duration {
        self.collating
    }

    /// The epoch that the batch belongs to.
    pub fn epoch(&self) -> u64 {
        self.position.epoch()
    }

    /// Number of steps that the run made in this epoch before this batch, those before it was resumed included. To go
    /// on from a batch, take its [`state`](Self::state).
    pub fn step(&self) -> u64 {
        self.position.step()
    }

    /// Returns the state after this batch, from which [`Loader::resume`](crate::Loader::resume) continues with the
    /// next. Batches that workers have made ahead do not count.
    pub fn state(&self) -> State {
        self.position.state()
    }

    /// The place of each real graph in the data of the loader, from 0, by which
    /// [`GraphResults`](crate::GraphResults) puts results in the order of the data. They differ from
    /// [`Batch::graph_ids`](crate::Batch::graph_ids) where the data are part of a data set, or several. Batches of a
    /// [`Collator`](crate::Collator) are of no loader and have none.
    ///
    /// ```
    /// use graphpack_loader::{Data, Loader, Options, Order, molecules};
    ///
    /// let data = Data::from(molecules::generate(7, 100)).subset(vec![70, 80, 90])?;
    /// let batch = Loader::new(data, Options::graphs(3).order(Order::Shuffled))?.epoch(0).next().expect("a batch")?;
    /// let of_places = batch.places().iter().map(|&place| [70, 80, 90][place as usize]);
    /// assert!(of_places.eq(batch.graph_ids().iter().copied()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn places(&self) -> &[u32] {
        self.lacking.as_ref().map_or(self.position.graphs(), |lacking| &lacking.places)
    }
}

impl fmt::Debug for BatchInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BatchInfo")
            .field("epoch", &self.epoch())
            .field("step", &self.step())
            .field("real", &self.real)
            .field("shape", &self.shape())
            .finish_non_exhaustive()
    }
}

/// What was written into a batch.
pub(super) struct Collated {
    /// Numbers of real rows and graphs.
    pub(super) real: Shape,
    /// Number of derived rows that had no room.
    pub(super) left_out: u64,
    /// The places of graphs that could not be written, and why.
    pub(super) failed: Vec<(usize, Error)>,
}

/// The place of a batch in its epoch.
#[derive(Clone)]
pub(crate) struct BatchPosition {
    /// The run that made this batch, and how many of its steps come before.
    run: Arc<Run>,
    before: usize,
    plan: Arc<EpochPlan>,
    /// The number of the batch in the epoch of all ranks.
    batch: usize,
}

impl BatchPosition {
    /// Returns the position of batch number `batch` of `plan`, which a rank gets after `before` steps of `run`.
    pub(crate) fn new(run: &Arc<Run>, before: usize, plan: &Arc<EpochPlan>, batch: usize) -> Self {
        Self { run: run.clone(), before, plan: plan.clone(), batch }
    }

    /// The epoch of the batch.
    pub(super) fn epoch(&self) -> u64 {
        self.run.from().epoch()
    }

    /// Steps of the epoch that were made before this batch.
    pub(super) fn step(&self) -> u64 {
        self.run.from().steps_done() + self.before as u64
    }

    /// Numbers of real rows and graphs of the batches of all ranks in this step, as planned; `None` if there is one
    /// rank.
    pub(super) fn real_of_step(&self) -> Option<Shape> {
        (self.run.world() > 1).then(|| self.plan.real(self.run.step(self.before)))
    }

    /// The graphs of the batch; none if it only fills the last step of all ranks.
    pub(crate) fn graphs(&self) -> &[u32] {
        self.plan.graphs(self.batch)
    }

    /// How often each graph of the batch comes before in the epoch; none if no graph comes twice.
    pub(crate) fn copies(&self) -> &[u32] {
        self.plan.copies(self.batch)
    }

    /// The shape of the batch.
    pub(crate) fn shape(&self) -> Shape {
        self.plan.shape(self.batch)
    }

    /// Returns the state after this batch.
    pub(crate) fn state(&self) -> State {
        self.run.after(self.before + 1)
    }
}
