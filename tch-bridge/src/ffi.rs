//! The raw functions of `cpp/`, each as a call that returns a `Result`.

use std::ffi::{CStr, c_char, c_int, c_void};
use tch::{Device, Tensor};

/// Null, or why a call failed.
type Failure = *const c_char;

unsafe extern "C" {
    // memory.cpp
    fn graphpack_from_blob(
        data: *mut c_void,
        bytes: i64,
        device: c_int,
        owner: *mut c_void,
        drop: extern "C" fn(*mut c_void),
        out: *mut *mut torch_sys::C_tensor,
    ) -> Failure;
    fn graphpack_pinned(bytes: i64, out: *mut *mut torch_sys::C_tensor) -> Failure;
    fn graphpack_is_pinned(tensor: *const torch_sys::C_tensor, out: *mut c_int) -> Failure;
    fn graphpack_copy(to: *mut torch_sys::C_tensor, from: *const torch_sys::C_tensor) -> Failure;

    // stream.cpp
    safe fn graphpack_load_cuda() -> Failure;
    safe fn graphpack_load_driver() -> Failure;
    fn graphpack_stream_current(device: i32, out: *mut RawStream) -> Failure;
    fn graphpack_stream_new(device: i32, urgent: c_int, out: *mut RawStream) -> Failure;
    fn graphpack_stream_exchange(to: RawStream, before: *mut RawStream, device_before: *mut i32) -> Failure;
    safe fn graphpack_stream_restore(before: RawStream, device_before: i32) -> Failure;
    safe fn graphpack_stream_synchronize(stream: RawStream) -> Failure;
    fn graphpack_stream_uses(stream: RawStream, tensor: *const torch_sys::C_tensor) -> Failure;
    fn graphpack_event_record(stream: RawStream, timed: c_int, out: *mut *mut RawEvent) -> Failure;
    fn graphpack_event_block(event: *const RawEvent, stream: RawStream) -> Failure;
    fn graphpack_event_query(event: *const RawEvent, done: *mut c_int) -> Failure;
    fn graphpack_event_synchronize(event: *const RawEvent) -> Failure;
    fn graphpack_event_elapsed(from: *const RawEvent, to: *const RawEvent, milliseconds: *mut f64) -> Failure;
    fn graphpack_event_free(event: *mut RawEvent) -> Failure;

    // cuda_graph.cpp
    fn graphpack_cuda_graph_new(out: *mut *mut c_void) -> Failure;
    fn graphpack_cuda_graph_begin(graph: *mut c_void, other: *mut c_void) -> Failure;
    fn graphpack_cuda_graph_end(graph: *mut c_void) -> Failure;
    fn graphpack_cuda_graph_replay(graph: *mut c_void) -> Failure;
    fn graphpack_cuda_graph_free(graph: *mut c_void);

    // adam.cpp
    fn graphpack_adam(
        parameters: *const *mut torch_sys::C_tensor,
        averages: *const *mut torch_sys::C_tensor,
        squares: *const *mut torch_sys::C_tensor,
        steps: *const *mut torch_sys::C_tensor,
        count: usize,
        rate: *const torch_sys::C_tensor,
        options: AdamOptions,
    ) -> Failure;
}

/// Why a call of this thread failed, as an error.
fn checked(failure: Failure) -> Result<(), String> {
    if failure.is_null() {
        return Ok(());
    }
    // SAFETY: the shim ends the message by 0, and keeps it until another call of this thread fails.
    let message = unsafe { CStr::from_ptr(failure) };
    Err(message.to_string_lossy().trim_end().to_owned())
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
    // SAFETY: `data` stays valid and unaliased until `drop_owner`: the owner, which is reachable only from there, holds
    // it. The other pointers are valid for the call.
    checked(unsafe {
        graphpack_from_blob(data.cast(), bytes as i64, device, owner.cast(), drop_owner::<O>, &raw mut out)
    })?;
    // SAFETY: on success the shim has stored a new tensor, which now belongs to the caller.
    Ok(unsafe { Tensor::from_ptr(out) })
}

