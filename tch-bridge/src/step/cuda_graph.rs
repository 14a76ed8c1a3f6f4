//! [`CudaGraph`]: recorded work of a CUDA stream; [`SideStream`]: the stream it is recorded on, in turn with the
//! current one.

use crate::ffi::{cuda_graph_begin, cuda_graph_end, cuda_graph_free, cuda_graph_new, cuda_graph_replay};
use crate::{BridgeError, Error, Event, Stream};
use std::ffi::c_void;
use std::sync::{Mutex, PoisonError};
use tch::Device;

/// The words of errors where a step cannot be recorded or replayed.
const GRAPH: &str = "record or replay the step as a CUDA graph";

/// Work that was recorded instead of done, and can be given to a stream any number of times. The memory that it uses
/// stays reserved.
pub(crate) struct CudaGraph(*mut c_void);

// SAFETY: a graph may be replayed and freed on another thread than the one that recorded it; its methods take it
// exclusively.
unsafe impl Send for CudaGraph {}

/// Why nothing can be recorded in this process any more. libtorch does not clean up if the end of a recording
/// fails: its allocator and its generator of random numbers stay in the recording.
static BROKEN: Mutex<Option<String>> = Mutex::new(None);

impl CudaGraph {
    /// Records the work that `work` gives to the current stream, which must not be the default one. The graph shares
    /// the memory of `other`: the two must not be replayed at the same time.
    pub(crate) fn record<T>(other: Option<&Self>, work: impl FnOnce() -> Result<T, Error>) -> Result<(Self, T), Error> {
        if let Some(why) = &*BROKEN.lock().unwrap_or_else(PoisonError::into_inner) {
            return Err(BridgeError::Recorded(why.clone()).into());
        }
        let mut recording = Recording::begin(other).map_err(|failure| failure.into_error(None))?;
        let result = work();
        match recording.end() {
            Ok(Some(this)) => Ok((this, result?)),
            Ok(None) => Err(BridgeError::cannot(GRAPH)("the recording has ended already".into())),
            // If `work` failed, that is why the recording did.
            Err(failure) => Err(failure.into_error(result.err())),
        }
    }

    /// Never frees it: after a recording that failed, libtorch still has pointers to it.
    fn leak(self) {
        std::mem::forget(self);
    }

    /// Gives the work to the current stream.
    pub(crate) fn replay(&mut self) -> Result<(), Error> {
        // SAFETY: see `Recording::begin`.
        unsafe { cuda_graph_replay(self.0) }.map_err(BridgeError::cannot(GRAPH))
    }
}

/// A recording. It ends even if the work panics, since the stream must not stay in it.
struct Recording(Option<CudaGraph>);

impl Recording {
    fn begin(other: Option<&CudaGraph>) -> Result<Self, Failure> {
        let graph = CudaGraph(cuda_graph_new().map_err(Failure::Unavailable)?);
        let other = other.map_or(std::ptr::null_mut(), |other| other.0);
        // SAFETY: both pointers are from `cuda_graph_new`, or the other is null; they are freed only when their graphs
        // are dropped.
        match unsafe { cuda_graph_begin(graph.0, other) } {
            Ok(()) => Ok(Self(Some(graph))),
            Err(error) => {
                graph.leak();
                Err(Failure::Refused(error))
            }
        }
    }

    /// Ends it; returns the graph, or none if it has ended already.
    fn end(&mut self) -> Result<Option<CudaGraph>, Failure> {
        let Some(graph) = self.0.take() else {
            return Ok(None);
        };
        // SAFETY: see `begin`.
        match unsafe { cuda_graph_end(graph.0) } {
            Ok(()) => Ok(Some(graph)),
            Err(error) => {
                graph.leak();
                Err(Failure::Refused(error))
            }
        }
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        if let Err(failure) = self.end() {
            let _ = failure.into_error(None);
        }
    }
}

/// A recording that failed, with libtorch's message.
enum Failure {
    /// It could not begin.
    Unavailable(String),
    /// It began, and did not end.
    Refused(String),
}

impl Failure {
    /// Remembers a failure that cannot be undone. `cause` is an error that came before it and explains it.
    fn into_error(self, cause: Option<Error>) -> Error {
        let why = match self {
            Self::Unavailable(why) => return BridgeError::cannot(GRAPH)(why),
            Self::Refused(why) => cause.map_or(why, |cause| cause.to_string()),
        };
        BROKEN.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| why.clone());
        // The end of an empty recording takes the generator of random numbers out of the failed one, so that dropout
        // works again. If that fails, too, nothing more can be done.
        let _ = Recording::begin(None).and_then(|mut nothing| nothing.end());
        BridgeError::Recorded(why).into()
    }
}

impl Drop for CudaGraph {
    fn drop(&mut self) {
        // SAFETY: the pointer is from `cuda_graph_new`, and this is its last use.
        unsafe { cuda_graph_free(self.0) }
    }
}

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

#[cfg(test)]
mod tests {
    use super::CudaGraph;
    use crate::Error;
    use crate::ffi::load_cuda;

    /// Without CUDA the functions are not found. With CUDA but without a driver they are found, and say what is
    /// missing. Neither ends the program.
    #[test]
    fn without_a_device_recording_is_an_error() {
        let message = |found: Result<(CudaGraph, ()), _>| found.err().map(|error: Error| error.to_string());
        let without = message(CudaGraph::record(None, || Ok(())));
        let without = without.expect("libtorch_cuda is not loaded");
        assert!(without.contains("this libtorch has no CUDA graphs: no _ZN2at4cuda9CUDAGraph"), "{without}");
        if load_cuda().is_ok() && tch::Cuda::device_count() == 0 {
            let first = message(CudaGraph::record(None, || Ok(()))).expect("there is no device");
            assert!(!first.contains("no CUDA graphs"), "{first}");
            // After a recording was refused, the process does not begin another one.
            let again = message(CudaGraph::record(None, || -> Result<(), _> { panic!("not called") }));
            assert_eq!(again, Some(first));
        }
    }
}
