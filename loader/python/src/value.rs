//! Values from Python, with errors that name the option or the array.

use graphpack_loader::{Dtype, State};
use pyo3::basic::CompareOp;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyString, PyTuple};
use std::fmt::Display;

/// An option's value, or an error that names the option.
pub(crate) fn value_of<T>(option: &str, expected: &str, value: &Bound<'_, PyAny>) -> PyResult<T>
where
    T: for<'a, 'py> FromPyObject<'a, 'py>,
{
    // True would be the number 1.
    let is_flag = |value: &Bound<'_, PyAny>| value.is_instance_of::<PyBool>();
    let items = value.cast::<PyList>().map(|list| list.to_tuple()).or_else(|_| value.cast::<PyTuple>().cloned());
    let has_flag = is_flag(value) || items.is_ok_and(|items| items.iter().any(|item| is_flag(&item)));
    value.extract().ok().filter(|_| !has_flag).ok_or_else(|| wrong(option, expected, value))
}

/// True or False.
pub(crate) fn flag(option: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    value.extract().map_err(|_| wrong(option, "True or False", value))
}

/// Numbers in a list, an array or a tensor.
pub(crate) fn floats(option: &str, expected: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    let listed = if value.hasattr("tolist")? { value.call_method0("tolist")? } else { value.clone() };
    listed.extract().map_err(|_| wrong(option, expected, value))
}

/// One of several names.
pub(crate) fn one_of<T: Copy>(option: &str, value: &Bound<'_, PyAny>, all: &[(&str, T)]) -> PyResult<T> {
    let found = value.extract::<String>();
    let fitting = found.ok().and_then(|found| all.iter().find(|(name, _)| *name == found));
    let names = || all.iter().map(|(name, _)| format!("{name:?}")).collect::<Vec<_>>().join(", ");
    fitting.map(|&(_, value)| value).ok_or_else(|| wrong(option, &names(), value))
}

/// A name, or a tuple of a name and values: `"in_order"`, `("window", 32)`.
pub(crate) fn named<'py>(option: &str, value: &Bound<'py, PyAny>) -> PyResult<(String, Vec<Bound<'py, PyAny>>)> {
    if let Ok(name) = value.extract::<String>() {
        return Ok((name, Vec::new()));
    }
    let mut parts =
        value.cast::<PyTuple>().map(|parts| parts.iter()).map_err(|_| wrong(option, "a name or a tuple", value))?;
    let name = parts.next().and_then(|name| name.extract().ok());
    Ok((name.ok_or_else(|| wrong(option, "a tuple that begins with a name", value))?, parts.collect()))
}

/// Numbers by name, in the order in which they are given.
pub(crate) fn numbers<T>(option: &str, given: &Bound<'_, PyDict>) -> PyResult<Vec<(String, T)>>
where
    T: for<'a, 'py> FromPyObject<'a, 'py>,
{
    let number = |(name, number): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        Ok((value_of(option, "names of sets", &name)?, value_of(option, "whole numbers", &number)?))
    };
    given.iter().map(number).collect()
}

/// A list or a tensor as an array of NumPy. Numbers of Python, which have no dtype, get this one; errors if they are of
/// another kind, halves for integers, or integers that it does not have.
pub(crate) fn array<'py>(name: &str, value: &Bound<'py, PyAny>, expected: Dtype) -> PyResult<Bound<'py, PyAny>> {
    if value.hasattr("detach")? {
        return value.call_method0("detach")?.call_method0("cpu")?.call_method0("numpy");
    }
    if value.hasattr("dtype")? {
        return Ok(value.clone());
    }
    let numpy = value.py().import("numpy")?;
    let of = |error: PyErr| PyTypeError::new_err(format!("{name}: expected an array of {expected}, found {error}"));
    let found = numpy.call_method1("asarray", (value,)).map_err(of)?;
    let kind: String = found.getattr("dtype")?.getattr("kind")?.extract()?;
    let fits = match expected {
        Dtype::F16 | Dtype::F32 | Dtype::F64 => ["f", "i", "u"].contains(&&*kind),
        Dtype::I64 | Dtype::I32 | Dtype::U8 => ["i", "u"].contains(&&*kind),
        Dtype::Bool => kind == "b",
    };
    if !fits && found.getattr("size")?.extract::<usize>()? > 0 {
        return Err(PyTypeError::new_err(format!("{name}: expected {expected}, found {}", found.getattr("dtype")?)));
    }
    let cast = numpy.call_method1("asarray", (value, expected.to_string())).map_err(of)?;
    // Floating point numbers may be rounded, integers not.
    let [before, after] = match kind == "f" {
        true => [numpy.call_method1("isinf", (&found,))?, numpy.call_method1("isinf", (&cast,))?],
        // As numbers of Python, which are compared exactly.
        false => [found.call_method1("astype", ("O",))?, cast.call_method1("astype", ("O",))?],
    };
    let changed = numpy.call_method1("flatnonzero", (before.rich_compare(after, CompareOp::Ne)?,))?;
    if changed.len()? > 0 {
        let number = numpy.call_method1("ravel", (found,))?.get_item(changed.get_item(0)?)?;
        return Err(PyTypeError::new_err(format!("{name}: expected numbers that {expected} has, found {number}")));
    }
    Ok(cast)
}

