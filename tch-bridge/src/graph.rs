//! [`Graph`]: work of a CUDA stream that was recorded.

use crate::BridgeError;
use crate::ffi::{graph_begin, graph_end, graph_free, graph_new, graph_replay};
use std::ffi::c_void;

/// Work that was recorded instead of done, to be given to a stream as often as wanted. The memory it uses stays reserved.
pub(crate) struct Graph(*mut c_void);

/// A graph as another one names it.
#[derive(Clone, Copy)]
pub(crate) struct Handle(*mut c_void);

// SAFETY: a graph may be replayed and freed on another thread than the one that recorded it; nothing is done by two at a time.
unsafe impl Send for Graph {}

impl Graph {
    /// Records what `work` gives to the current stream, which must not be the default one. Memory is shared with `other`, which must live, and not
    /// be replayed at the same time as this.
    pub(crate) fn record<T>(
        other: Option<Handle>,
        work: impl FnOnce() -> Result<T, BridgeError>,
    ) -> Result<(Self, T), BridgeError> {
        let this = Self(graph_new().map_err(BridgeError::Graph)?);
        let other = other.map_or(std::ptr::null_mut(), |handle| handle.0);
        // SAFETY: the pointer is from `graph_new`, and freed only when this is dropped; the other's owner lives, by the caller's promise.
        if let Err(error) = unsafe { graph_begin(this.0, other) } {
            this.keep();
            return Err(BridgeError::Graph(error));
        }
        let mut recording = Recording(Some(this));
        let result = work();
        match recording.end() {
            Some(Ok(this)) => Ok((this, result?)),
            // A work that failed is why the recording did.
            Some(Err(error)) => Err(result.err().unwrap_or(error)),
            None => Err(BridgeError::Graph("the recording has ended already".into())),
        }
    }

    /// Keeps what libtorch still has pointers to after a recording that failed.
    fn keep(self) {
        std::mem::forget(self);
    }

    /// Gives the work to the current stream.
    pub(crate) fn replay(&mut self) -> Result<(), BridgeError> {
        // SAFETY: as above.
        unsafe { graph_replay(self.0) }.map_err(BridgeError::Graph)
    }

    pub(crate) fn handle(&self) -> Handle {
        Handle(self.0)
    }
}

/// Ends a recording also where the work panics: the stream must not stay in it.
struct Recording(Option<Graph>);

impl Recording {
    fn end(&mut self) -> Option<Result<Graph, BridgeError>> {
        let graph = self.0.take()?;
        // SAFETY: see `Graph::record`.
        Some(match unsafe { graph_end(graph.0) } {
            Ok(()) => Ok(graph),
            Err(error) => {
                graph.keep();
                Err(BridgeError::Graph(error))
            }
        })
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        // SAFETY: the pointer is from `graph_new`, and this is its last use.
        unsafe { graph_free(self.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::Graph;
    use crate::ffi::load_cuda;

    /// Without CUDA the functions are not found; with CUDA and without a driver they are, and say what is missing. Neither ends the program.
    #[test]
    fn without_a_device_recording_is_an_error() {
        let message = |found: Result<(Graph, ()), _>| found.err().map(|error: crate::BridgeError| error.to_string());
        let without = message(Graph::record(None, || Ok(())));
        let without = without.expect("libtorch_cuda is not loaded");
        assert!(without.contains("this libtorch has no CUDA graphs: no _ZN2at4cuda9CUDAGraph"), "{without}");
        if load_cuda().is_ok() && tch::Cuda::device_count() == 0 {
            let message = message(Graph::record(None, || Ok(()))).expect("there is no device");
            assert!(!message.contains("no CUDA graphs"), "{message}");
            println!("{message}");
        }
    }
}
