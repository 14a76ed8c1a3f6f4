//! `cpp/cuda_graph.cpp`.

use super::checked::checked;
use std::ffi::{c_char, c_int, c_void};

type Message = *mut c_char;

unsafe extern "C" {
    fn graphpack_cuda_graph_new(out: *mut *mut c_void, message: Message, capacity: usize) -> c_int;
    fn graphpack_cuda_graph_begin(graph: *mut c_void, other: *mut c_void, message: Message, capacity: usize) -> c_int;
    fn graphpack_cuda_graph_end(graph: *mut c_void, message: Message, capacity: usize) -> c_int;
    fn graphpack_cuda_graph_replay(graph: *mut c_void, message: Message, capacity: usize) -> c_int;
    fn graphpack_cuda_graph_free(graph: *mut c_void);
}

/// An empty graph.
pub(crate) fn cuda_graph_new() -> Result<*mut c_void, String> {
    let mut out = std::ptr::null_mut();
    // SAFETY: all pointers are valid for the call.
    checked(|message, capacity| unsafe { graphpack_cuda_graph_new(&raw mut out, message, capacity) })?;
    Ok(out)
}

/// Begins to record, sharing the memory of `other` if that is not null.
///
/// # Safety
///
/// `graph` is from [`cuda_graph_new`] and not freed; `other` likewise, or null.
pub(crate) unsafe fn cuda_graph_begin(graph: *mut c_void, other: *mut c_void) -> Result<(), String> {
    // SAFETY: the caller's promise; the message is valid for the call.
    checked(|message, capacity| unsafe { graphpack_cuda_graph_begin(graph, other, message, capacity) })
}

/// Ends the recording.
///
/// # Safety
///
/// As for [`cuda_graph_begin`].
pub(crate) unsafe fn cuda_graph_end(graph: *mut c_void) -> Result<(), String> {
    // SAFETY: the caller's promise; the message is valid for the call.
    checked(|message, capacity| unsafe { graphpack_cuda_graph_end(graph, message, capacity) })
}

/// Gives the recorded work to the current stream.
///
/// # Safety
///
/// As for [`cuda_graph_begin`].
pub(crate) unsafe fn cuda_graph_replay(graph: *mut c_void) -> Result<(), String> {
    // SAFETY: the caller's promise; the message is valid for the call.
    checked(|message, capacity| unsafe { graphpack_cuda_graph_replay(graph, message, capacity) })
}

/// Frees a graph.
///
/// # Safety
///
/// `graph` is from [`cuda_graph_new`] and is not used again.
pub(crate) unsafe fn cuda_graph_free(graph: *mut c_void) {
    // SAFETY: the caller's promise.
    unsafe { graphpack_cuda_graph_free(graph) }
}
