//! [`Event`]: a point in the work of a stream that others can wait for.

use crate::Error;
use crate::ffi::{RawEvent, event_block, event_elapsed, event_free, event_query, event_record, event_synchronize};
use crate::{BridgeError, Stream};
use std::time::Duration;

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
