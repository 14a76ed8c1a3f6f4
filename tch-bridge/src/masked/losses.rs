//! Losses over the labelled targets of real graphs, and means under a mask.

use crate::TensorBatch;
use tch::{Reduction, TchError, Tensor};

/// Mean of `values` where `mask` is true; zero if it is true nowhere. Both have the same shape.
pub fn masked_mean(values: &Tensor, mask: &Tensor) -> Result<Tensor, TchError> {
    same_size("values", values, "mask", mask)?;
    let sum = values.f_masked_fill(&mask.f_logical_not()?, 0.0)?.f_sum(values.kind())?;
    sum.f_div(&mask.f_sum(values.kind())?.f_clamp_min(1)?)
}

/// True for the targets `[graphs, tasks]` that count: those of real graphs that are not NaN, which OGB writes for "not
/// measured".
pub fn labelled(targets: &Tensor, batch: &TensorBatch) -> Result<Tensor, TchError> {
    if targets.size().first() != Some(&(batch.shape().graphs() as i64)) || targets.dim() != 2 {
        let message = format!("targets of size {:?} are not [{}, tasks]", targets.size(), batch.shape().graphs());
        return Err(TchError::Shape(message));
    }
    targets.f_isnan()?.f_logical_not()?.f_logical_and(&batch.graph_mask().f_unsqueeze(1)?)
}

/// Mean binary cross-entropy of `logits` against `targets`, both `[graphs, tasks]`, over the [`labelled`] targets.
pub fn bce_with_logits(logits: &Tensor, targets: &Tensor, batch: &TensorBatch) -> Result<Tensor, TchError> {
    masked_loss(logits, targets, batch, |logits, targets| {
        let none: Option<&Tensor> = None;
        logits.f_binary_cross_entropy_with_logits(targets, none, none, Reduction::None)
    })
}

/// Mean squared error of `predictions` against `targets`, both `[graphs, tasks]`, over the [`labelled`] targets.
pub fn mse(predictions: &Tensor, targets: &Tensor, batch: &TensorBatch) -> Result<Tensor, TchError> {
    masked_loss(predictions, targets, batch, |predictions, targets| predictions.f_mse_loss(targets, Reduction::None))
}

/// Mean of an element-wise loss over the labelled targets.
fn masked_loss(
    predictions: &Tensor,
    targets: &Tensor,
    batch: &TensorBatch,
    loss: impl Fn(&Tensor, &Tensor) -> Result<Tensor, TchError>,
) -> Result<Tensor, TchError> {
    same_size("predictions", predictions, "targets", targets)?;
    let targets = targets.f_to_kind(predictions.kind())?;
    let counts = labelled(&targets, batch)?;
    // Masked before the loss: the gradient of a NaN that is masked only afterwards is NaN.
    let others = counts.f_logical_not()?;
    masked_mean(&loss(&predictions.f_masked_fill(&others, 0.0)?, &targets.f_masked_fill(&others, 0.0)?)?, &counts)
}

/// An error if the sizes differ: libtorch would broadcast one to the other and compute something else.
fn same_size(name: &str, a: &Tensor, other: &str, b: &Tensor) -> Result<(), TchError> {
    if a.size() == b.size() {
        return Ok(());
    }
    Err(TchError::Shape(format!("{name} have size {:?}, {other} {:?}", a.size(), b.size())))
}
