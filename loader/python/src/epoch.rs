//! [`Epoch`]: the batches of one epoch, as an iterator.

use crate::batch::Batch;
use crate::errors::{GraphpackError, LoadError, raise, warn};
use crate::live::{Figures, Live, is_called_by_an_epoch};
use crate::position::Position;
use graphpack_loader::{self as graphpack, State};
use pyo3::exceptions::{PyException, PyRuntimeError, PyStopIteration};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3::{PyTraverseError, PyVisit};
use std::iter;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How often a waiting epoch looks whether the user pressed Ctrl-C.
const LOOK: Duration = Duration::from_millis(50);

/// An iterator over the batches of one epoch. It waits without the GIL; Ctrl-C ends it; dropping it stops and
/// joins its workers, all but one that drops it itself.
///
///     >>> epoch = gp.Loader(data, capacity=16).epoch(3)
///     >>> sum(batch.real["graphs"] for batch in epoch)
///     200
///     >>> epoch.stats()["graphs"]
///     200
#[pyclass(frozen, module = "graphpack_loader")]
pub(crate) struct Epoch {
    batches: Arc<Live>,
    position: Arc<Position>,
    /// The number of this iterator, for `position`.
    number: u64,
    /// Kept for as long as this, whose workers call functions of its maps.
    loader: Py<PyAny>,
    /// The state after the last batch: the beginning of the next epoch.
    end: State,
    /// The function of a batch whose result this gives.
    output: Option<Py<PyAny>>,
    /// Whether a warning said that a graph could not be loaded.
    warned: AtomicBool,
}

impl Epoch {
    pub(crate) fn new(
        batches: graphpack::Epoch,
        (position, number): (Arc<Position>, u64),
        loader: Py<PyAny>,
        end: State,
        output: Option<Py<PyAny>>,
    ) -> Self {
        position.begun(number, batches.size_hint().1);
        Self { batches: Live::new(batches), position, number, loader, end, output, warned: AtomicBool::new(false) }
    }

    /// Runs `on` with the iterator, without the GIL.
    fn with<T: Send>(&self, py: Python<'_>, on: impl FnOnce(&mut Option<graphpack::Epoch>) -> T + Send) -> T {
        py.detach(|| self.batches.with(on))
    }

    /// Warns of the edges and the graphs that batches are without.
    fn warn_at_end(&self, py: Python<'_>) -> PyResult<()> {
        let Ok(figures) = py.detach(|| self.batches.figures()) else { return Ok(()) };
        if figures.left_out > 0 {
            let left_out = figures.left_out;
            warn(py, format!("{left_out} edges were left out: maps move atoms by more than the margin of `connect`"))?;
        }
        // Of a single one the first warning has said all.
        match figures.failed {
            0 | 1 => Ok(()),
            failed => warn(py, format!("{failed} graphs of this epoch could not be loaded and were left out")),
        }
    }

    /// Warns of the first graph that could not be loaded.
    fn warn_of_first(&self, py: Python<'_>, batch: &graphpack::Batch) -> PyResult<()> {
        match batch.failed().first() {
            Some(error) if !self.warned.swap(true, Ordering::Relaxed) => warn(py, format!("left out: {error}")),
            _ => Ok(()),
        }
    }

    /// The next batch, or what the function `output` makes of it.
    fn next(&self, py: Python<'_>, output: Option<&Py<PyAny>>) -> PyResult<Option<Py<PyAny>>> {
        if !self.batches.is_here() {
            let message = "this epoch belongs to the process that was forked, whose threads are not here: make the \
                           loader in the child, or start it by 'spawn'";
            return Err(PyRuntimeError::new_err(message));
        }
        loop {
            if self.batches.is_closed()
                && let Some(error) = py.detach(|| self.batches.end())
            {
                return Err(caused(py, &error));
            }
            let next = self.with(py, |batches| {
                let batches = batches.as_mut()?;
                batches.wait(LOOK).then(|| batches.next())
            });
            match next {
                Some(Some(Ok(batch))) => {
                    // Where warnings are errors, this one ends the epoch before the batch, as errors do.
                    self.warn_of_first(py, &batch).inspect_err(|_| self.stop(py))?;
                    let state = batch.state();
                    let mut batch = Bound::new(py, Batch::new(batch, self.position.clone()))?.into_any();
                    if let Some(output) = output {
                        let made = output.bind(py).call1((batch,)).inspect_err(|_| self.stop(py));
                        batch = made.map_err(|error| no_end(py, error))?;
                    }
                    self.position.after(self.number, state);
                    return Ok(Some(batch.unbind()));
                }
                Some(Some(Err(error))) => {
                    self.stop(py);
                    return Err(caused(py, &error));
                }
                Some(None) => {
                    self.stop(py);
                    self.position.after(self.number, self.end.clone());
                    return self.warn_at_end(py).map(|()| None);
                }
                None if self.with(py, |batches| batches.is_none()) => return Ok(None),
                None => {
                    if let Err(interrupt) = py.check_signals() {
                        self.stop(py);
                        return Err(interrupt);
                    }
                }
            }
        }
    }

