//! [`Stream`]: a queue of work of a CUDA device; [`StreamGuard`]: makes a stream the current one for a while.

use crate::BridgeError;
use crate::Error;
use crate::ffi::{
    RawStream, stream_current, stream_exchange, stream_new, stream_restore, stream_synchronize, stream_uses,
};
use std::marker::PhantomData;
use std::sync::{Mutex, PoisonError};
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
