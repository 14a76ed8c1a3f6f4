//! Exceptions, each with the message of the Rust error in Python's words; warnings.

use crate::value::state_dict;
use crate::words::in_python;
use graphpack_loader::extend::Cause;
use graphpack_loader::{BoxError, ErrorKind};
use pyo3::exceptions::{PyException, PyFileNotFoundError, PyUserWarning, PyValueError};
use pyo3::prelude::*;
use pyo3::{PyTypeInfo, create_exception};
use std::error::Error;
use std::ffi::CString;
use std::fmt::{self, Write};
use std::path::Path;
use std::{io, iter};

create_exception!(graphpack_loader, GraphpackError, PyException, "Base of what files and epochs raise.");
create_exception!(graphpack_loader, BuildError, PyValueError, "Options that contradict each other or the data.");
create_exception!(graphpack_loader, FileError, GraphpackError, "A file that cannot be read or written, and where.");
create_exception!(graphpack_loader, LoadError, GraphpackError, "An epoch that ends early: a graph cannot be loaded.");
create_exception!(graphpack_loader, ResumeError, BuildError, "A saved state that belongs to other data or options.");

/// What an exception is about, where that is known.
const ABOUT: [&str; 3] = ["graph", "step", "path"];
/// The states around the batch that a `LoadError` is about.
const STATES: [&str; 2] = ["before", "after"];

/// Says of all exceptions that nothing is known.
pub(crate) fn declare(py: Python<'_>) -> PyResult<()> {
    for exception in [py.get_type::<GraphpackError>(), py.get_type::<BuildError>()] {
        ABOUT.iter().try_for_each(|name| exception.setattr(name, py.None()))?;
    }
    STATES.iter().try_for_each(|name| py.get_type::<LoadError>().setattr(name, py.None()))
}

/// The exception `E` with the message of `error` and of what caused it, in Python's words. Its attributes are the
/// graph, batch and file that it is about, and the states before and after that batch.
pub(crate) fn raise<E: PyTypeInfo>(error: &(dyn Error + 'static)) -> PyErr {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let text = error.to_string();
        if !message.contains(&text) {
            let _ = write!(message, ": {text}");
        }
        cause = error.source();
    }
    let exception = PyErr::new::<E, _>(in_python(&message));
    let Some(error) = error.downcast_ref::<graphpack_loader::Error>() else { return exception };
    Python::attach(|py| {
        let value = exception.value(py);
        let set = || {
            value.setattr(ABOUT[0], error.graph())?;
            value.setattr(ABOUT[1], error.step())?;
            value.setattr(ABOUT[2], error.path())?;
            let states = STATES.into_iter().zip([error.before(), error.after()]);
            states
                .filter_map(|(name, state)| Some((name, state?)))
                .try_for_each(|(name, state)| value.setattr(name, state_dict(py, state)?))
        };
        set().map_or_else(|error: PyErr| error, |()| exception.clone_ref(py))
    })
}

/// The exception of a file that cannot be read or written: Python's own for one that is missing.
pub(crate) fn of_file(error: &(dyn Error + 'static)) -> PyErr {
    let known = error.downcast_ref::<graphpack_loader::Error>();
    let first = known.and_then(|error| error.get_ref()).map_or(error, |cause| cause);
    let is_missing = |error: &(dyn Error + 'static)| {
        error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::NotFound)
    };
    match known.and_then(|error| error.path()) {
        Some(path) if iter::successors(Some(first), |&error| error.source()).any(is_missing) => missing(path),
        _ => raise::<FileError>(error),
    }
}

/// Python's exception of a file that is missing.
pub(crate) fn missing(path: &Path) -> PyErr {
    PyFileNotFoundError::new_err((2, "No such file or directory", path.as_os_str().to_owned()))
}

/// Warns the user; an error where warnings are.
pub(crate) fn warn(py: Python<'_>, message: String) -> PyResult<()> {
    // An exception of a source may have any text, a warning no zero byte.
    let message = in_python(&message).replace('\0', "\\0");
    PyErr::warn(py, &py.get_type::<PyUserWarning>(), &CString::new(message)?, 1)
}

/// What a source or a map of Python raised: an exception that asks the program to end, as Ctrl-C and `sys.exit` do, is
/// one of [`ErrorKind::Stopped`], which no `on_error` passes over.
pub(crate) fn raised(py: Python<'_>, error: BoxError) -> BoxError {
    match error.downcast_ref::<PyErr>() {
        Some(raised) if !raised.is_instance_of::<PyException>(py) => {
            graphpack_loader::Error::from(AsksToEnd(raised.clone_ref(py))).into()
        }
        _ => error,
    }
}

/// An exception that asks the program to end.
#[derive(Debug)]
struct AsksToEnd(PyErr);

impl fmt::Display for AsksToEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for AsksToEnd {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.0)
    }
}

impl Cause for AsksToEnd {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Stopped
    }
}
