//! `cpp/guarded.h`.

use std::ffi::{CStr, c_char, c_int};

/// Calls a function of the shim with room for a message; if its status is not 0, the message is the error.
pub(super) fn checked(call: impl FnOnce(*mut c_char, usize) -> c_int) -> Result<(), String> {
    let mut message: [c_char; 1024] = [0; 1024];
    if call(message.as_mut_ptr(), message.len()) == 0 {
        return Ok(());
    }
    // SAFETY: on failure the shim writes a message, ended by 0, within the capacity.
    let message = unsafe { CStr::from_ptr(message.as_ptr()) };
    Err(message.to_string_lossy().trim_end().to_owned())
}
