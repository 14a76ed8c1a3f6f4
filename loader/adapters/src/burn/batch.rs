//! [`BurnBatch`]: a batch as burn tensors.

use burn_core::tensor::kind::Basic;
use burn_core::tensor::{Bool, Device, Int, Tensor, TensorData};
use graphpack_loader::{ArrayError, ArrayInfo, Batch, Dtype, Layout, Shape};
use std::sync::Arc;

/// A batch as burn tensors. The dtypes are those of the data, not the device's defaults.
///
/// Arrays are read by name, with the number of their dimensions: fields and indices have two, vectors and the arrays that
/// batches have beside them one.
///
/// ```
/// use burn_core::tensor::{Bool, Device, Int, Tensor};
/// use graphpack_adapters::BurnBatch;
/// use graphpack_loader::{Loader, molecules};
///
/// let loader = Loader::new(molecules::generate(1, 100)).batch_graphs(16).build()?;
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
    layout: Arc<Layout>,
    arrays: Vec<Elements>,
    real: Shape,
    epoch: u64,
    step: u64,
}

/// The elements of an array, row by row.
#[derive(Clone, Debug)]
enum Elements {
    Float(Tensor<1>),
    Int(Tensor<1, Int>),
    Bool(Tensor<1, Bool>),
}

impl BurnBatch {
    /// The tensors of a batch, on `device`.
    pub fn new(batch: Batch, device: &Device) -> Result<Self, BurnError> {
        let layout = batch.layout().clone();
        let arrays = layout.arrays().iter().map(|array| {
            let data = data(&batch, array)?;
            let options = (device, data.dtype());
            Ok(match array.dtype {
                Dtype::F32 | Dtype::F64 => Elements::Float(Tensor::from_data(data, options)),
                Dtype::I64 | Dtype::I32 | Dtype::U8 => Elements::Int(Tensor::from_data(data, options)),
                Dtype::Bool => Elements::Bool(Tensor::from_data(data, options)),
            })
        });
        let arrays = arrays.collect::<Result<_, ArrayError>>()?;
        Ok(Self { layout, arrays, real: batch.real(), epoch: batch.epoch(), step: batch.step() })
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

    /// Names, dtypes and shapes of the arrays.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The fixed shape.
    pub fn shape(&self) -> Shape {
        self.layout.shape()
    }

    /// How much of the shape is real.
    pub fn real(&self) -> Shape {
        self.real
    }

    /// The epoch that the batch belongs to.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// The number of the batch in its epoch.
    pub fn step(&self) -> u64 {
        self.step
    }

    fn array(&self, name: &str) -> Result<(&ArrayInfo, &Elements), ArrayError> {
        let position = self.layout.find(name)?;
        Ok((&self.layout.arrays()[position], &self.arrays[position]))
    }
}

fn other(array: &ArrayInfo, found: Dtype) -> BurnError {
    ArrayError::Dtype { name: array.name.clone(), expected: array.dtype, found }.into()
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

/// The elements of an array.
fn data(batch: &Batch, array: &ArrayInfo) -> Result<TensorData, ArrayError> {
    let name = &array.name;
    let sizes = [array.rows * array.width.unwrap_or(1)];
    Ok(match array.dtype {
        Dtype::F32 => TensorData::new(batch.get::<f32>(name)?.to_vec(), sizes),
        Dtype::F64 => TensorData::new(batch.get::<f64>(name)?.to_vec(), sizes),
        Dtype::I64 => TensorData::new(batch.get::<i64>(name)?.to_vec(), sizes),
        Dtype::I32 => TensorData::new(batch.get::<i32>(name)?.to_vec(), sizes),
        Dtype::U8 => TensorData::new(batch.get::<u8>(name)?.to_vec(), sizes),
        Dtype::Bool => TensorData::new(batch.get::<bool>(name)?.to_vec(), sizes),
    })
}

/// A batch that cannot become tensors, or a tensor that is missing or of another kind.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum BurnError {
    /// The batch has no such array, or not of this type, or the source wrote bytes that are not values of its dtype.
    #[error(transparent)]
    Array(#[from] ArrayError),
    /// The array has another number of dimensions.
    #[error("array {name:?} has shape {expected:?}, asked for {found} dimensions")]
    Dimensions {
        /// The array.
        name: String,
        /// Its shape.
        expected: Vec<usize>,
        /// The number of dimensions asked for.
        found: usize,
    },
}

graphpack_loader::graphpack_core::debug_is_display!(BurnError);
