//! [`CandleBatch`]: a batch as candle tensors.

use candle_core::{Device, Tensor};
use graphpack_loader::memory::ArrayInfo;
use graphpack_loader::{Batch, BatchInfo, Dtype, Error, f16};
use std::fmt;
use std::ops::Deref;

/// A batch as candle tensors. What else is known of it is in its [`BatchInfo`].
///
/// ```
/// use candle_core::Device;
/// use graphpack_adapters::CandleBatch;
/// use graphpack_loader::{Loader, Options, molecules};
///
/// let loader = Loader::new(molecules::generate(1, 100), Options::graphs(16))?;
/// for batch in loader.epoch(0) {
///     let batch = CandleBatch::new(batch?, &Device::Cpu)?;
///     assert_eq!(batch.get("x")?.dims(), [batch.shape().nodes(), 9]);
///     assert_eq!(batch.get("edge_index")?.dims(), [2, batch.shape().edges()]);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct CandleBatch {
    info: BatchInfo,
    tensors: Vec<Tensor>,
}

impl CandleBatch {
    /// The tensors of a batch, on `device`.
    pub fn new(batch: Batch, device: &Device) -> Result<Self, CandleError> {
        let arrays = batch.layout().arrays().iter();
        let tensors = arrays.map(|array| tensor(&batch, array, device)).collect::<Result<_, _>>()?;
        Ok(Self { info: batch.into_parts().1, tensors })
    }

    /// The array `name`: a field or an index of the data set, or an array that batches have beside them. Masks are
    /// `u8`, 1 for real.
    pub fn get(&self, name: &str) -> Result<&Tensor, CandleError> {
        Ok(&self.tensors[self.layout().find(name)?])
    }
}

impl Deref for CandleBatch {
    type Target = BatchInfo;

    fn deref(&self) -> &BatchInfo {
        &self.info
    }
}

/// One array of a batch.
fn tensor(batch: &Batch, array: &ArrayInfo, device: &Device) -> Result<Tensor, CandleError> {
    let name = &array.name;
    let sizes: Vec<usize> = array.shape().collect();
    Ok(match array.dtype {
        Dtype::F16 => Tensor::from_slice(batch.get::<f16>(name)?, sizes, device)?,
        Dtype::F32 => Tensor::from_slice(batch.get::<f32>(name)?, sizes, device)?,
        Dtype::F64 => Tensor::from_slice(batch.get::<f64>(name)?, sizes, device)?,
        Dtype::I64 => Tensor::from_slice(batch.get::<i64>(name)?, sizes, device)?,
        Dtype::I32 => Tensor::from_slice(batch.get::<i32>(name)?, sizes, device)?,
        Dtype::U8 => Tensor::from_slice(batch.get::<u8>(name)?, sizes, device)?,
        Dtype::Bool => {
            let bytes: Vec<u8> = batch.get::<bool>(name)?.iter().map(|&bit| u8::from(bit)).collect();
            Tensor::from_vec(bytes, sizes, device)?
        }
    })
}

/// A batch that cannot become tensors, or a tensor that is missing.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum CandleError {
    /// The batch has no such array, or the source wrote bytes that are not values of its dtype.
    #[error(transparent)]
    Array(#[from] Error),
    /// An error of candle.
    #[error(transparent)]
    Candle(#[from] candle_core::Error),
}

/// The message, so that a `main` that returns the error and `unwrap` print it and not its fields.
impl fmt::Debug for CandleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
