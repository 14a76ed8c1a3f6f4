//! [`cumulative_lengths`]: where sequences begin, as attention over sequences of different lengths wants it.

use super::rows::whole_numbers;
use tch::{Kind, TchError, Tensor};

/// `cu_seqlens` of variable-length attention (FlashAttention and others), int32 `[graphs + 1]`, from a `ptr` of int64 or
/// int32: the graphs of a batch are packed as such attention expects its sequences, so that nothing is copied. Padding
/// rows are a sequence of their own.
pub fn cumulative_lengths(ptr: &Tensor) -> Result<Tensor, TchError> {
    whole_numbers(ptr, "ptr", "[graphs + 1]")?.f_to_kind(Kind::Int)?.f_contiguous()
}
