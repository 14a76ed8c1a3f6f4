//! Devices by name, with an error that says what is missing.

use crate::BridgeError;
use crate::ffi::load_cuda;
use tch::{Cuda, Device};

/// The device `cpu`, `cuda` or `cuda:N`, ready to be used. Ask this before anything else about CUDA: it loads the part of libtorch that knows.
pub fn device(name: &str) -> Result<Device, BridgeError> {
    let index = match name {
        "cpu" => return Ok(Device::Cpu),
        "cuda" => Some(0),
        _ => name.strip_prefix("cuda:").and_then(|index| index.parse().ok()),
    };
    let index = index.ok_or_else(|| BridgeError::Name(name.to_owned()))?;
    load_cuda().map_err(BridgeError::NoCuda)?;
    let available = usize::try_from(Cuda::device_count()).unwrap_or(0);
    if index < available { Ok(Device::Cuda(index)) } else { Err(BridgeError::NoDevice { index, available }) }
}