/// A byte tensor in page-locked memory, not initialised.
pub(crate) fn pinned(bytes: usize) -> Result<Tensor, String> {
    let mut out = std::ptr::null_mut();
    // SAFETY: all pointers are valid for the call.
    checked(unsafe { graphpack_pinned(bytes as i64, &raw mut out) })?;
    // SAFETY: on success the shim has stored a new tensor, which now belongs to the caller.
    Ok(unsafe { Tensor::from_ptr(out) })
}

/// Whether the memory of a tensor is page-locked.
pub(crate) fn is_pinned(tensor: &Tensor) -> Result<bool, String> {
    let mut out = 0;
    // SAFETY: a tensor, and pointers that are valid for the call.
    checked(unsafe { graphpack_is_pinned(tensor.as_ptr(), &raw mut out) })?;
    Ok(out != 0)
}

/// Copies `from` into `to` on the current stream, converting elements. A copy from pinned memory to a device does not
/// wait: `from` must not change until an event that was recorded after the copy is done.
pub(crate) fn copy(to: &Tensor, from: &Tensor) -> Result<(), String> {
    // SAFETY: both are tensors.
    checked(unsafe { graphpack_copy(to.as_ptr().cast_mut(), from.as_ptr()) })
}

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

/// Loads libtorch_cuda.
pub(crate) fn load_cuda() -> Result<(), String> {
    checked(graphpack_load_cuda())
}

/// Loads NVIDIA's driver.
pub(crate) fn load_driver() -> Result<(), String> {
    checked(graphpack_load_driver())
}

/// The stream that this thread's work for a device goes to.
pub(crate) fn stream_current(device: i32) -> Result<RawStream, String> {
    let mut out = RawStream::default();
    // SAFETY: all pointers are valid for the call.
    checked(unsafe { graphpack_stream_current(device, &raw mut out) })?;
    Ok(out)
}

/// A stream from one of libtorch's pools.
pub(crate) fn stream_new(device: i32, urgent: bool) -> Result<RawStream, String> {
    let mut out = RawStream::default();
    // SAFETY: all pointers are valid for the call.
    checked(unsafe { graphpack_stream_new(device, c_int::from(urgent), &raw mut out) })?;
    Ok(out)
}

/// Makes a stream and its device current; returns the stream and the device that were current before.
pub(crate) fn stream_exchange(to: RawStream) -> Result<(RawStream, i32), String> {
    let (mut before, mut device_before) = (RawStream::default(), 0);
    // SAFETY: all pointers are valid for the call.
    checked(unsafe { graphpack_stream_exchange(to, &raw mut before, &raw mut device_before) })?;
    Ok((before, device_before))
}

/// Undoes [`stream_exchange`].
pub(crate) fn stream_restore(before: RawStream, device_before: i32) -> Result<(), String> {
    checked(graphpack_stream_restore(before, device_before))
}

/// Waits for a stream.
pub(crate) fn stream_synchronize(stream: RawStream) -> Result<(), String> {
    checked(graphpack_stream_synchronize(stream))
}

/// Tells the allocator that a stream uses the memory of a tensor.
pub(crate) fn stream_uses(stream: RawStream, tensor: &Tensor) -> Result<(), String> {
    // SAFETY: the tensor is one.
    checked(unsafe { graphpack_stream_uses(stream, tensor.as_ptr()) })
}

/// Records an event on a stream.
pub(crate) fn event_record(stream: RawStream, timed: bool) -> Result<*mut RawEvent, String> {
    let mut out = std::ptr::null_mut();
    // SAFETY: all pointers are valid for the call.
    checked(unsafe { graphpack_event_record(stream, c_int::from(timed), &raw mut out) })?;
    Ok(out)
}

/// Makes a stream wait for an event.
///
/// # Safety
///
/// `event` is from [`event_record`] and not freed.
pub(crate) unsafe fn event_block(event: *const RawEvent, stream: RawStream) -> Result<(), String> {
    // SAFETY: the caller's promise.
    checked(unsafe { graphpack_event_block(event, stream) })
}

/// Whether an event is done.
///
/// # Safety
///
/// As for [`event_block`].
pub(crate) unsafe fn event_query(event: *const RawEvent) -> Result<bool, String> {
    let mut done = 0;
    // SAFETY: the caller's promise; the other pointers are valid for the call.
    checked(unsafe { graphpack_event_query(event, &raw mut done) })?;
    Ok(done != 0)
}

