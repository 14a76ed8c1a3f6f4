//! [`Stream`]: a queue of work of a CUDA device; [`StreamGuard`]: makes one the current one for a while.

use crate::BridgeError;
use crate::ffi::{
    RawStream, stream_current, stream_exchange, stream_new, stream_restore, stream_synchronize, stream_uses,
};
use std::marker::PhantomData;
use std::sync::{Mutex, PoisonError};
use tch::{Device, Tensor};

/// A queue of work of a CUDA device. What is given to one stream is done in order; streams know nothing of each other but by an
/// [`Event`](crate::Event).
///
/// libtorch keeps a pool of streams for the life of the program; this is the name of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream(RawStream);

/// Streams for copies that nobody copies on.
static IDLE: Mutex<Vec<Stream>> = Mutex::new(Vec::new());

impl Stream {
    /// Another stream of a device than its default one. libtorch has 32, and gives them in turn.
    pub fn new(device: Device) -> Result<Self, BridgeError> {
        stream_new(index(device)?, false).map(Self).map_err(BridgeError::Stream)
    }

    /// A stream for copies: not one that [`new`](Self::new) gives, and the same ones again and again, since the allocator keeps memory for each
    /// stream that ever had some.
    pub(crate) fn for_copies(device: Device) -> Result<Self, BridgeError> {
        let device = index(device)?;
        let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(position) = idle.iter().position(|stream| stream.0.device == device) {
            return Ok(idle.swap_remove(position));
        }
        stream_new(device, true).map(Self).map_err(BridgeError::Stream)
    }

    /// Ends the use of a stream for copies.
    pub(crate) fn give_back(self) {
        IDLE.lock().unwrap_or_else(PoisonError::into_inner).push(self);
    }

    /// The stream that this thread's work for a device goes to.
    pub fn current(device: Device) -> Result<Self, BridgeError> {
        stream_current(index(device)?).map(Self).map_err(BridgeError::Stream)
    }

    /// Makes this stream, and its device, this thread's current ones until the guard is dropped.
    pub fn enter(self) -> Result<StreamGuard, BridgeError> {
        let (before, device) = stream_exchange(self.0).map_err(BridgeError::Stream)?;
        Ok(StreamGuard { before, device, _of_this_thread: PhantomData })
    }

    /// Waits until all work that was given to the stream is done.
    pub fn synchronize(self) -> Result<(), BridgeError> {
        stream_synchronize(self.0).map_err(BridgeError::Stream)
    }

    /// Tells the allocator that work of this stream uses a tensor that was allocated for another: once freed, its memory is given out again
    /// only when that work is done.
    pub(crate) fn uses(self, tensor: &Tensor) -> Result<(), BridgeError> {
        stream_uses(self.0, tensor).map_err(BridgeError::Stream)
    }

    pub(crate) fn raw(self) -> RawStream {
        self.0
    }
}

/// Restores the stream and the device that were current before [`Stream::enter`], when it is dropped.
#[must_use = "the stream is current as long as the guard lives"]
pub struct StreamGuard {
    before: RawStream,
    device: i32,
    _of_this_thread: PhantomData<*const ()>,
}

impl Drop for StreamGuard {
    fn drop(&mut self) {
        // Both were current before, so a failure is that of the device, which the next step meets, too.
        let _ = stream_restore(self.before, self.device);
    }
}

/// The number of a CUDA device.
fn index(device: Device) -> Result<i32, BridgeError> {
    match device {
        // libtorch counts devices in 8 bits.
        Device::Cuda(index) if index <= i8::MAX as usize => Ok(index as i32),
        other => Err(BridgeError::Device(other)),
    }
}