/// Errors unless an array has this dtype.
pub(crate) fn dtype(name: &str, array: &Bound<'_, PyAny>, expected: impl Display) -> PyResult<()> {
    let found = array.getattr("dtype")?.str()?.to_string();
    if found == expected.to_string() {
        return Ok(());
    }
    Err(PyTypeError::new_err(format!("{name}: expected {expected}, found {found}")))
}

/// The numbers that `given` chooses among those of `graphs` graphs: a mask of bools, or numbers.
pub(crate) fn chosen(given: &Bound<'_, PyAny>, graphs: usize) -> PyResult<Vec<u32>> {
    let expected = |found: String| {
        let expected = format!("numbers of graphs, or a mask with a bool for each of the {graphs} graphs");
        PyTypeError::new_err(format!("subset: expected {expected}, found {found}"))
    };
    if given.is_instance_of::<PyString>() {
        return Err(expected(given.repr()?.to_string()));
    }
    // PyTorch's masks were of uint8: as numbers they would choose graphs 0 and 1.
    if given.hasattr("dtype")?
        && given.getattr("dtype")?.str()?.to_string().ends_with("uint8")
        && given.len()? == graphs
    {
        return Err(expected(format!("an array of {graphs} uint8")));
    }
    let given = if given.hasattr("__array__")? { given.call_method0("tolist")? } else { given.clone() };
    let items = given.try_iter()?.collect::<PyResult<Vec<_>>>()?;
    // Also those of NumPy and PyTorch, which would count as the numbers 0 and 1.
    let is_bool = |item: &Bound<'_, PyAny>| match item.is_instance_of::<PyBool>() {
        false if item.hasattr("dtype")? => Ok(item.getattr("dtype")?.str()?.to_string().ends_with("bool")),
        is_bool => Ok::<_, PyErr>(is_bool),
    };
    let bools = items.iter().map(is_bool).collect::<PyResult<Vec<_>>>()?.into_iter().filter(|is_bool| *is_bool).count();
    if bools == 0 {
        let number = |item: &Bound<'_, PyAny>| {
            item.extract().map_err(|_| match item.repr() {
                Ok(found) => expected(found.to_string()),
                Err(error) => error,
            })
        };
        return items.iter().map(number).collect();
    }
    if bools != items.len() || bools != graphs {
        return Err(expected(format!("{bools} bools among {} items", items.len())));
    }
    let mut numbers = Vec::new();
    for (number, item) in (0..).zip(&items) {
        if item.is_truthy()? {
            numbers.push(number);
        }
    }
    Ok(numbers)
}

/// A call of a function with these arguments, which can be pickled.
pub(crate) fn partial<'py>(
    function: &Bound<'py, PyAny>,
    arguments: Vec<Bound<'py, PyAny>>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = function.py();
    let all = PyTuple::new(py, [vec![function.clone()], arguments].concat())?;
    py.import("functools")?.getattr("partial")?.call(all, options)
}

/// The error of a value of another kind.
pub(crate) fn wrong(option: &str, expected: &str, found: &Bound<'_, PyAny>) -> PyErr {
    let found = found.repr().map_or_else(|_| String::new(), |found| found.to_string());
    PyTypeError::new_err(format!("{option}: expected {expected}, found {found}"))
}

/// A state as a dictionary of plain numbers and texts.
pub(crate) fn state_dict<'py>(py: Python<'py>, state: &State) -> PyResult<Bound<'py, PyAny>> {
    let text = serde_json::to_string(state).map_err(|error| PyValueError::new_err(error.to_string()))?;
    py.import("json")?.call_method1("loads", (text,))
}
