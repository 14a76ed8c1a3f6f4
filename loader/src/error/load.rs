//! [`LoadError`]: why an epoch ends early; [`OfBatch`]: where a run goes on after an error.

use super::{BoxError, Cause, Error, ErrorKind, own, panic_message};
use crate::layout::{MemoryError, SetNames, Shape};
use crate::plan::State;
use std::cell::Cell;
use std::error::Error as StdError;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::{fmt, io};

/// The error that an epoch ends with, as its last item.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LoadError {
    #[error("step {step}: graph {graph} cannot be loaded: {source}")]
    Source { step: usize, graph: u64, source: BoxError },
    #[error(
        "step {step}{} cannot be loaded: panic: {message}",
        .graph.map(|graph| format!(": graph {graph}")).unwrap_or_default()
    )]
    Panic { step: usize, graph: Option<u64>, message: String },
    #[error("step {step}: the batch cannot be prepared: {source}")]
    Prepare { step: usize, source: BoxError },
    #[error("step {step}: {source}")]
    Changed { step: usize, source: BoxError },
    #[error("step {step}: {source}")]
    Memory { step: usize, source: MemoryError },
    #[error("the graphs of epoch {epoch} cannot be packed: {source}")]
    Plan { epoch: u64, source: BoxError },
    #[error("epoch {epoch}: its graphs cannot be drawn: {source}")]
    DrawEpoch { epoch: u64, source: BoxError },
    #[error("epoch {epoch}: expected graphs of the sets, fields and indices of epoch 0, found others")]
    Schema { epoch: u64 },
    #[error("epoch {epoch}: {source}")]
    Build { epoch: u64, source: Error },
    #[error("cannot start a worker thread: {0}")]
    Thread(#[source] io::Error),
    #[error("step {step}: a batch of {} is more than can be addressed", .sets.shape(.found))]
    Unaddressable { step: usize, found: Box<Shape>, sets: SetNames },
    #[error("batch {batch} of all ranks has {}, and its padding is more than can be counted", .sets.shape(.found))]
    Uncountable { batch: usize, found: Box<Shape>, sets: SetNames },
    #[error(
        "epoch {epoch} has {batches} batches for {ranks} ranks, and a step without a batch for each is dropped: none is \
         left"
    )]
    NoSteps { epoch: u64, batches: usize, ranks: u32 },
    #[error("epoch {epoch} has no batch: drop_last leaves out what is incomplete, and nothing else is left")]
    NoBatches { epoch: u64 },
    #[error("cannot skip {steps} steps: this rank has {left} left")]
    Skip { steps: usize, left: usize },
}

impl LoadError {
    /// Calls `work` for the batch of step `step`, turning a panic into an error about the graph that `writing` names
    /// then.
    pub(crate) fn guard<T>(
        step: usize,
        writing: &Cell<Option<u64>>,
        work: impl FnOnce() -> Result<T, Error>,
    ) -> Result<T, Error> {
        catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
            Err(Self::Panic { step, graph: writing.get(), message: panic_message(&*panic) }.into())
        })
    }
}

impl Cause for LoadError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Source { source, .. } | Self::Prepare { source, .. }
                if own(source).is_some_and(|error| error.kind() == ErrorKind::Stopped) =>
            {
                ErrorKind::Stopped
            }
            _ => ErrorKind::Load,
        }
    }

    fn graph(&self) -> Option<u64> {
        match self {
            Self::Source { graph, .. } => Some(*graph),
            Self::Panic { graph, .. } => *graph,
            Self::Prepare { source, .. } | Self::DrawEpoch { source, .. } => own(source)?.graph(),
            Self::Build { source, .. } => source.graph(),
            _ => None,
        }
    }

    fn path(&self) -> Option<&Path> {
        match self {
            Self::Source { source, .. } | Self::Prepare { source, .. } | Self::Changed { source, .. } => {
                own(source)?.path()
            }
            Self::DrawEpoch { source, .. } => own(source)?.path(),
            Self::Build { source, .. } => source.path(),
            _ => None,
        }
    }

    fn step(&self) -> Option<usize> {
        match *self {
            Self::Source { step, .. }
            | Self::Panic { step, .. }
            | Self::Prepare { step, .. }
            | Self::Changed { step, .. }
            | Self::Memory { step, .. }
            | Self::Unaddressable { step, .. } => Some(step),
            _ => None,
        }
    }
}

/// An error in place of a batch, with the states around that batch.
#[derive(Debug)]
struct OfBatch {
    error: Error,
    before: State,
    after: State,
}

impl Error {
    /// Returns this error in place of the batch between two states.
    pub(crate) fn of_batch(self, before: State, after: State) -> Self {
        OfBatch { error: self, before, after }.into()
    }

    /// Returns the state before the batch that failed, from which [`Loader::resume`](crate::Loader::resume) makes the
    /// batch again. Errors of [`Epoch`](crate::Epoch) have it, unless the epoch cannot be planned or drawn.
    pub fn before(&self) -> Option<&State> {
        self.cause::<OfBatch>().map(|of_batch| &of_batch.before)
    }

    /// Returns the state after the batch that failed, from which [`Loader::resume`](crate::Loader::resume) leaves it
    /// out: on every rank, if all ranks resume from this state.
    pub fn after(&self) -> Option<&State> {
        self.cause::<OfBatch>().map(|of_batch| &of_batch.after)
    }
}

impl fmt::Display for OfBatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl StdError for OfBatch {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.error.0.source()
    }
}

impl Cause for OfBatch {
    fn kind(&self) -> ErrorKind {
        self.error.kind()
    }

    fn graph(&self) -> Option<u64> {
        self.error.graph()
    }

    fn path(&self) -> Option<&Path> {
        self.error.path()
    }

    fn step(&self) -> Option<usize> {
        self.error.step()
    }
}
