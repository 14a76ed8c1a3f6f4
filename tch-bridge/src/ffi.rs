//! The raw functions of `cpp/shim.cpp`, each as a call that returns a `Result`.

use std::ffi::{CStr, c_char, c_int, c_void};
use tch::Tensor;

/// A `c10::Event` behind its pointer.
#[repr(C)]
pub(crate) struct RawEvent {
    _private: [u8; 0],
}

unsafe extern "C" {
    fn graphpack_from_blob(
        data: *mut c_void,
        bytes: i64,
        owner: *mut c_void,
        drop: extern "C" fn(*mut c_void),
        out: *mut *mut torch_sys::C_tensor,
        message: *mut c_char,
        capacity: usize,
    ) -> c_int;
    fn graphpack_event_record(device: c_int, out: *mut *mut RawEvent, message: *mut c_char, capacity: usize) -> c_int;
    fn graphpack_event_finish(event: *mut RawEvent, message: *mut c_char, capacity: usize) -> c_int;
    fn graphpack_load_cuda(message: *mut c_char, capacity: usize) -> c_int;
}

/// Calls with room for a message; a status other than 0 becomes the message.
fn checked(call: impl FnOnce(*mut c_char, usize) -> c_int) -> Result<(), String> {
    let mut message: [c_char; 1024] = [0; 1024];
    if call(message.as_mut_ptr(), message.len()) == 0 {
        return Ok(());
    }
    // SAFETY: on failure the shim writes a text that ends with 0 within the capacity.
    let message = unsafe { CStr::from_ptr(message.as_ptr()) };
    Err(message.to_string_lossy().trim_end().to_owned())
}

/// Memory that a tensor keeps alive.
pub(crate) trait Owner: Send + 'static {
    /// The memory, at the same address as long as the owner lives.
    fn bytes_mut(&mut self) -> &mut [u8];
}

/// A byte tensor over the memory of `owner`, which is dropped when the last tensor that shares the memory is gone, on that thread.
pub(crate) fn tensor_over<O: Owner>(owner: O) -> Result<Tensor, String> {
    extern "C" fn drop_owner<O>(owner: *mut c_void) {
        // SAFETY: `owner` comes from `Box::into_raw` below, and the shim calls this exactly once.
        drop(unsafe { Box::from_raw(owner.cast::<O>()) });
    }
    let mut owner = Box::new(owner);
    let bytes = owner.bytes_mut();
    let (data, length) = (bytes.as_mut_ptr(), bytes.len() as i64);
    let owner = Box::into_raw(owner);
    let mut out = std::ptr::null_mut();
    checked(|message, capacity| {
        // SAFETY: `data` stays valid and unaliased until `drop_owner`: the owner, which is reachable only from there, holds it. The other
        // pointers are valid for the call.
        unsafe {
            graphpack_from_blob(data.cast(), length, owner.cast(), drop_owner::<O>, &raw mut out, message, capacity)
        }
    })?;
    // SAFETY: on success the shim has stored a new tensor, which now belongs to the caller.
    Ok(unsafe { Tensor::from_ptr(out) })
}

/// Records an event on the current stream of a CUDA device.
pub(crate) fn event_record(device: usize) -> Result<*mut RawEvent, String> {
    let mut out = std::ptr::null_mut();
    // SAFETY: all pointers are valid for the call.
    checked(|message, capacity| unsafe { graphpack_event_record(device as c_int, &raw mut out, message, capacity) })?;
    Ok(out)
}

/// Waits for an event and frees it.
///
/// # Safety
///
/// `event` is from [`event_record`] and is not used again.
pub(crate) unsafe fn event_finish(event: *mut RawEvent) -> Result<(), String> {
    // SAFETY: the caller's promise; the message is valid for the call.
    checked(|message, capacity| unsafe { graphpack_event_finish(event, message, capacity) })
}

/// Loads the part of libtorch that knows CUDA.
pub(crate) fn load_cuda() -> Result<(), String> {
    // SAFETY: the message is valid for the call.
    checked(|message, capacity| unsafe { graphpack_load_cuda(message, capacity) })
}
