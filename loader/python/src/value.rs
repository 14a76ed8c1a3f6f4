//! Values of keyword arguments, with errors that name the option.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// An option's value, or an error that names the option.
pub(crate) fn value_of<T>(option: &str, expected: &str, value: &Bound<'_, PyAny>) -> PyResult<T>
where
    T: for<'a, 'py> FromPyObject<'a, 'py>,
{
    value.extract().map_err(|_| wrong(option, expected, value))
}

/// One of several names.
pub(crate) fn one_of<T: Copy>(option: &str, value: &Bound<'_, PyAny>, all: &[(&str, T)]) -> PyResult<T> {
    let found = value.extract::<String>();
    let fitting = found.ok().and_then(|found| all.iter().find(|(name, _)| *name == found));
    let names = || all.iter().map(|(name, _)| format!("{name:?}")).collect::<Vec<_>>().join(", ");
    fitting.map(|&(_, value)| value).ok_or_else(|| wrong(option, &names(), value))
}

/// The error of a value of another kind.
pub(crate) fn wrong(option: &str, expected: &str, found: &Bound<'_, PyAny>) -> PyErr {
    let found = found.repr().map_or_else(|_| String::new(), |found| found.to_string());
    PyTypeError::new_err(format!("{option}: expected {expected}, found {found}"))
}
