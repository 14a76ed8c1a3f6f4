//! Batches on a device, and what CUDA needs for that; devices by name.
//!
//! | file | what it has |
//! |---|---|
//! | `tensor_loader` | [`TensorLoader`]: a loader whose epochs are tensors on a device; [`DeviceLoader`]: one epoch, copied ahead of the step |
//! | `upload` | the thread that copies ahead, one copy after the other, on a stream of its own |
//! | `delivery`, `casts` | which arrays of a batch are copied, cast, or made on the device |
//! | `memory` | memory of the device that batches use in turn, and when it is free; [`Pinned`]: memory of the host that a GPU reads without the CPU |
//! | `stream` | [`Stream`] and [`Event`]: the order of work on a device |

mod casts;
mod delivery;
mod memory;
mod stream;
mod tensor_loader;
mod upload;

pub use memory::Pinned;
pub use stream::{Event, Stream, StreamGuard};
pub use tensor_loader::{DeviceLoader, TensorLoader};

pub(crate) use delivery::Delivery;
pub(crate) use memory::InUse;

use crate::ffi::{load_cuda, load_driver};
use crate::{BridgeError, Error};
use std::env;
use tch::{Cuda, Device, Kind, Tensor};

/// Environment variables with the rank of a process on its machine: torchrun's, Open MPI's.
const LOCAL_RANK: [&str; 2] = ["LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK"];

/// Returns the device `cpu`, `cuda` (the first one), `cuda:N` or, with one process per device, `cuda:rank`, ready to be
/// used.
///
/// Call this before any other question about CUDA: it loads the part of libtorch that can answer. Call it before the
/// first backward pass, too, even one on the CPU: that pass starts the threads for gradients, one per device that
/// libtorch knows by then, and never starts more.
pub fn device(name: &str) -> Result<Device, Error> {
    let index = match name {
        "cpu" => return Ok(Device::Cpu),
        "cuda" => 0,
        "cuda:rank" => rank(|name| env::var_os(name).map(|value| value.to_string_lossy().into_owned()))?,
        _ => {
            let index = name.strip_prefix("cuda:").and_then(|index| index.parse().ok());
            index.ok_or_else(|| BridgeError::Name(name.to_owned()))?
        }
    };
    load_cuda().map_err(BridgeError::NoCuda)?;
    let available = usize::try_from(Cuda::device_count()).unwrap_or(0);
    if index < available {
        let device = Device::Cuda(index);
        // Makes CUDA's context on this device. A thread that pins memory later uses a context that is there; without
        // one it makes one on device 0.
        let _ = Tensor::f_empty([1], (Kind::Uint8, device))?;
        return Ok(device);
    }
    load_driver().map_err(BridgeError::NoDriver)?;
    Err(BridgeError::NoDevice { index, available }.into())
}

fn rank(value: impl Fn(&str) -> Option<String>) -> Result<usize, Error> {
    let Some((name, rank)) = LOCAL_RANK.into_iter().find_map(|name| Some((name, value(name)?))) else {
        return Err(BridgeError::NoRank("neither".into()).into());
    };
    rank.trim().parse().map_err(|_| Error::from(BridgeError::NoRank(format!("{name}={rank}"))))
}

#[cfg(test)]
mod tests {
    use super::rank;

    #[test]
    fn ranks_come_from_the_launcher() {
        let with = |name: &'static str, rank: &'static str| move |asked: &str| (asked == name).then(|| rank.to_owned());
        assert_eq!(rank(with("LOCAL_RANK", "3")).expect("a number"), 3);
        assert_eq!(rank(with("OMPI_COMM_WORLD_LOCAL_RANK", "1")).expect("a number"), 1);
        let error = rank(with("LOCAL_RANK", "three")).expect_err("not a number").to_string();
        assert!(error.ends_with("found LOCAL_RANK=three"), "{error}");
        let error = rank(|_| None).expect_err("no number").to_string();
        assert!(error.ends_with("found neither"), "{error}");
    }
}
