//! [`Elements`]: an array of a batch on a device.

use burn_core::tensor::{Bool, DType, Device, Int, Tensor, TensorData};

/// The elements of an array, row by row.
#[derive(Clone, Debug)]
pub(super) enum Elements {
    Float(Tensor<1>),
    Int(Tensor<1, Int>),
    Bool(Tensor<1, Bool>),
}

impl Elements {
    /// Copies an array to a device.
    pub(super) fn new(bytes: Vec<u8>, dtype: DType, device: &Device) -> Self {
        let length = bytes.len() / dtype.size();
        let data = TensorData::from_bytes_vec(bytes, [length], dtype);
        match dtype {
            _ if dtype.is_float() => Self::Float(Tensor::from_data(data, (device, dtype))),
            DType::Bool(_) => Self::Bool(Tensor::from_data(data, (device, dtype))),
            _ => Self::Int(Tensor::from_data(data, (device, dtype))),
        }
    }
}
