//! [`BridgeError`]: what can go wrong between a batch and its tensors.

use graphpack_loader::{ArrayError, BuildError, LoadError, ResumeError, Shape};
use std::path::PathBuf;
use tch::TchError;

/// A batch that cannot become tensors, a device that cannot be used, or a step that cannot be recorded.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum BridgeError {
    /// libtorch refused an operation.
    #[error("libtorch: {0}")]
    Torch(#[from] TchError),
    /// libtorch cannot do what was asked: copy a batch, use a stream, record a step.
    #[error("libtorch cannot {what}: {why}")]
    Refused {
        /// What was asked for.
        what: &'static str,
        /// What libtorch says.
        why: String,
    },
    /// A saved state does not fit the optimizer.
    #[error("saved state of an optimizer: {0}")]
    State(String),
    /// Results of graphs do not fit the batch or the source.
    #[error("results of graphs: {0}")]
    Results(String),
    /// A checkpoint cannot be written, or does not fit the training.
    #[error("checkpoint {}: {why}", path.display())]
    Checkpoint {
        /// The file.
        path: PathBuf,
        /// What was expected, and what was found.
        why: String,
    },
    /// A step was given a batch whose arrays or dtypes differ from those that it was recorded with.
    #[error("a captured step takes batches of the same arrays and dtypes: batch {step} differs from the recorded one")]
    Arrays {
        /// Number of the batch in its epoch.
        step: u64,
    },
    /// A step was given a batch on another device than its own.
    #[error("a captured step takes batches on {expected:?}: batch {step} is on {found:?}")]
    Elsewhere {
        /// The device of the step.
        expected: tch::Device,
        /// The device of the batch.
        found: tch::Device,
        /// Number of the batch in its epoch.
        step: u64,
    },
    /// A cast to whole numbers of a type that does not have all values of the field's.
    #[error("field {name:?} cannot be cast from {from:?} to {to:?}, which does not have all of its values")]
    Cast {
        /// The field.
        name: String,
        /// The type that it has in the data set.
        from: tch::Kind,
        /// The type that was asked for.
        to: tch::Kind,
    },
    /// A recording failed, this one or an earlier one, and none succeeds until the process is restarted.
    #[error("no step can be recorded in this process any more, restart it; a recording failed: {0}")]
    Recorded(String),
    /// A step for one shape was given a batch of another.
    #[error(
        "a captured step takes batches of one shape: batch {step} has {found}, \
         expected {expected} as in the first; `CapturedStep::shapes` allows several shapes"
    )]
    Shape {
        /// Shape of the first batch.
        expected: Box<Shape>,
        /// Shape of this batch.
        found: Box<Shape>,
        /// Number of the batch in its epoch.
        step: u64,
    },
    /// The loader cannot be made.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The loader failed.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The loader cannot go on from a state.
    #[error(transparent)]
    Resume(#[from] ResumeError),
    /// The thread that copies batches cannot be started.
    #[error("cannot start the thread that copies batches: {0}")]
    Thread(#[source] std::io::Error),
    /// The iterator of batches panicked on the thread that copies them.
    #[error("the iterator of batches panicked on the thread that copies them to the device: {0}")]
    Panic(String),
    /// The batch has no such array.
    #[error(transparent)]
    Array(#[from] ArrayError),
    /// This libtorch was built without CUDA, or the libraries that CUDA needs are missing.
    #[error("this libtorch has no CUDA: {0}")]
    NoCuda(String),
    /// libtorch has CUDA, but the machine has no driver.
    #[error("libtorch has CUDA, but there is no NVIDIA driver: {0}")]
    NoDriver(String),
    /// There are fewer devices.
    #[error("CUDA device {index} asked for, but the driver shows {available}")]
    NoDevice {
        /// Index of the device that was asked for.
        index: usize,
        /// How many devices there are.
        available: usize,
    },
    /// A device that is neither the CPU nor CUDA.
    #[error("batches go to the CPU or to CUDA, not to {0:?}")]
    Device(tch::Device),
    /// A device name that is none.
    #[error("device {0:?} is neither cpu nor cuda nor cuda:N nor cuda:rank")]
    Name(String),
    /// `cuda:rank`, but no launcher has set a rank.
    #[error(
        "cuda:rank takes the rank of this process on its machine from LOCAL_RANK (torchrun) or \
         OMPI_COMM_WORLD_LOCAL_RANK (Open MPI); found {0}"
    )]
    NoRank(String),
}

graphpack_loader::graphpack_core::debug_is_display!(BridgeError);

impl BridgeError {
    /// Makes an error of what libtorch says when it cannot do something.
    pub(crate) fn cannot(what: &'static str) -> impl Fn(String) -> Self {
        move |why| Self::Refused { what, why }
    }
}
