//! Losses over the labelled targets of real rows, and means under a mask.

use super::rows::{checked_mask, column_like, floating, wide};
use crate::TensorBatch;
use tch::{Kind, Reduction, TchError, Tensor};

/// The rows of predictions and targets that count: those where a mask, bool `[rows]`, is true. A [`TensorBatch`] stands
/// for its `graph_mask`, for predictions about graphs; for other rows give their mask.
///
/// ```
/// use graphpack_loader::{Loader, Options, molecules};
/// use graphpack_tch::{TensorBatch, mse};
/// use tch::{Device, Kind};
///
/// let loader = Loader::new(molecules::generate(1, 100), Options::graphs(16))?;
/// let batch = TensorBatch::new(loader.epoch(0).next().ok_or("a batch")??, Device::Cpu)?;
/// let energies = batch.get("y")?.to_kind(Kind::Float); // [graphs, 1]
/// let forces = batch.get("x")?.to_kind(Kind::Float).narrow(1, 0, 3); // [nodes, 3]
/// let of_graphs = mse(&energies.zeros_like(), &energies, &batch)?;
/// let of_nodes = mse(&forces.zeros_like(), &forces, batch.node_mask()?)?;
/// # assert!(f64::try_from(of_graphs + of_nodes)? > 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait RowMask {
    /// The mask, bool `[rows]`.
    fn row_mask(&self) -> &Tensor;
}

impl RowMask for TensorBatch {
    fn row_mask(&self) -> &Tensor {
        self.graph_mask()
    }
}

impl RowMask for Tensor {
    fn row_mask(&self) -> &Tensor {
        self
    }
}

impl<M: RowMask> RowMask for &M {
    fn row_mask(&self) -> &Tensor {
        (**self).row_mask()
    }
}

/// Mean of all values in places where `mask` is true; zero if it is true nowhere. The mask has the size of the values
/// or of their first dimensions: `[rows]` for values `[rows]`, `[rows, 3]` and so on.
pub fn masked_mean(values: &Tensor, mask: &Tensor) -> Result<Tensor, TchError> {
    floating(values)?;
    let (size, of_mask) = (values.size(), mask.size());
    if mask.kind() != Kind::Bool {
        return Err(TchError::Kind(format!("mask is {:?}, expected Bool", mask.kind())));
    }
    if !size.starts_with(&of_mask) {
        return Err(TchError::Shape(format!(
            "values have size {size:?}, their mask {of_mask:?}: expected the same size, or {:?}",
            size.get(..1).unwrap_or_default()
        )));
    }
    let each: i64 = size[of_mask.len()..].iter().product();
    let mut like_values = of_mask;
    like_values.resize(size.len(), 1);
    let others = mask.f_logical_not()?.f_reshape(like_values)?;
    let wide = wide(values.kind());
    let count = mask.f_sum(wide)?.f_mul_scalar(each)?;
    let mean = values.f_masked_fill(&others, 0.0)?.f_sum(wide)?.f_div(&count.f_clamp_min(1)?)?;
    mean.f_to_kind(values.kind())
}

/// True for the targets `[rows]` or `[rows, ...]` that count: those of [rows that count](RowMask) that are not NaN,
/// which OGB writes for "not measured". The mask of a field, `has_y`, may be given as batches have it, with the size of
/// the targets or `[rows, 1]`: it is false in padding.
pub fn labelled(targets: &Tensor, rows: &impl RowMask) -> Result<Tensor, TchError> {
    let mask = rows.row_mask();
    let (size, of_mask) = (targets.size(), mask.size());
    if mask.kind() == Kind::Bool && size.len() > 1 && of_mask == size {
        return targets.f_isnan()?.f_logical_not()?.f_logical_and(mask);
    }
    let mask = &if let [rows, 1] = of_mask[..] { mask.f_reshape([rows])? } else { mask.shallow_clone() };
    let expected = mask.size1()?;
    if size.first() != Some(&expected) {
        return Err(TchError::Shape(format!(
            "targets have size {size:?}, expected {expected} rows: their mask has size [{expected}]"
        )));
    }
    targets.f_isnan()?.f_logical_not()?.f_logical_and(&column_like(checked_mask(mask, expected)?, targets)?)
}

/// Mean binary cross-entropy of `logits` against `targets`, both `[rows]` or `[rows, ...]`, over the [`labelled`]
/// targets.
pub fn bce_with_logits(logits: &Tensor, targets: &Tensor, rows: &impl RowMask) -> Result<Tensor, TchError> {
    masked_loss(logits, targets, rows, |logits, targets| {
        let none: Option<&Tensor> = None;
        logits.f_binary_cross_entropy_with_logits(targets, none, none, Reduction::None)
    })
}

/// Mean squared error of `predictions` against `targets`, both `[rows]` or `[rows, ...]`, over the [`labelled`]
/// targets.
pub fn mse(predictions: &Tensor, targets: &Tensor, rows: &impl RowMask) -> Result<Tensor, TchError> {
    masked_loss(predictions, targets, rows, |predictions, targets| predictions.f_mse_loss(targets, Reduction::None))
}

/// Mean absolute error of `predictions` against `targets`, both `[rows]` or `[rows, ...]`, over the [`labelled`]
/// targets.
pub fn l1(predictions: &Tensor, targets: &Tensor, rows: &impl RowMask) -> Result<Tensor, TchError> {
    masked_loss(predictions, targets, rows, |predictions, targets| predictions.f_l1_loss(targets, Reduction::None))
}

/// Mean of an element-wise loss over the labelled targets.
fn masked_loss(
    predictions: &Tensor,
    targets: &Tensor,
    rows: &impl RowMask,
    loss: impl Fn(&Tensor, &Tensor) -> Result<Tensor, TchError>,
) -> Result<Tensor, TchError> {
    // Targets are cast to their type, and NaN would become a whole number.
    floating(predictions)?;
    // libtorch would broadcast one to the other and compute something else.
    if predictions.size() != targets.size() {
        let [found, expected] = [predictions, targets].map(Tensor::size);
        return Err(TchError::Shape(format!(
            "predictions have size {found:?}, expected {expected:?} as of the targets"
        )));
    }
    let targets = targets.f_to_kind(predictions.kind())?;
    let counts = labelled(&targets, rows)?;
    // Masked before the loss: the gradient of a NaN that is masked only afterwards is NaN.
    let others = counts.f_logical_not()?;
    masked_mean(&loss(&predictions.f_masked_fill(&others, 0.0)?, &targets.f_masked_fill(&others, 0.0)?)?, &counts)
}
