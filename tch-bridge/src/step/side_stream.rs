//! [`SideStream`]: a stream that takes turns with the current one.

use crate::Error;
use crate::{Event, Stream};
use tch::Device;

/// A stream that takes turns with the current one of its device, for steps: libtorch refuses to record on the default
/// stream.
pub(crate) struct SideStream {
    device: Device,
    /// None until something runs on it.
    stream: Option<Stream>,
}

impl SideStream {
    pub(crate) fn of(device: Device) -> Self {
        Self { device, stream: None }
    }

    /// Runs `work` with this as the current stream. Its work begins after that of the stream that was current, which
    /// then waits for it.
    pub(crate) fn run<T>(&mut self, work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        let side = match self.stream {
            Some(side) => side,
            None => *self.stream.insert(Stream::new(self.device)?),
        };
        let current = Stream::current(self.device)?;
        Event::record(current)?.block(side)?;
        let turn = Turn { side, current };
        let result = {
            let _guard = side.enter()?;
            work()
        };
        turn.end()?;
        result
    }

    /// Lets this stream wait for the work that the current one has been given.
    pub(crate) fn wait(&self) -> Result<(), Error> {
        match self.stream {
            Some(side) => Event::record(Stream::current(self.device)?)?.block(side),
            None => Ok(()),
        }
    }
}

/// Lets one stream wait for another at the end, even if the work for that one panicked.
struct Turn {
    side: Stream,
    current: Stream,
}

impl Turn {
    fn end(self) -> Result<(), Error> {
        let result = self.join();
        std::mem::forget(self);
        result
    }

    fn join(&self) -> Result<(), Error> {
        Event::record(self.side)?.block(self.current)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        // Something else has failed already.
        let _ = self.join();
    }
}
