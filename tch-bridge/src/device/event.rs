//! [`Event`]: a point in the work of a stream that can be waited for.

use crate::ffi::{RawEvent, event_block, event_free, event_query, event_record, event_synchronize};
use crate::{BridgeError, Stream};

/// A point in the work of a [`Stream`]: it is done when everything is that was given to the stream before.
pub struct Event(*mut RawEvent);

// SAFETY: a c10::Event may be waited for and freed on another thread than the one that recorded it.
unsafe impl Send for Event {}

impl Event {
    /// The point behind everything that was given to a stream until now.
    pub fn record(stream: Stream) -> Result<Self, BridgeError> {
        event_record(stream.raw()).map(Self).map_err(BridgeError::Event)
    }

    /// What is given to `stream` from now on begins when the event is done. The CPU does not wait.
    pub fn block(&self, stream: Stream) -> Result<(), BridgeError> {
        // SAFETY: the pointer is from `event_record`, and freed only when this is dropped; so it is below.
        unsafe { event_block(self.0, stream.raw()) }.map_err(BridgeError::Event)
    }

    /// Whether it is done.
    pub fn query(&self) -> Result<bool, BridgeError> {
        // SAFETY: see `block`.
        unsafe { event_query(self.0) }.map_err(BridgeError::Event)
    }

    /// Waits until it is done.
    pub fn synchronize(&self) -> Result<(), BridgeError> {
        // SAFETY: see `block`.
        unsafe { event_synchronize(self.0) }.map_err(BridgeError::Event)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: the pointer is from `event_record` and this is its last use. A device that fails here fails the next step, too.
        let _ = unsafe { event_free(self.0) };
    }
}
