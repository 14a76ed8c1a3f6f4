//! [`BridgeError`]: what can go wrong between a batch and its tensors.

use graphpack_loader::{LoadError, Shape};
use tch::TchError;

/// A batch that cannot become tensors, or a device that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BridgeError {
    /// libtorch refused an operation.
    #[error("libtorch: {0}")]
    Torch(#[from] TchError),
    /// Memory cannot become a tensor.
    #[error("libtorch cannot use the memory of a batch: {0}")]
    Blob(String),
    /// Page-locked memory cannot be had.
    #[error("libtorch has no page-locked memory: {0}")]
    Pinned(String),
    /// A copy cannot be made.
    #[error("libtorch cannot copy a batch: {0}")]
    Copy(String),
    /// A stream cannot be had or used.
    #[error("libtorch cannot use a stream: {0}")]
    Stream(String),
    /// An event cannot be recorded or waited for.
    #[error("libtorch cannot use an event: {0}")]
    Event(String),
    /// An optimizer step cannot be made.
    #[error("libtorch cannot make a step of the optimizer: {0}")]
    Optimizer(String),
    /// A step cannot be recorded or replayed.
    #[error("libtorch cannot make a CUDA graph of the step: {0}")]
    Graph(String),
    /// A step that is recorded for some arrays was given others.
    #[error(
        "a captured step takes batches of the same arrays and types: batch {step} has others than the one that was recorded"
    )]
    Arrays {
        /// Number of the batch in its epoch.
        step: u64,
    },
    /// A step could not be recorded, this one or an earlier one, and none can be until the process is started again.
    #[error("no step can be recorded in this process any more, start it again; a recording failed: {0}")]
    Recorded(String),
    /// A step that is recorded for one shape was given another.
    #[error(
        "a captured step takes batches of one shape: batch {step} is of {found}, those before of {expected}; `shapes` allows several"
    )]
    Shape {
        /// Shape of the first batch.
        expected: Shape,
        /// Shape of this batch.
        found: Shape,
        /// Number of the batch in its epoch.
        step: u64,
    },
    /// The loader failed.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The thread that copies batches cannot be started.
    #[error("cannot start the thread that copies batches: {0}")]
    Thread(#[source] std::io::Error),
    /// The thread that copies batches panicked, in the iterator that it was given.
    #[error("the batches that are copied to the device panicked: {0}")]
    Panic(String),
    /// The batch has no such array.
    #[error("the batch has no array {name:?}")]
    Missing {
        /// Name asked for.
        name: String,
    },
    /// This libtorch was built without CUDA, or without what that needs.
    #[error("this libtorch has no CUDA: {0}")]
    NoCuda(String),
    /// libtorch has CUDA, but the machine has no driver.
    #[error("libtorch has CUDA, but there is no NVIDIA driver: {0}")]
    NoDriver(String),
    /// There are not that many devices.
    #[error("CUDA device {index} asked for, but the driver shows {available}")]
    NoDevice {
        /// Number of the device asked for.
        index: usize,
        /// Number of devices.
        available: usize,
    },
    /// A device that is neither the CPU nor CUDA.
    #[error("batches go to the CPU or to CUDA, not to {0:?}")]
    Device(tch::Device),
    /// A device name that is not understood.
    #[error("device {0:?} is neither cpu nor cuda nor cuda:N nor cuda:rank")]
    Name(String),
    /// `cuda:rank` without a rank.
    #[error(
        "cuda:rank takes the number of this process on its machine from LOCAL_RANK (torchrun) or OMPI_COMM_WORLD_LOCAL_RANK (Open MPI); found {0}"
    )]
    NoRank(String),
}
