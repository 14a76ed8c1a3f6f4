//! `cpp/adam.cpp`.

use super::checked;
use std::ffi::{c_char, c_int};
use tch::Tensor;

/// What does not change between updates.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct AdamOptions {
    pub(crate) beta1: f64,
    pub(crate) beta2: f64,
    pub(crate) weight_decay: f64,
    pub(crate) eps: f64,
    /// 1 where weights decay by themselves.
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

/// One update of all parameters that have gradients, which are zero afterwards. The lists: parameters, averages, averages of squares, updates so far.
pub(crate) fn adam(lists: [&[Tensor]; 4], rate: &Tensor, options: AdamOptions) -> Result<(), String> {
    let lengths = lists.map(<[_]>::len);
    if lengths != [lengths[0]; 4] {
        return Err(format!(
            "parameters, two averages and numbers of updates are {lengths:?}, expected as many of each"
        ));
    }
    let pointers = |tensors: &[Tensor]| tensors.iter().map(|tensor| tensor.as_ptr().cast_mut()).collect::<Vec<_>>();
    let [parameters, averages, squares, steps] = lists.map(pointers);
    checked(|message, capacity| {
        // SAFETY: four lists of as many tensors; all pointers are valid for the call.
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
