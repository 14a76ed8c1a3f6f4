//! [`Stream`]: a queue of work of a CUDA device; [`StreamGuard`]: makes it the current one for a while; [`Event`]: a
//! point in its work that others can wait for.

use crate::ffi::{
    RawEvent, RawStream, event_block, event_elapsed, event_free, event_query, event_record, event_synchronize,
    stream_current, stream_exchange, stream_new, stream_restore, stream_synchronize, stream_uses,
};
use crate::{BridgeError, Error};
use std::marker::PhantomData;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tch::{Device, Tensor};

/// A queue of work of a CUDA device. Work of one stream is done in order; between streams there is no order except by
/// an [`Event`](crate::Event).
///
/// libtorch keeps a pool of streams for the life of the program; this is the name of one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream(RawStream);

/// Streams for copies that nobody uses now.
static IDLE: Mutex<Vec<Stream>> = Mutex::new(Vec::new());

impl Stream {
    /// A stream of a device other than its default one. libtorch has 32 of them and returns them in turn.
    pub fn new(device: Device) -> Result<Self, Error> {
        stream_new(index(device)?, false).map(Self).map_err(BridgeError::cannot("use a stream"))
    }

    /// A stream for copies, never one that [`new`](Self::new) returns. Streams that were given back are used again,
    /// since the allocator keeps memory for each stream that ever had some.
    pub(crate) fn for_copies(device: Device) -> Result<Self, Error> {
        let device = index(device)?;
        let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(position) = idle.iter().position(|stream| stream.0.device() == device) {
            return Ok(idle.swap_remove(position));
        }
        stream_new(device, true).map(Self).map_err(BridgeError::cannot("use a stream"))
    }

    /// Returns a stream that [`for_copies`](Self::for_copies) gave.
    pub(crate) fn give_back(self) {
        IDLE.lock().unwrap_or_else(PoisonError::into_inner).push(self);
    }

    /// The current stream of a device: the one that this thread's work goes to.
    pub fn current(device: Device) -> Result<Self, Error> {
        stream_current(index(device)?).map(Self).map_err(BridgeError::cannot("use a stream"))
    }

    /// Makes this stream, and its device, this thread's current ones until the guard is dropped.
    pub fn enter(self) -> Result<StreamGuard, Error> {
        let (before, device) = stream_exchange(self.0).map_err(BridgeError::cannot("use a stream"))?;
        Ok(StreamGuard { before, device, _of_this_thread: PhantomData })
    }

    /// Waits until all work that the stream was given is done.
    pub fn synchronize(self) -> Result<(), Error> {
        stream_synchronize(self.0).map_err(BridgeError::cannot("use a stream"))
    }

    /// Tells the allocator that this stream uses a tensor that was allocated on another: when the tensor is freed, its
    /// memory is used again only after the work that this stream has been given by then.
    pub(crate) fn uses(self, tensor: &Tensor) -> Result<(), Error> {
        stream_uses(self.0, tensor).map_err(BridgeError::cannot("use a stream"))
    }

    pub(crate) fn raw(self) -> RawStream {
        self.0
    }
}

/// When dropped, restores the stream and the device that were current before [`Stream::enter`].
#[must_use = "the stream is current only as long as the guard lives"]
pub struct StreamGuard {
    before: RawStream,
    device: i32,
    _of_this_thread: PhantomData<*const ()>,
}

impl Drop for StreamGuard {
    fn drop(&mut self) {
        // Both were current before, so this fails only if the device does, and then so does the next step.
        let _ = stream_restore(self.before, self.device);
    }
}

/// The index of a CUDA device.
fn index(device: Device) -> Result<i32, Error> {
    match device {
        // libtorch counts devices in 8 bits.
        Device::Cuda(index) if index <= i8::MAX as usize => Ok(index as i32),
        other => Err(BridgeError::Device(other).into()),
    }
}

/// A point in the work of a [`Stream`]. The event is done when the stream has done all work that it got before it.
pub struct Event(*mut RawEvent);

// SAFETY: a c10::Event may be waited for and freed on another thread than the one that recorded it.
unsafe impl Send for Event {}

impl Event {
    /// Records an event after all work that the stream has been given so far.
    pub fn record(stream: Stream) -> Result<Self, Error> {
        event_record(stream.raw(), false).map(Self).map_err(BridgeError::cannot("use an event"))
    }

    /// Records an event that also measures [time](Self::until).
    pub(crate) fn record_timed(stream: Stream) -> Result<Self, Error> {
        event_record(stream.raw(), true).map(Self).map_err(BridgeError::cannot("use an event"))
    }

    /// Returns the device's time between this event and a later one. Both must be timed, done and of one device.
    pub(crate) fn until(&self, later: &Self) -> Result<Duration, Error> {
        // SAFETY: see `block`, for both.
        let milliseconds = unsafe { event_elapsed(self.0, later.0) }.map_err(BridgeError::cannot("use an event"))?;
        Ok(Duration::try_from_secs_f64(milliseconds / 1e3).unwrap_or_default())
    }

    /// Makes all later work of `stream` wait for the event. The CPU does not wait.
    pub fn block(&self, stream: Stream) -> Result<(), Error> {
        // SAFETY: the pointer is from `event_record`, and freed only when this is dropped.
        unsafe { event_block(self.0, stream.raw()) }.map_err(BridgeError::cannot("use an event"))
    }

    /// Whether the event is done.
    pub fn query(&self) -> Result<bool, Error> {
        // SAFETY: see `block`.
        unsafe { event_query(self.0) }.map_err(BridgeError::cannot("use an event"))
    }

    /// Blocks the CPU until the event is done.
    pub fn synchronize(&self) -> Result<(), Error> {
        // SAFETY: see `block`.
        unsafe { event_synchronize(self.0) }.map_err(BridgeError::cannot("use an event"))
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: the pointer is from `event_record` and this is its last use. If the device fails here, so does the
        // next step.
        let _ = unsafe { event_free(self.0) };
    }
}
