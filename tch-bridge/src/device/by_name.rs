//! Devices by name, with an error that says what is missing.

use crate::BridgeError;
use crate::ffi::{load_cuda, load_driver};
use std::env;
use tch::{Cuda, Device, Kind, Tensor};

/// The number of a process among those of its machine: torchrun's, Open MPI's.
const LOCAL_RANK: [&str; 2] = ["LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK"];

/// The device `cpu`, `cuda`, `cuda:N` or, with one process per device, `cuda:rank`; ready to be used.
///
/// Ask this before anything else about CUDA: it loads the part of libtorch that knows. And before the first backward pass, also one on the CPU:
/// libtorch counts then which devices get a thread for gradients, for good.
pub fn device(name: &str) -> Result<Device, BridgeError> {
    let index = match name {
        "cpu" => return Ok(Device::Cpu),
        "cuda" => 0,
        "cuda:rank" => rank(|name| env::var(name).ok())?,
        _ => {
            let index = name.strip_prefix("cuda:").and_then(|index| index.parse().ok());
            index.ok_or_else(|| BridgeError::Name(name.to_owned()))?
        }
    };
    load_cuda().map_err(BridgeError::NoCuda)?;
    let available = usize::try_from(Cuda::device_count()).unwrap_or(0);
    if index < available {
        let device = Device::Cuda(index);
        // Puts a context on this device. Threads that pin memory later use a context that is there, and else make one on device 0.
        let _ = Tensor::f_empty([1], (Kind::Uint8, device))?;
        return Ok(device);
    }
    load_driver().map_err(BridgeError::NoDriver)?;
    Err(BridgeError::NoDevice { index, available })
}

fn rank(value: impl Fn(&str) -> Option<String>) -> Result<usize, BridgeError> {
    let Some((name, rank)) = LOCAL_RANK.into_iter().find_map(|name| Some((name, value(name)?))) else {
        return Err(BridgeError::NoRank("neither".into()));
    };
    rank.trim().parse().map_err(|_| BridgeError::NoRank(format!("{name}={rank}")))
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
