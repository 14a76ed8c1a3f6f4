//! [`BatchInfo`]: what is known of a batch beside its arrays; [`BatchPosition`]: its place in the epoch.

use crate::error::Error;
use crate::layout::{Layout, Shape, SlotError};
use crate::plan::{EpochPlan, State};
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
    collating: Duration,
    position: BatchPosition,
}

impl BatchInfo {
    pub(super) fn new(
        layout: Arc<Layout>,
        (real, left_out): (Shape, u64),
        collating: Duration,
        position: BatchPosition,
    ) -> Self {
        let real = real.named(layout.schema().sets());
        Self { layout, real, left_out, collating, position }
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

    /// Number of edges and other derived rows that were left out, since their graphs were planned with fewer
    /// ([`Connect::margin`](crate::Connect::margin)).
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Time that a worker needed to make this batch.
    pub fn collating(&self) -> Duration {
        self.collating
    }

    /// The epoch that the batch belongs to.
    pub fn epoch(&self) -> u64 {
        self.position.epoch
    }

    /// The number of the batch in the epoch of this rank, from 0.
    pub fn step(&self) -> u64 {
        self.position.step
    }

    /// Returns the state after this batch, however many batches were made ahead of it:
    /// [`Loader::resume`](crate::Loader::resume) continues with the next.
    pub fn state(&self) -> State {
        self.position.state()
    }

    /// The place of each real graph in the data of the loader, from 0, by which
    /// [`GraphResults`](crate::GraphResults) puts results in the order of the data. They differ from
    /// [`Batch::graph_ids`](crate::Batch::graph_ids) where the data are part of a data set, or several.
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
        self.position.graphs()
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

/// The place of a batch in its epoch.
#[derive(Clone)]
pub(crate) struct BatchPosition {
    pub(super) epoch: u64,
    pub(super) step: u64,
    /// Batches already consumed by all ranks once this one is.
    done: u64,
    /// Any state of the same epoch order.
    run: Arc<State>,
    plan: Arc<EpochPlan>,
    /// The number of the batch in the epoch of all ranks.
    batch: usize,
}

impl BatchPosition {
    /// Returns the position of batch `step` of this rank in epoch `epoch`, which is number `batch` of `plan`. After it,
    /// all ranks together have consumed `done` batches of the epoch. `run` is any state of the same run.
    pub(crate) fn new(
        run: &Arc<State>,
        (epoch, step, done): (u64, u64, u64),
        (plan, batch): (&Arc<EpochPlan>, usize),
    ) -> Self {
        Self { epoch, step, done, run: run.clone(), plan: plan.clone(), batch }
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
        self.run.at(self.epoch, self.done)
    }
}
