//! [`BurnBatch`]: a batch as burn tensors.

use super::BurnError;
use super::dtypes::{Dtypes, Elements, append};
#[cfg(feature = "wgpu")]
use super::views::views;
use burn_core::tensor::kind::Basic;
use burn_core::tensor::{Bool, Device, Int, Tensor};
use graphpack_loader::memory::ArrayInfo;
use graphpack_loader::{Batch, BatchInfo, Dtype, Error};
use std::ops::Deref;

/// A batch as burn tensors. What else is known of it is in its [`BatchInfo`].
///
/// Dtypes are those of the data, not the device's defaults, except where a device does not compute in them: then 64-bit
/// numbers get 32 bits and bytes become int32. Integers are checked, and one that does not fit is an error; floats are
/// rounded, and one that would become infinite is an error.
///
/// Arrays are read by name, with the number of their dimensions: fields and indices have two, vectors and the arrays
/// that batches have beside them one.
///
/// ```
/// use burn_core::tensor::{Bool, Device, Int, Tensor};
/// use graphpack_adapters::BurnBatch;
/// use graphpack_loader::{Loader, Options, molecules};
///
/// let loader = Loader::new(molecules::generate(1, 100), Options::graphs(16))?;
/// for batch in loader.epoch(0) {
///     let batch = BurnBatch::new(batch?, &Device::flex())?;
///     let x: Tensor<2, Int> = batch.int("x")?;
///     let mask: Tensor<1, Bool> = batch.bool("node_mask")?;
///     assert_eq!((x.dims(), mask.dims()), ([batch.shape().nodes(), 9], [batch.shape().nodes()]));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct BurnBatch {
    info: BatchInfo,
    arrays: Vec<Elements>,
}

impl BurnBatch {
    /// The tensors of a batch, on `device`.
    pub fn new(batch: Batch, device: &Device) -> Result<Self, BurnError> {
        Self::on(batch, device, false)
    }

    /// The tensors of a batch, on `device`, with 32 bits for 64-bit numbers on any device.
    pub fn narrow(batch: Batch, device: &Device) -> Result<Self, BurnError> {
        Self::on(batch, device, true)
    }

    pub(super) fn on(batch: Batch, device: &Device, narrow: bool) -> Result<Self, BurnError> {
        let dtypes = Dtypes::on(device, narrow);
        #[cfg(feature = "wgpu")]
        if let Some(arrays) = views(&batch, &dtypes, device) {
            return Ok(Self { arrays: arrays?, info: batch.into_parts().1 });
        }
        let arrays = batch.layout().arrays().iter().map(|array| {
            let (dtype, mut bytes) = (dtypes.of(array.dtype), Vec::with_capacity(array.range().len()));
            append(&batch, array, dtype, &mut bytes)?;
            Ok(Elements::new(bytes, dtype, device))
        });
        let arrays = arrays.collect::<Result<_, BurnError>>()?;
        Ok(Self { info: batch.into_parts().1, arrays })
    }

    /// The array `name` of floating-point numbers: `[rows, width]`, or `[rows]` for a vector.
    pub fn float<const D: usize>(&self, name: &str) -> Result<Tensor<D>, BurnError> {
        match self.array(name)? {
            (array, Elements::Float(tensor)) => shaped(array, tensor),
            (array, _) => Err(other(array, Dtype::F32)),
        }
    }

    /// The array `name` of integers: a field `[rows, width]`, an index `[width, rows]`, or `[rows]` as `batch` and
    /// an index of one column are.
    pub fn int<const D: usize>(&self, name: &str) -> Result<Tensor<D, Int>, BurnError> {
        match self.array(name)? {
            (array, Elements::Int(tensor)) => shaped(array, tensor),
            (array, _) => Err(other(array, Dtype::I64)),
        }
    }

    /// The array `name` of truth values: a field `[rows, width]`, or a vector such as `node_mask`.
    pub fn bool<const D: usize>(&self, name: &str) -> Result<Tensor<D, Bool>, BurnError> {
        match self.array(name)? {
            (array, Elements::Bool(tensor)) => shaped(array, tensor),
            (array, _) => Err(other(array, Dtype::Bool)),
        }
    }

    fn array(&self, name: &str) -> Result<(&ArrayInfo, &Elements), Error> {
        let position = self.layout().find(name)?;
        Ok((&self.layout().arrays()[position], &self.arrays[position]))
    }
}

impl Deref for BurnBatch {
    type Target = BatchInfo;

    fn deref(&self) -> &BatchInfo {
        &self.info
    }
}

fn other(array: &ArrayInfo, found: Dtype) -> BurnError {
    BurnError::Dtype { name: array.name.clone(), expected: array.dtype, found }
}

/// Returns the elements in the shape of their array.
fn shaped<const D: usize, K: Basic>(array: &ArrayInfo, tensor: &Tensor<1, K>) -> Result<Tensor<D, K>, BurnError> {
    let sizes: Vec<usize> = array.shape().collect();
    let sizes: [usize; D] = sizes.try_into().map_err(|sizes: Vec<usize>| BurnError::Dimensions {
        name: array.name.clone(),
        expected: sizes,
        found: D,
    })?;
    // burn does not reshape to a size of 0.
    let is_empty = sizes.contains(&0);
    Ok(if is_empty { Tensor::empty(sizes, (&tensor.device(), tensor.dtype())) } else { tensor.clone().reshape(sizes) })
}
