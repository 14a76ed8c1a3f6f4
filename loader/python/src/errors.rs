//! Exceptions, each with the message of the Rust error.

use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;
use std::error::Error;
use std::fmt::Write;

create_exception!(graphpack_loader, GraphpackError, PyException, "Base of what files and epochs raise.");
create_exception!(graphpack_loader, BuildError, PyValueError, "Options that contradict each other or the data.");
create_exception!(graphpack_loader, FileError, GraphpackError, "A file that cannot be read or written, and where.");
create_exception!(graphpack_loader, LoadError, GraphpackError, "An epoch that ends early: a graph cannot be loaded.");
create_exception!(graphpack_loader, ResumeError, BuildError, "A saved state that belongs to other data or options.");

/// The exception `E` with the message of `error` and of what caused it.
pub(crate) fn raise<E: WithMessage>(error: &(dyn Error + 'static)) -> PyErr {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let text = error.to_string();
        if !message.contains(&text) {
            let _ = write!(message, ": {text}");
        }
        cause = error.source();
    }
    E::exception(message)
}

/// A type of exceptions that are made of a message.
pub(crate) trait WithMessage {
    /// The exception.
    fn exception(message: String) -> PyErr;
}

macro_rules! with_message {
    ($($exception:ident),*) => {
        $(impl WithMessage for $exception {
            fn exception(message: String) -> PyErr {
                Self::new_err(message)
            }
        })*
    };
}

with_message!(GraphpackError, BuildError, FileError, LoadError, ResumeError);
