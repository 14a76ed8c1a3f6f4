//! `cpp/adam.cpp`.

use super::checked::checked;
use std::ffi::{c_char, c_int};
use tch::Tensor;

/// Options that do not change between updates.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct AdamOptions {
    pub(crate) beta1: f64,
    pub(crate) beta2: f64,
    pub(crate) weight_decay: f64,
    pub(crate) eps: f64,
    /// 1 if the weights themselves decay (AdamW), 0 if decay is added to the gradients (Adam).
    pub(crate) decoupled: c_int,
}

unsafe extern "C" {
    fn graphpack_adam(
        parameters: *const *mut torch_sys::C_tensor,
        averages: *const *mut torch_sys::C_tensor,
        squares: *const *mut torch_sys::C_tensor,
        steps: *const *mut torch_sys::C_tensor,
        count: usize,
        rate: *const torch_sys::C_tensor,
        options: AdamOptions,
        message: *mut c_char,
        capacity: usize,
    ) -> c_int;
}

/// Updates all parameters that have gradients; the gradients are zero afterwards. The lists: parameters, averages of
/// gradients, averages of their squares, numbers of updates so far.
pub(crate) fn adam(lists: [&[Tensor]; 4], rate: &Tensor, options: AdamOptions) -> Result<(), String> {
    let lengths = lists.map(<[_]>::len);
    if lengths != [lengths[0]; 4] {
        return Err(format!(
            "lists of parameters, two averages and numbers of updates have lengths {lengths:?}, expected equal ones"
        ));
    }
    let pointers = |tensors: &[Tensor]| tensors.iter().map(|tensor| tensor.as_ptr().cast_mut()).collect::<Vec<_>>();
    let [parameters, averages, squares, steps] = lists.map(pointers);
    checked(|message, capacity| {
        // SAFETY: four lists of tensors, of the same length; all pointers are valid for the call.
        unsafe {
            graphpack_adam(
                parameters.as_ptr(),
                averages.as_ptr(),
                squares.as_ptr(),
                steps.as_ptr(),
                parameters.len(),
                rate.as_ptr(),
                options,
                message,
                capacity,
            )
        }
    })
}
