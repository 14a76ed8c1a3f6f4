//! [`Dtypes`]: the dtype that each array gets on a device, and its bytes there; [`Elements`]: such an array.

use super::BurnError;
use burn_core::tensor::{Bool, BoolStore, DType, Device, Int, Tensor, TensorData};
use graphpack_loader::memory::ArrayInfo;
use graphpack_loader::{Batch, Dtype, f16};

/// The dtype that each array gets on a device.
pub(super) struct Dtypes<'a> {
    device: &'a Device,
    narrow: bool,
}

impl<'a> Dtypes<'a> {
    /// The dtypes of the data, or 32 bits in place of 64 if `narrow` is true or the device does not compute in 64.
    pub(super) fn on(device: &'a Device, narrow: bool) -> Self {
        Self { device, narrow }
    }

    pub(super) fn of(&self, dtype: Dtype) -> DType {
        let (own, narrow) = match dtype {
            Dtype::F32 => return DType::F32,
            Dtype::I32 => return DType::I32,
            // Devices differ in how many bytes a bool takes.
            Dtype::Bool => return self.device.settings().bool_dtype.into(),
            Dtype::F16 => (DType::F16, DType::F32),
            Dtype::F64 => (DType::F64, DType::F32),
            Dtype::I64 => (DType::I64, DType::I32),
            Dtype::U8 => (DType::U8, DType::I32),
        };
        let is_narrowed = self.narrow && dtype.bytes() == 8;
        if is_narrowed || !self.device.supports_dtype(own) { narrow } else { own }
    }
}

/// Appends the values of an array as `dtype`, of which [`Dtypes::of`] has said that it is for this array.
pub(super) fn append(batch: &Batch, array: &ArrayInfo, dtype: DType, bytes: &mut Vec<u8>) -> Result<(), BurnError> {
    let name = &array.name;
    let range = |element: usize, found: String, dtype: Dtype| BurnError::Range {
        name: name.clone(),
        expected: dtype,
        element,
        found,
    };
    match (array.dtype, dtype) {
        (Dtype::I64, DType::I32) => {
            for (element, &value) in batch.get::<i64>(name)?.iter().enumerate() {
                let value = i32::try_from(value).map_err(|_| range(element, value.to_string(), Dtype::I32))?;
                bytes.extend_from_slice(&value.to_ne_bytes());
            }
        }
        (Dtype::F64, DType::F32) => {
            for (element, &value) in batch.get::<f64>(name)?.iter().enumerate() {
                let rounded = value as f32;
                if rounded.is_infinite() && value.is_finite() {
                    return Err(range(element, value.to_string(), Dtype::F32));
                }
                bytes.extend_from_slice(&rounded.to_ne_bytes());
            }
        }
        (Dtype::F16, DType::F32) => {
            bytes.extend(batch.get::<f16>(name)?.iter().flat_map(|&value| f32::from(value).to_ne_bytes()));
        }
        (Dtype::U8, DType::I32) => {
            bytes.extend(batch.get::<u8>(name)?.iter().flat_map(|&value| i32::from(value).to_ne_bytes()));
        }
        (Dtype::Bool, DType::Bool(BoolStore::U32)) => {
            bytes.extend(batch.get::<bool>(name)?.iter().flat_map(|&value| u32::from(value).to_ne_bytes()));
        }
        _ => {
            if array.dtype == Dtype::Bool {
                // Errors if the source wrote other bytes than 0 and 1.
                batch.get::<bool>(name)?;
            }
            bytes.extend_from_slice(&batch.bytes()[array.range()]);
        }
    }
    Ok(())
}

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
