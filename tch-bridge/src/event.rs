//! [`Event`]: a point in the work of a CUDA stream that can be waited for.

use crate::BridgeError;
use crate::ffi::{RawEvent, event_finish, event_record};

/// Everything that was on the current stream of a device when it was recorded. Dropping it waits until that is done.
pub(crate) struct Event(*mut RawEvent);

// SAFETY: a c10::Event may be waited for and freed on another thread than the one that recorded it.
unsafe impl Send for Event {}

impl Event {
    pub(crate) fn record(device: usize) -> Result<Self, BridgeError> {
        event_record(device).map(Self).map_err(BridgeError::Event)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: the pointer is from `event_record` and this is its last use. A device that fails here fails the next step, too.
        let _ = unsafe { event_finish(self.0) };
    }
}