    /// Joins the workers without the GIL, which they may wait for.
    fn stop(&self, py: Python<'_>) {
        self.position.ended(self.number);
        py.detach(|| self.batches.stop());
    }
}

#[pymethods]
impl Epoch {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        self.next(py, self.output.as_ref())
    }

    /// The next batch itself, whatever `output` says; `None` after the last.
    fn next_batch(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        self.next(py, None)
    }

    fn __length_hint__(&self, py: Python<'_>) -> usize {
        if !self.batches.is_here() {
            return 0;
        }
        self.with(py, |batches| batches.as_ref().and_then(|batches| batches.size_hint().1).unwrap_or(0))
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("Epoch({} batches left)", self.__length_hint__(py))
    }

    /// Ends the epoch and joins its workers. Where a map or a source calls it, the epoch ends before its next batch, or
    /// when it is dropped.
    fn close(&self, py: Python<'_>) {
        if is_called_by_an_epoch() { self.batches.close() } else { self.stop(py) }
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.loader)?;
        visit.call(&self.output)
    }

    /// Where the time went so far, or until the epoch ended, in seconds, and what slows the training down; how many
    /// edges were left out because maps moved atoms by more than the margin of `connect`; how many graphs could not be
    /// loaded and were left out, and the errors of the first 16.
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let figures = py.detach(|| self.batches.figures());
        let Figures { stats, left_out, failed, failures } = figures.map_err(GraphpackError::new_err)?;
        let named = PyDict::new(py);
        named.set_item("batches", stats.batches)?;
        named.set_item("graphs", stats.real.graphs())?;
        named.set_item("bytes", stats.bytes)?;
        named.set_item("elapsed", stats.elapsed.as_secs_f64())?;
        named.set_item("waited", stats.waited.as_secs_f64())?;
        named.set_item("collating", stats.collating.as_secs_f64())?;
        named.set_item("workers_waited", stats.workers_waited.as_secs_f64())?;
        named.set_item("filled", stats.filled())?;
        named.set_item("verdict", stats.verdict().to_string())?;
        named.set_item("left_out", left_out)?;
        named.set_item("failed", failed)?;
        named.set_item("failures", failures)?;
        Ok(named)
    }
}

impl Drop for Epoch {
    fn drop(&mut self) {
        // The thread that drops this holds the GIL, unless the interpreter has ended, and all epochs before it.
        let _ = Python::try_attach(|py| self.stop(py));
    }
}

/// The exception of a function, which must not end the loop as if all batches had come.
fn no_end(py: Python<'_>, error: PyErr) -> PyErr {
    if !error.is_instance_of::<PyStopIteration>(py) {
        return error;
    }
    let exception = PyRuntimeError::new_err("output raised StopIteration");
    exception.set_cause(py, Some(error));
    exception
}

/// The exception of an epoch that failed; the exception of Python that caused it, if one did, is its cause. One that
/// asks the program to end, as Ctrl-C and `sys.exit` do, stays itself.
fn caused(py: Python<'_>, error: &graphpack::Error) -> PyErr {
    let exception = raise::<LoadError>(error);
    let mut causes = iter::successors(error.get_ref(), |&error| error.source());
    if let Some(cause) = causes.find_map(|error| error.downcast_ref::<PyErr>()) {
        if !cause.is_instance_of::<PyException>(py) {
            return cause.clone_ref(py);
        }
        exception.set_cause(py, Some(cause.clone_ref(py)));
    }
    exception
}
