//! [`MaskedBatchNorm`]: batch normalisation whose statistics ignore padding.

use super::rows::{checked_mask, wide};
use std::borrow::Borrow;
use tch::{TchError, Tensor, nn};

/// Batch normalisation over the rows of `[rows, width]` where a mask is true, equal to PyTorch's `BatchNorm1d` over
/// these rows alone (eps 1e-5, momentum 0.1, unbiased running variance). Rows where the mask is false do not enter the
/// statistics. While training they count as zeros, whatever they are, NaN included, and have no gradient.
#[derive(Debug)]
pub struct MaskedBatchNorm {
    weight: Tensor,
    bias: Tensor,
    running_mean: Tensor,
    running_var: Tensor,
}

const EPS: f64 = 1e-5;
const MOMENTUM: f64 = 0.1;

impl MaskedBatchNorm {
    /// Creates parameters `weight`, `bias` and buffers `running_mean`, `running_var` of `width` elements under `path`,
    /// as `nn::batch_norm1d` does. Panics as tch's layers do if libtorch cannot: of a negative width, or without
    /// memory.
    pub fn new<'a>(path: impl Borrow<nn::Path<'a>>, width: i64) -> Self {
        let path = path.borrow();
        Self {
            weight: path.var("weight", &[width], nn::Init::Const(1.0)),
            bias: path.var("bias", &[width], nn::Init::Const(0.0)),
            running_mean: path.zeros_no_train("running_mean", &[width]),
            running_var: path.ones_no_train("running_var", &[width]),
        }
    }

    /// Normalises `[rows, width]`: while training by the statistics of the rows where `mask` (bool `[rows]`) is true,
    /// otherwise by running statistics. Fewer than two such rows, of which `BatchNorm1d` makes an error, leave the
    /// running statistics as they are.
    pub fn forward(&self, x: &Tensor, mask: &Tensor, train: bool) -> Result<Tensor, TchError> {
        let (rows, width) = x.size2()?;
        // libtorch would stretch one column to all.
        if self.running_mean.size() != [width] {
            let expected = self.running_mean.size1()?;
            return Err(TchError::Shape(format!("values of size [{rows}, {width}], expected [{rows}, {expected}]")));
        }
        let mask = checked_mask(mask, rows)?;
        if !train {
            let scale = self.running_var.f_add_scalar(EPS)?.f_rsqrt()?.f_mul(&self.weight)?;
            return x.f_sub(&self.running_mean)?.f_mul(&scale)?.f_add(&self.bias);
        }
        // The products below would keep a NaN of padding; in float16 they would be infinite.
        let x = x.f_masked_fill(&mask.f_logical_not()?.f_unsqueeze(1)?, 0.0)?.f_to_kind(wide(x.kind()))?;
        let mask = mask.f_to_kind(x.kind())?.f_unsqueeze(1)?;
        let count = mask.f_sum(x.kind())?;
        let divisor = count.f_clamp_min(1)?;
        // On the CPU a matrix product with the mask is twice as fast as masking and summing.
        let mean_of = |values: &Tensor| mask.f_tr()?.f_matmul(values)?.f_div(&divisor);
        let mean = mean_of(&x)?;
        let centred = x.f_sub(&mean)?;
        let variance = mean_of(&centred.f_square()?)?;
        self.update(&mean, &variance, &count)?;
        let scale = variance.f_add_scalar(EPS)?.f_rsqrt()?.f_mul(&self.weight)?;
        self.bias.f_addcmul(&centred, &scale)
    }

    /// Moves the running statistics towards those of a batch.
    fn update(&self, mean: &Tensor, variance: &Tensor, count: &Tensor) -> Result<(), TchError> {
        let _guard = tch::no_grad_guard();
        let unbiased = variance.f_mul(count)?.f_div(&count.f_sub_scalar(1)?.f_clamp_min(1)?)?;
        // The last batches of a shard may be all padding; one row has no variance.
        let momentum = count.f_sub_scalar(1)?.f_clamp(0, 1)?.f_mul_scalar(MOMENTUM)?;
        for (running, seen) in [(&self.running_mean, mean), (&self.running_var, &unbiased)] {
            let seen = seen.f_detach()?.f_to_kind(running.kind())?.f_view_as(running)?;
            let momentum = momentum.f_to_kind(running.kind())?;
            let _ = running.shallow_clone().f_lerp_tensor_(&seen, &momentum)?;
        }
        Ok(())
    }
}
