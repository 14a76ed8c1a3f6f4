//! [`BurnBatch`]: a batch as burn tensors, views of one copy of the whole batch to a device.

use super::BurnError;
use super::dtypes::{Dtypes, Elements, append};
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
/// Arrays are read by name, with the number of their dimensions: fields and indices have two, vectors and the arrays that
/// batches have beside them one.
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

    /// The array `name` of integers: a field `[rows, width]`, an index `[width, rows]`, or a vector such as `batch`.
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
    let sizes: Vec<usize> = [array.rows].into_iter().chain(array.width).collect();
    let sizes: [usize; D] = sizes.try_into().map_err(|sizes: Vec<usize>| BurnError::Dimensions {
        name: array.name.clone(),
        expected: sizes,
        found: D,
    })?;
    // burn does not reshape to a size of 0.
    let is_empty = sizes.contains(&0);
    Ok(if is_empty { Tensor::empty(sizes, (&tensor.device(), tensor.dtype())) } else { tensor.clone().reshape(sizes) })
}

// The name that burn's macros know it by.
use burn_core as burn;
use burn_core::backend::fusion::custom::TensorSpec;
use burn_core::backend::tensor::{BoolTensor, FloatTensor, IntTensor};
use burn_core::backend::{Backend, Dispatch, DispatchDevice, backend_extension};
use burn_core::tensor::kind::Autodiff;
use burn_core::tensor::{DType, Device, DispatchTensor, Int, Tensor, TensorData};
use burn_cubecl::CubeBackend;
use burn_cubecl::tensor::CubeTensor;
use graphpack_loader::Batch;

/// The type of the copy.
const WORD: DType = DType::U32;

/// Copies a batch to a device of CubeCL; none if the device is another. burn's tensors have one dtype
/// each, so that views are made below them: an array is a handle to some of the bytes.
pub(super) fn views(batch: &Batch, dtypes: &Dtypes<'_>, device: &Device) -> Option<Result<Vec<Elements>, BurnError>> {
    let plain = device.clone().without_autodiff();
    let DispatchDevice::Cube(cube) = plain.as_dispatch() else { return None };
    let alignment = cube.client().properties().memory.alignment as usize;
    Some(copied(batch, dtypes, alignment).map(|(bytes, views)| {
        let words = bytes.len() / WORD.size();
        let data = TensorData::from_bytes_vec(bytes, [words], WORD);
        let words: Tensor<1, Int> = Tensor::from_data(data, (&plain, WORD));
        views.into_iter().map(|view| view.elements(words.clone(), device)).collect()
    }))
}

/// The bytes of all arrays, and where each lies.
fn copied(batch: &Batch, dtypes: &Dtypes<'_>, alignment: usize) -> Result<(Vec<u8>, Vec<View>), BurnError> {
    let arrays = batch.layout().arrays();
    let mut bytes = Vec::with_capacity(batch.bytes().len() + arrays.len() * alignment);
    let views = arrays.iter().map(|array| {
        let (start, dtype) = (bytes.len(), dtypes.of(array.dtype));
        append(batch, array, dtype, &mut bytes)?;
        let length = (bytes.len() - start) / dtype.size();
        bytes.resize(bytes.len().next_multiple_of(alignment.max(WORD.size())), 0);
        Ok(View { start, length, dtype })
    });
    let views = views.collect::<Result<_, BurnError>>()?;
    Ok((bytes, views))
}

/// Where the elements of an array lie in the bytes of a batch.
#[derive(Clone, Debug)]
pub(super) struct View {
    start: usize,
    length: usize,
    dtype: DType,
}

impl View {
    fn elements(self, words: Tensor<1, Int>, device: &Device) -> Elements {
        let (words, dtype) = (words.into_dispatch(), self.dtype);
        match dtype {
            _ if self.length == 0 => Elements::new(Vec::new(), dtype, device),
            _ if dtype.is_float() => Elements::Float(on(Dispatch::float_view(words, self), device)),
            DType::Bool(_) => Elements::Bool(on(Dispatch::bool_view(words, self), device)),
            _ => Elements::Int(on(Dispatch::int_view(words, self), device)),
        }
    }

    fn spec(&self) -> TensorSpec {
        TensorSpec::new([self.length].into(), self.dtype)
    }

    fn of(&self, words: CubeTensor) -> CubeTensor {
        let CubeTensor { client, handle, meta, device, .. } = words;
        let after = meta.num_elements() * WORD.size() - self.start - self.length * self.dtype.size();
        let handle = handle.offset_start(self.start as u64).offset_end(after as u64);
        CubeTensor::new_contiguous(client, device, [self.length].into(), handle, self.dtype)
    }
}

/// A tensor with the gradients of a device: as all that is created there.
fn on<K: Autodiff>(tensor: DispatchTensor, device: &Device) -> Tensor<1, K> {
    let tensor = Tensor::from_dispatch(tensor);
    match device.gradient_checkpointing_strategy() {
        Some(strategy) => tensor.autodiff().with_gradient_checkpointing_strategy(strategy),
        None => tensor,
    }
}

/// Views, one method for each kind of tensor.
#[backend_extension(Cube, Fusion)]
pub(super) trait Views: Backend {
    #[fusion(meta = |_, view: &View| view.spec())]
    fn float_view(words: IntTensor<Self>, view: View) -> FloatTensor<Self>;

    #[fusion(meta = |_, view: &View| view.spec())]
    fn int_view(words: IntTensor<Self>, view: View) -> IntTensor<Self>;

    #[fusion(meta = |_, view: &View| view.spec())]
    fn bool_view(words: IntTensor<Self>, view: View) -> BoolTensor<Self>;
}

impl Views for CubeBackend {
    fn float_view(words: IntTensor<Self>, view: View) -> FloatTensor<Self> {
        view.of(words)
    }

    fn int_view(words: IntTensor<Self>, view: View) -> IntTensor<Self> {
        view.of(words)
    }

    fn bool_view(words: IntTensor<Self>, view: View) -> BoolTensor<Self> {
        view.of(words)
    }
}
