//! `cpp/stream.cpp`.

use super::checked::checked;
use std::ffi::{c_char, c_int};
use tch::Tensor;

/// A `c10::Stream` of a CUDA device, by value.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RawStream {
    id: i64,
    device: i32,
}

impl RawStream {
    pub(crate) fn device(self) -> i32 {
        self.device
    }
}

/// A `c10::Event`, of which only the address is known.
#[repr(C)]
pub(crate) struct RawEvent {
    _private: [u8; 0],
}

type Message = *mut c_char;

unsafe extern "C" {
    fn graphpack_load_cuda(message: Message, capacity: usize) -> c_int;
    fn graphpack_load_driver(message: Message, capacity: usize) -> c_int;
    fn graphpack_stream_current(device: i32, out: *mut RawStream, message: Message, capacity: usize) -> c_int;
    fn graphpack_stream_new(
        device: i32,
        urgent: c_int,
        out: *mut RawStream,
        message: Message,
        capacity: usize,
    ) -> c_int;
    fn graphpack_stream_exchange(
        to: RawStream,
        before: *mut RawStream,
        device_before: *mut i32,
        message: Message,
        capacity: usize,
    ) -> c_int;
    fn graphpack_stream_restore(before: RawStream, device_before: i32, message: Message, capacity: usize) -> c_int;
    fn graphpack_stream_synchronize(stream: RawStream, message: Message, capacity: usize) -> c_int;
    fn graphpack_stream_uses(
        stream: RawStream,
        tensor: *const torch_sys::C_tensor,
        message: Message,
        capacity: usize,
    ) -> c_int;
    fn graphpack_event_record(
        stream: RawStream,
        timed: c_int,
        out: *mut *mut RawEvent,
        message: Message,
        capacity: usize,
    ) -> c_int;
    fn graphpack_event_block(event: *const RawEvent, stream: RawStream, message: Message, capacity: usize) -> c_int;
    fn graphpack_event_query(event: *const RawEvent, done: *mut c_int, message: Message, capacity: usize) -> c_int;
    fn graphpack_event_synchronize(event: *const RawEvent, message: Message, capacity: usize) -> c_int;
    fn graphpack_event_elapsed(
        from: *const RawEvent,
        to: *const RawEvent,
        milliseconds: *mut f64,
        message: Message,
        capacity: usize,
    ) -> c_int;
    fn graphpack_event_free(event: *mut RawEvent, message: Message, capacity: usize) -> c_int;
}

/// Loads libtorch_cuda.
pub(crate) fn load_cuda() -> Result<(), String> {
    // SAFETY: the message is valid for the call.
    checked(|message, capacity| unsafe { graphpack_load_cuda(message, capacity) })
}

/// Loads NVIDIA's driver.
pub(crate) fn load_driver() -> Result<(), String> {
    // SAFETY: the message is valid for the call.
    checked(|message, capacity| unsafe { graphpack_load_driver(message, capacity) })
}

/// The stream that this thread's work for a device goes to.
pub(crate) fn stream_current(device: i32) -> Result<RawStream, String> {
    let mut out = RawStream::default();
    // SAFETY: all pointers are valid for the call.
    checked(|message, capacity| unsafe { graphpack_stream_current(device, &raw mut out, message, capacity) })?;
    Ok(out)
}

/// A stream from one of libtorch's pools.
pub(crate) fn stream_new(device: i32, urgent: bool) -> Result<RawStream, String> {
    let mut out = RawStream::default();
    // SAFETY: all pointers are valid for the call.
    checked(|message, capacity| unsafe {
        graphpack_stream_new(device, c_int::from(urgent), &raw mut out, message, capacity)
    })?;
    Ok(out)
}

/// Makes a stream and its device current; returns the stream and the device that were current before.
pub(crate) fn stream_exchange(to: RawStream) -> Result<(RawStream, i32), String> {
    let (mut before, mut device_before) = (RawStream::default(), 0);
    // SAFETY: all pointers are valid for the call.
    checked(|message, capacity| unsafe {
        graphpack_stream_exchange(to, &raw mut before, &raw mut device_before, message, capacity)
    })?;
    Ok((before, device_before))
}

/// Undoes [`stream_exchange`].
pub(crate) fn stream_restore(before: RawStream, device_before: i32) -> Result<(), String> {
    // SAFETY: the message is valid for the call.
    checked(|message, capacity| unsafe { graphpack_stream_restore(before, device_before, message, capacity) })
}

/// Waits for a stream.
pub(crate) fn stream_synchronize(stream: RawStream) -> Result<(), String> {
    // SAFETY: the message is valid for the call.
    checked(|message, capacity| unsafe { graphpack_stream_synchronize(stream, message, capacity) })
}

/// Tells the allocator that a stream uses the memory of a tensor.
pub(crate) fn stream_uses(stream: RawStream, tensor: &Tensor) -> Result<(), String> {
    // SAFETY: the tensor is one, and the message is valid for the call.
    checked(|message, capacity| unsafe { graphpack_stream_uses(stream, tensor.as_ptr(), message, capacity) })
}

/// Records an event on a stream.
pub(crate) fn event_record(stream: RawStream, timed: bool) -> Result<*mut RawEvent, String> {
    let mut out = std::ptr::null_mut();
    // SAFETY: all pointers are valid for the call.
    checked(|message, capacity| unsafe {
        graphpack_event_record(stream, c_int::from(timed), &raw mut out, message, capacity)
    })?;
    Ok(out)
}

/// Makes a stream wait for an event.
///
/// # Safety
///
/// `event` is from [`event_record`] and not freed.
pub(crate) unsafe fn event_block(event: *const RawEvent, stream: RawStream) -> Result<(), String> {
    // SAFETY: the caller's promise; the message is valid for the call.
    checked(|message, capacity| unsafe { graphpack_event_block(event, stream, message, capacity) })
}

/// Whether an event is done.
///
/// # Safety
///
/// As for [`event_block`].
pub(crate) unsafe fn event_query(event: *const RawEvent) -> Result<bool, String> {
    let mut done = 0;
    // SAFETY: the caller's promise; the other pointers are valid for the call.
    checked(|message, capacity| unsafe { graphpack_event_query(event, &raw mut done, message, capacity) })?;
    Ok(done != 0)
}

/// Waits for an event.
///
/// # Safety
///
/// As for [`event_block`].
pub(crate) unsafe fn event_synchronize(event: *const RawEvent) -> Result<(), String> {
    // SAFETY: the caller's promise; the message is valid for the call.
    checked(|message, capacity| unsafe { graphpack_event_synchronize(event, message, capacity) })
}

/// The time from one event to another on the device, in milliseconds.
///
/// # Safety
///
/// As for [`event_block`], for both.
pub(crate) unsafe fn event_elapsed(from: *const RawEvent, to: *const RawEvent) -> Result<f64, String> {
    let mut out = 0.0;
    // SAFETY: the caller's promise; the other pointers are valid for the call.
    checked(|message, capacity| unsafe { graphpack_event_elapsed(from, to, &raw mut out, message, capacity) })?;
    Ok(out)
}

/// Frees an event.
///
/// # Safety
///
/// `event` is from [`event_record`] and is not used again.
pub(crate) unsafe fn event_free(event: *mut RawEvent) -> Result<(), String> {
    // SAFETY: the caller's promise; the message is valid for the call.
    checked(|message, capacity| unsafe { graphpack_event_free(event, message, capacity) })
}
