//! [`BridgeError`]: what can go wrong between a batch and its tensors.

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
    /// An event cannot be recorded.
    #[error("libtorch cannot record an event: {0}")]
    Event(String),
    /// The batch has no such array.
    #[error("the batch has no array {name:?}")]
    Missing {
        /// Name asked for.
        name: String,
    },
    /// This libtorch was built without CUDA.
    #[error("this libtorch has no CUDA: {0}")]
    NoCuda(String),
    /// libtorch has CUDA, but there is no driver or not that many devices.
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
    #[error("device {0:?} is neither cpu nor cuda nor cuda:N")]
    Name(String),
}
