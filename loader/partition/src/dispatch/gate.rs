//! [`Gate`]: limits the memory of the parts that are being written.

use std::sync::{Condvar, Mutex, PoisonError};

/// Ranks of a process pass the gate before they make a part. A part above the limit passes alone.
pub(super) struct Gate {
    most: usize,
    used: Mutex<usize>,
    changed: Condvar,
}

/// Bytes that were let in; dropping it frees them.
pub(super) struct Pass<'a> {
    gate: &'a Gate,
    bytes: usize,
}

impl Gate {
    pub(super) fn new(most: usize) -> Self {
        Self { most, used: Mutex::new(0), changed: Condvar::new() }
    }

    /// Waits until there is room.
    pub(super) fn enter(&self, bytes: usize) -> Pass<'_> {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        while *used > 0 && used.saturating_add(bytes) > self.most {
            used = self.changed.wait(used).unwrap_or_else(PoisonError::into_inner);
        }
        // At least one, so that an empty part counts, too.
        let bytes = bytes.clamp(1, usize::MAX - *used);
        *used += bytes;
        Pass { gate: self, bytes }
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        *self.gate.used.lock().unwrap_or_else(PoisonError::into_inner) -= self.bytes;
        self.gate.changed.notify_all();
    }
}
