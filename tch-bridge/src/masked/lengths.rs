//! [`cumulative_lengths`]: where sequences begin, as attention over sequences of different lengths wants it.

use super::rows::whole_numbers;
use tch::{Device, Kind, TchError, Tensor};

/// `cu_seqlens` of variable-length attention (FlashAttention and others), int32 `[graphs + 1]`, from a `ptr` of int64 or
/// int32: the graphs of a batch are packed as such attention expects its sequences, so that nothing is copied. Padding
/// rows are a sequence of their own. More rows than int32 counts are an error on the CPU; on a device that would wait.
pub fn cumulative_lengths(ptr: &Tensor) -> Result<Tensor, TchError> {
    let ptr = whole_numbers(ptr, "ptr", "[graphs + 1]")?;
    if ptr.device() == Device::Cpu
        && let Some(rows) = Vec::<i64>::try_from(&ptr)?.into_iter().find(|&rows| i32::try_from(rows).is_err())
    {
        return Err(TchError::Shape(format!("ptr has {rows}, expected at most {}, the largest int32", i32::MAX)));
    }
    ptr.f_to_kind(Kind::Int)?.f_contiguous()
}
