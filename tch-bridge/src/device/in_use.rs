//! [`InUse`]: memory that a device may still use.

use crate::Error;
use crate::{Event, Stream};

/// Memory of the host that copies may still read. It is released when an event says that they are done, for which
/// dropping it waits.
pub(crate) struct InUse<T> {
    /// Taken only when it is released.
    memory: Option<T>,
    /// None on the CPU, where a copy is done when it returns.
    done: Option<Event>,
}

impl<T> InUse<T> {
    /// Memory that the work may use that `stream` has been given so far.
    pub(crate) fn by(stream: Option<Stream>, memory: T) -> Result<Self, Error> {
        let (done, memory) = or_never_free(stream.map(Event::record).transpose(), memory)?;
        Ok(Self { memory: Some(memory), done })
    }

    /// Whether the work is done.
    pub(crate) fn is_done(&self) -> Result<bool, Error> {
        self.done.as_ref().map_or(Ok(true), Event::query)
    }

    /// Waits for the work; returns the memory, or none if it was released already.
    pub(crate) fn release(&mut self) -> Result<Option<T>, Error> {
        let Some(memory) = self.memory.take() else { return Ok(None) };
        let done = self.done.as_ref().map_or(Ok(()), Event::synchronize);
        or_never_free(done, memory).map(|((), memory)| Some(memory))
    }
}

impl<T> Drop for InUse<T> {
    fn drop(&mut self) {
        // If the device fails here, so does the next step.
        let _ = self.release();
    }
}

/// Returns `memory` with what tells when it is free. If the device could not tell that, the memory may be in use for
/// ever: it is never freed, since whoever got it next would write where the device still reads.
pub(crate) fn or_never_free<F, T>(free: Result<F, Error>, memory: T) -> Result<(F, T), Error> {
    match free {
        Ok(free) => Ok((free, memory)),
        Err(error) => {
            std::mem::forget(memory);
            Err(error)
        }
    }
}
