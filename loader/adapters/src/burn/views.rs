//! One copy of a whole batch to a device, and its arrays as views of that copy.

use super::BurnError;
use super::dtypes::{Dtypes, Elements, append};
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
