//! The raw functions of `cpp/`, each as a call that returns a `Result`; a file here for each file there.

mod adam;
#[cfg(feature = "cuda-graphs")]
mod cuda_graph;
mod memory;
mod stream;

pub(crate) use adam::{AdamOptions, adam};
#[cfg(feature = "cuda-graphs")]
pub(crate) use cuda_graph::{cuda_graph_begin, cuda_graph_end, cuda_graph_free, cuda_graph_new, cuda_graph_replay};
pub(crate) use memory::{Owner, copy, is_pinned, pinned, tensor_over};
pub(crate) use stream::{
    RawEvent, RawStream, event_block, event_free, event_query, event_record, event_synchronize, load_cuda, load_driver,
    stream_current, stream_exchange, stream_new, stream_restore, stream_synchronize, stream_uses,
};

use std::ffi::{CStr, c_char, c_int};

/// Calls a function of the shim with room for a message; if its status is not 0, the message is the error.
fn checked(call: impl FnOnce(*mut c_char, usize) -> c_int) -> Result<(), String> {
    let mut message: [c_char; 1024] = [0; 1024];
    if call(message.as_mut_ptr(), message.len()) == 0 {
        return Ok(());
    }
    // SAFETY: on failure the shim writes a message, ended by 0, within the capacity.
    let message = unsafe { CStr::from_ptr(message.as_ptr()) };
    Err(message.to_string_lossy().trim_end().to_owned())
}