/// Waits for an event.
///
/// # Safety
///
/// As for [`event_block`].
pub(crate) unsafe fn event_synchronize(event: *const RawEvent) -> Result<(), String> {
    // SAFETY: the caller's promise.
    checked(unsafe { graphpack_event_synchronize(event) })
}

/// The time from one event to another on the device, in milliseconds.
///
/// # Safety
///
/// As for [`event_block`], for both.
pub(crate) unsafe fn event_elapsed(from: *const RawEvent, to: *const RawEvent) -> Result<f64, String> {
    let mut out = 0.0;
    // SAFETY: the caller's promise; the other pointers are valid for the call.
    checked(unsafe { graphpack_event_elapsed(from, to, &raw mut out) })?;
    Ok(out)
}

/// Frees an event.
///
/// # Safety
///
/// `event` is from [`event_record`] and is not used again.
pub(crate) unsafe fn event_free(event: *mut RawEvent) -> Result<(), String> {
    // SAFETY: the caller's promise.
    checked(unsafe { graphpack_event_free(event) })
}

/// An empty graph.
pub(crate) fn cuda_graph_new() -> Result<*mut c_void, String> {
    let mut out = std::ptr::null_mut();
    // SAFETY: all pointers are valid for the call.
    checked(unsafe { graphpack_cuda_graph_new(&raw mut out) })?;
    Ok(out)
}

/// Begins to record, sharing the memory of `other` if that is not null.
///
/// # Safety
///
/// `graph` is from [`cuda_graph_new`] and not freed; `other` likewise, or null.
pub(crate) unsafe fn cuda_graph_begin(graph: *mut c_void, other: *mut c_void) -> Result<(), String> {
    // SAFETY: the caller's promise.
    checked(unsafe { graphpack_cuda_graph_begin(graph, other) })
}

/// Ends the recording.
///
/// # Safety
///
/// As for [`cuda_graph_begin`].
pub(crate) unsafe fn cuda_graph_end(graph: *mut c_void) -> Result<(), String> {
    // SAFETY: the caller's promise.
    checked(unsafe { graphpack_cuda_graph_end(graph) })
}

/// Gives the recorded work to the current stream.
///
/// # Safety
///
/// As for [`cuda_graph_begin`].
pub(crate) unsafe fn cuda_graph_replay(graph: *mut c_void) -> Result<(), String> {
    // SAFETY: the caller's promise.
    checked(unsafe { graphpack_cuda_graph_replay(graph) })
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

/// What an update changes: a tensor for each parameter in every list.
#[derive(Clone, Copy)]
pub(crate) struct AdamLists<'a> {
    pub(crate) parameters: &'a [Tensor],
    /// Averages of gradients.
    pub(crate) averages: &'a [Tensor],
    /// Averages of their squares.
    pub(crate) squares: &'a [Tensor],
    /// Numbers of updates so far.
    pub(crate) steps: &'a [Tensor],
}

/// Updates all parameters that have gradients; the gradients are zero afterwards.
pub(crate) fn adam(lists: AdamLists<'_>, rate: &Tensor, options: AdamOptions) -> Result<(), String> {
    let AdamLists { parameters, averages, squares, steps } = lists;
    let lengths = [parameters, averages, squares, steps].map(<[_]>::len);
    if lengths != [lengths[0]; 4] {
        return Err(format!(
            "lists of parameters, two averages and numbers of updates have lengths {lengths:?}, expected equal ones"
        ));
    }
    let pointers = |tensors: &[Tensor]| tensors.iter().map(|tensor| tensor.as_ptr().cast_mut()).collect::<Vec<_>>();
    let [parameters, averages, squares, steps] = [parameters, averages, squares, steps].map(pointers);
    // SAFETY: four lists of tensors, of the same length; all pointers are valid for the call.
    checked(unsafe {
        graphpack_adam(
            parameters.as_ptr(),
            averages.as_ptr(),
            squares.as_ptr(),
            steps.as_ptr(),
            parameters.len(),
            rate.as_ptr(),
            options,
        )
    })
}
