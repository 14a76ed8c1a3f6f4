//! [`CudaGraph`]: work of a CUDA stream that was recorded.

use crate::BridgeError;
use crate::ffi::{cuda_graph_begin, cuda_graph_end, cuda_graph_free, cuda_graph_new, cuda_graph_replay};
use std::ffi::c_void;
use std::sync::{Mutex, PoisonError};

/// Work that was recorded instead of done, to be given to a stream as often as wanted. The memory it uses stays reserved.
pub(crate) struct CudaGraph(*mut c_void);

/// A graph as another one names it.
#[derive(Clone, Copy)]
pub(crate) struct Handle(*mut c_void);

// SAFETY: a graph may be replayed and freed on another thread than the one that recorded it; nothing is done by two at a time.
unsafe impl Send for CudaGraph {}

/// Why nothing can be recorded in this process any more. libtorch 2.11 does not tidy up where the end of a recording fails: its allocator and
/// its generator of random numbers stay in the recording.
static BROKEN: Mutex<Option<String>> = Mutex::new(None);

impl CudaGraph {
    /// Records what `work` gives to the current stream, which must not be the default one. Memory is shared with `other`, which must live, and not
    /// be replayed at the same time as this.
    pub(crate) fn record<T>(
        other: Option<Handle>,
        work: impl FnOnce() -> Result<T, BridgeError>,
    ) -> Result<(Self, T), BridgeError> {
        if let Some(why) = &*BROKEN.lock().unwrap_or_else(PoisonError::into_inner) {
            return Err(BridgeError::Recorded(why.clone()));
        }
        let mut recording = Recording::begin(other).map_err(|failure| failure.into_error(None))?;
        let result = work();
        match recording.end() {
            Ok(Some(this)) => Ok((this, result?)),
            Ok(None) => Err(BridgeError::Graph("the recording has ended already".into())),
            // A work that failed is why the recording did.
            Err(failure) => Err(failure.into_error(result.err())),
        }
    }

    /// Keeps what libtorch still has pointers to after a recording that failed.
    fn keep(self) {
        std::mem::forget(self);
    }

    /// Gives the work to the current stream.
    pub(crate) fn replay(&mut self) -> Result<(), BridgeError> {
        // SAFETY: see `Recording::begin`.
        unsafe { cuda_graph_replay(self.0) }.map_err(BridgeError::Graph)
    }

    pub(crate) fn handle(&self) -> Handle {
        Handle(self.0)
    }
}

/// A recording, which ends also where the work panics: the stream must not stay in it.
struct Recording(Option<CudaGraph>);

impl Recording {
    fn begin(other: Option<Handle>) -> Result<Self, Failure> {
        let graph = CudaGraph(cuda_graph_new().map_err(Failure::Unavailable)?);
        let other = other.map_or(std::ptr::null_mut(), |handle| handle.0);
        // SAFETY: the pointer is from `cuda_graph_new`, and freed only when the graph is dropped; the other's owner lives, by the promise to `record`.
        match unsafe { cuda_graph_begin(graph.0, other) } {
            Ok(()) => Ok(Self(Some(graph))),
            Err(error) => {
                graph.keep();
                Err(Failure::Refused(error))
            }
        }
    }

    /// The graph, unless it has ended before.
    fn end(&mut self) -> Result<Option<CudaGraph>, Failure> {
        let Some(graph) = self.0.take() else {
            return Ok(None);
        };
        // SAFETY: see `begin`.
        match unsafe { cuda_graph_end(graph.0) } {
            Ok(()) => Ok(Some(graph)),
            Err(error) => {
                graph.keep();
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

/// What libtorch says where it does not record.
enum Failure {
    /// It cannot, and has not begun.
    Unavailable(String),
    /// It has begun and not ended.
    Refused(String),
}

impl Failure {
    /// Remembers what cannot be undone. `cause` is what failed before.
    fn into_error(self, cause: Option<BridgeError>) -> BridgeError {
        let why = match self {
            Self::Unavailable(why) => return BridgeError::Graph(why),
            Self::Refused(why) => cause.map_or(why, |cause| cause.to_string()),
        };
        BROKEN.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| why.clone());
        // The end of a recording of nothing brings the generator of random numbers out of the one that failed: dropout works again.
        // More cannot be done where that fails, too.
        let _ = Recording::begin(None).and_then(|mut nothing| nothing.end());
        BridgeError::Recorded(why)
    }
}

impl Drop for CudaGraph {
    fn drop(&mut self) {
        // SAFETY: the pointer is from `cuda_graph_new`, and this is its last use.
        unsafe { cuda_graph_free(self.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::CudaGraph;
    use crate::ffi::load_cuda;

    /// Without CUDA the functions are not found; with CUDA and without a driver they are, and say what is missing. Neither ends the program.
    #[test]
    fn without_a_device_recording_is_an_error() {
        let message =
            |found: Result<(CudaGraph, ()), _>| found.err().map(|error: crate::BridgeError| error.to_string());
        let without = message(CudaGraph::record(None, || Ok(())));
        let without = without.expect("libtorch_cuda is not loaded");
        assert!(without.contains("this libtorch has no CUDA graphs: no _ZN2at4cuda9CUDAGraph"), "{without}");
        if load_cuda().is_ok() && tch::Cuda::device_count() == 0 {
            let first = message(CudaGraph::record(None, || Ok(()))).expect("there is no device");
            assert!(!first.contains("no CUDA graphs"), "{first}");
            // Where a recording was refused, the process does not begin another one.
            let again = message(CudaGraph::record(None, || -> Result<(), _> { panic!("not called") }));
            assert_eq!(again, Some(first));
        }
    }
}
