//! Batches on a device, and what CUDA needs for that.
//!
//! | file | what it has |
//! |---|---|
//! | `by_name` | the device `cpu`, `cuda`, `cuda:N` or `cuda:rank` |
//! | `tensor_loader` | [`TensorLoader`]: a loader whose epochs are tensors on a device; [`DeviceLoader`]: one epoch, copied ahead of the step |
//! | `upload_thread` | the thread that copies ahead |
//! | `upload` | one copy after the other, on a stream of its own |
//! | `delivery`, `casts` | which arrays of a batch are copied, cast, or made on the device |
//! | `memory` | memory of the device that batches use in turn, and when it is free; [`Pinned`]: memory of the host that a GPU reads without the CPU |
//! | `stream` | [`Stream`] and [`Event`]: the order of work on a device |

mod by_name;
mod casts;
mod delivery;
mod memory;
mod stream;
mod tensor_loader;
mod upload;
mod upload_thread;

pub use by_name::device;
pub use memory::Pinned;
pub use stream::{Event, Stream, StreamGuard};
pub use tensor_loader::{DeviceLoader, TensorLoader};

pub(crate) use delivery::Delivery;
pub(crate) use memory::InUse;
