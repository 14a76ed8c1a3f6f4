//! Transforms written in Python.

use crate::python_source::dtype;
use graphpack_loader::{Dtype, Level, Slot, SlotError, SourceError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict};
use pyo3::{PyTraverseError, PyVisit};
use std::sync::{Arc, Mutex, PoisonError};

/// A function of Python that a loader and its workers share. It may hold the loader, as a method does whose object has
/// both: the garbage collector sees this, and clears what nobody can reach any more.
pub(crate) struct Function(Mutex<Option<Py<PyAny>>>);

impl Function {
    pub(crate) fn new(function: Py<PyAny>) -> Arc<Self> {
        Arc::new(Self(Mutex::new(Some(function))))
    }

    fn get(&self, py: Python<'_>) -> Result<Py<PyAny>, SourceError> {
        let function = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        function.as_ref().map(|function| function.clone_ref(py)).ok_or_else(|| "the transform was freed".into())
    }

    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        // Nobody holds the lock while the collector runs; what it does not visit it would keep.
        self.0.try_lock().map_or(Ok(()), |function| visit.call(&*function))
    }

    pub(crate) fn clear(&self) {
        let function = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(function);
    }
}

/// Calls `transform(graph)` with a dictionary of the fields and indices of a graph, NumPy arrays that it may change in
/// place or replace by others of the same dtype and shape, and of `"number"` and `"epoch"`. Edges that are made by a
/// cutoff are not among them: they follow from what the transform leaves.
pub(crate) fn of(
    transform: Arc<Function>,
) -> impl Fn(&mut Slot<'_>) -> Result<(), SourceError> + Send + Sync + 'static {
    move |graph| {
        Python::attach(|py| {
            let numpy = py.import("numpy")?;
            let arrays = PyDict::new(py);
            arrays.set_item("number", graph.number())?;
            arrays.set_item("epoch", graph.epoch())?;
            let (schema, size) = (graph.schema().clone(), graph.size());
            let mut given = Vec::new();
            for field in schema.fields() {
                if !graph.carries(&field.name) {
                    continue;
                }
                let rows = match graph.bytes(&field.name) {
                    Ok(rows) => PyByteArray::new(py, rows),
                    // Made of what the transform leaves, as distances are.
                    Err(SlotError::Missing { .. }) => continue,
                    Err(error) => return Err(error.into()),
                };
                let array = numpy.call_method1("frombuffer", (rows, field.dtype.to_string()))?;
                let rows = match field.level {
                    Level::Set(set) => size[usize::from(set)] as usize,
                    Level::Graph => 1,
                };
                let shape: Vec<usize> = [rows].into_iter().chain(field.columns()).collect();
                let array = array.call_method1("reshape", (shape,))?;
                given.push((field, array.getattr("shape")?));
                arrays.set_item(&field.name, array)?;
            }
            let mut indices = Vec::new();
            for index in schema.indices().iter().filter(|index| graph.carries(&index.name)) {
                let mut columns = Vec::new();
                match graph.index(&index.name, &mut columns) {
                    Ok(()) => {}
                    Err(SlotError::Missing { .. }) => continue,
                    Err(error) => return Err(error.into()),
                };
                indices.push(index);
                arrays.set_item(&index.name, numpy.call_method1("array", (columns, "int64"))?)?;
            }
            let returned = transform.get(py)?.bind(py).call1((&arrays,))?;
            if !returned.is_none() && !returned.is(&arrays) {
                let found = returned.get_type();
                let expected = "a transform changes the dictionary that it is given and returns nothing";
                return Err(format!("{expected}, found that it returns {found}").into());
            }
            only_given(
                &arrays,
                graph,
                given.iter().map(|(field, _)| &field.name).chain(indices.iter().map(|index| &index.name)),
            )?;
            for (field, shape) in &given {
                let name = &field.name;
                let changed = arrays.as_any().get_item(name)?;
                let changed = numpy.call_method1("asarray", (changed,))?;
                // Not converted: halves would become whole numbers.
                dtype(name, &changed, field.dtype)?;
                let found = changed.getattr("shape")?;
                if !found.eq(shape)? {
                    return Err(format!("{name}: expected the shape {shape}, found {found}").into());
                }
                let changed = changed.call_method0("tobytes")?;
                let changed = changed.cast::<PyBytes>().map_err(PyErr::from)?.as_bytes();
                let rows = graph.bytes(name)?;
                rows.copy_from_slice(changed);
                if field.dtype == Dtype::Bool {
                    rows.iter_mut().for_each(|byte| *byte = (*byte != 0).into());
                }
            }
            for index in &indices {
                let columns: Vec<Vec<i64>> =
                    arrays.as_any().get_item(&index.name)?.call_method0("tolist")?.extract()?;
                graph.set_index(&index.name, &columns.iter().map(Vec::as_slice).collect::<Vec<_>>())?;
            }
            Ok(())
        })
    }
}

/// Errors if a transform added a key, which would be lost, or changed the number or the epoch.
fn only_given<'a>(
    arrays: &Bound<'_, PyDict>,
    graph: &Slot<'_>,
    names: impl Iterator<Item = &'a String>,
) -> Result<(), SourceError> {
    let names: Vec<&str> = names.map(String::as_str).collect();
    for (key, value) in arrays {
        let key = key.str()?.to_string();
        let own = [("number", graph.number()), ("epoch", graph.epoch())].into_iter().find(|(name, _)| *name == key);
        match own {
            Some((_, expected)) if !value.eq(expected)? => {
                return Err(format!("{key}: expected {expected}, as it was given, found {value}").into());
            }
            None if !names.contains(&key.as_str()) => {
                let there = names.join(", ");
                return Err(format!(
                    "a transform changes the arrays that it is given, {there}; found a new one, {key:?}"
                )
                .into());
            }
            _ => {}
        }
    }
    Ok(())
}
