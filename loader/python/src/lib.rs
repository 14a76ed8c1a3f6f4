//! The module `graphpack_loader._graphpack`: what Python calls.
//!
//! | file | class or function |
//! |---|---|
//! | [`data`], [`statistics`] | `Data`: any source of graphs |
//! | [`open`] | files of any format |
//! | [`schema`], [`columns`], [`python_source`] | sets, fields and graphs that Python gives; graphs of which only sizes are known |
//! | [`map`] | changes of graphs |
//! | [`loader`] | `Loader` |
//! | [`options`], [`capacity`], [`ranks`], [`value`] | keyword arguments of `Loader` |
//! | [`epoch`], [`live`] | `Epoch`: the iterator, its state, and that it ends before the interpreter does |
//! | [`picture`] | what notebooks draw |
//! | [`probe`] | `Probe`: shapes to try on a device |
//! | [`batch`], [`array`] | `Batch` and its `Array`s, without a copy |
//! | [`errors`] | exceptions |

mod array;
mod batch;
mod capacity;
mod columns;
mod data;
mod epoch;
mod errors;
mod live;
mod loader;
mod map;
mod open;
mod options;
mod picture;
mod position;
mod probe;
mod python_source;
mod ranks;
mod schema;
mod statistics;
mod value;
mod words;

use pyo3::prelude::*;

/// What Python calls; `graphpack_loader/__init__.py` gives it to users.
// Not tried without the GIL: a free-threaded interpreter turns it on, and says so.
#[pymodule(gil_used = true)]
mod _graphpack {
    #[pymodule_export]
    use super::array::Array;
    #[pymodule_export]
    use super::batch::Batch;
    #[pymodule_export]
    use super::capacity::Capacity;
    #[pymodule_export]
    use super::data::Data;
    #[pymodule_export]
    use super::epoch::Epoch;
    #[pymodule_export]
    use super::errors::{BuildError, FileError, GraphpackError, LoadError, ResumeError};
    #[pymodule_export]
    use super::loader::Loader;
    #[pymodule_export]
    use super::open::open;
    #[pymodule_export]
    use super::options::Plan;
    #[pymodule_export]
    use super::probe::Probe;

    use pyo3::exceptions::PyImportError;
    use pyo3::ffi::{PyInterpreterState_Get, PyInterpreterState_GetID};
    use pyo3::prelude::*;
    use std::process::{ExitCode, Termination};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        // SAFETY: the thread is attached to the interpreter that imports the module. The first one has number 0.
        let interpreter = unsafe { PyInterpreterState_GetID(PyInterpreterState_Get()) };
        // At its end a subinterpreter would hang: `end_all` gives up the GIL to join workers, and never gets it again.
        if interpreter != 0 {
            let found = format!("graphpack_loader expects the main interpreter, found subinterpreter {interpreter}");
            return Err(PyImportError::new_err(found));
        }
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        super::errors::declare(module.py())?;
        let end = wrap_pyfunction!(crate::live::end_all, module)?;
        module.py().import("atexit")?.call_method1("register", (end,)).map(drop)
    }

    /// Runs the command `graphpack` with these arguments, the name of the program first; returns its exit status.
    #[pyfunction]
    fn command(py: Python<'_>, arguments: Vec<String>) -> u8 {
        py.detach(|| if graphpack_cli::run(arguments).report() == ExitCode::SUCCESS { 0 } else { 1 })
    }

    /// Whether the message of an error says that memory ran out.
    #[pyfunction]
    fn says_out_of_memory(text: &str) -> bool {
        graphpack_cli::says_out_of_memory(text)
    }
}
