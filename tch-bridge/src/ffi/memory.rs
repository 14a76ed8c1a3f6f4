//! `cpp/memory.cpp`.

use super::checked::checked;
use std::ffi::{c_char, c_int, c_void};
use tch::{Device, Tensor};

unsafe extern "C" {
    fn graphpack_from_blob(
        data: *mut c_void,
        bytes: i64,
        device: c_int,
        owner: *mut c_void,
        drop: extern "C" fn(*mut c_void),
        out: *mut *mut torch_sys::C_tensor,
        message: *mut c_char,
        capacity: usize,
    ) -> c_int;
    fn graphpack_pinned(bytes: i64, out: *mut *mut torch_sys::C_tensor, message: *mut c_char, capacity: usize)
    -> c_int;
    fn graphpack_is_pinned(
        tensor: *const torch_sys::C_tensor,
        out: *mut c_int,
        message: *mut c_char,
        capacity: usize,
    ) -> c_int;
    fn graphpack_copy(
        to: *mut torch_sys::C_tensor,
        from: *const torch_sys::C_tensor,
        message: *mut c_char,
        capacity: usize,
    ) -> c_int;
}

/// Memory that a tensor keeps alive.
pub(crate) trait Owner: Send + 'static {
    /// The device that the memory is on.
    fn device(&self) -> Device;

    /// The address and length of the memory. It stays there as long as the owner lives, and has no other owner.
    fn memory(&mut self) -> (*mut u8, usize);
}

/// A byte tensor over the memory of `owner`. The owner is dropped when the last tensor over the memory is gone, on the
/// thread that drops that.
pub(crate) fn tensor_over<O: Owner>(owner: O) -> Result<Tensor, String> {
    extern "C" fn drop_owner<O>(owner: *mut c_void) {
        // SAFETY: `owner` comes from `Box::into_raw` below, and the shim calls this exactly once.
        drop(unsafe { Box::from_raw(owner.cast::<O>()) });
    }
    let mut owner = Box::new(owner);
    let device = match owner.device() {
        Device::Cuda(index) => index as c_int,
        _ => -1,
    };
    let (data, bytes) = owner.memory();
    let owner = Box::into_raw(owner);
    let mut out = std::ptr::null_mut();
    checked(|message, capacity| {
        // SAFETY: `data` stays valid and unaliased until `drop_owner`: the owner, which is reachable only from there,
        // holds it. The other pointers are valid for the call.
        unsafe {
            graphpack_from_blob(
                data.cast(),
                bytes as i64,
                device,
                owner.cast(),
                drop_owner::<O>,
                &raw mut out,
                message,
                capacity,
            )
        }
    })?;
    // SAFETY: on success the shim has stored a new tensor, which now belongs to the caller.
    Ok(unsafe { Tensor::from_ptr(out) })
}

/// A byte tensor in page-locked memory, not initialised.
pub(crate) fn pinned(bytes: usize) -> Result<Tensor, String> {
    let mut out = std::ptr::null_mut();
    // SAFETY: all pointers are valid for the call.
    checked(|message, capacity| unsafe { graphpack_pinned(bytes as i64, &raw mut out, message, capacity) })?;
    // SAFETY: on success the shim has stored a new tensor, which now belongs to the caller.
    Ok(unsafe { Tensor::from_ptr(out) })
}

/// Whether the memory of a tensor is page-locked.
pub(crate) fn is_pinned(tensor: &Tensor) -> Result<bool, String> {
    let mut out = 0;
    // SAFETY: a tensor, and pointers that are valid for the call.
    checked(|message, capacity| unsafe { graphpack_is_pinned(tensor.as_ptr(), &raw mut out, message, capacity) })?;
    Ok(out != 0)
}

/// Copies `from` into `to` on the current stream, converting elements. A copy from pinned memory to a device does not
/// wait: `from` must not change until an event that was recorded after the copy is done.
pub(crate) fn copy(to: &Tensor, from: &Tensor) -> Result<(), String> {
    // SAFETY: both are tensors, and the message is valid for the call.
    checked(|message, capacity| unsafe { graphpack_copy(to.as_ptr().cast_mut(), from.as_ptr(), message, capacity) })
}
