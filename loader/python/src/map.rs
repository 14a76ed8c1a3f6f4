//! [`Held`]: objects of Python that data, loaders and their workers share; as held, they change graphs.

use crate::errors::raised;
use crate::value::{array, dtype, wrong};
use graphpack_loader::{BoxError, Dtype, ErrorKind, Level, Rng, Schema, Slot};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict};
use pyo3::{PyTraverseError, PyVisit};
use std::cmp::Reverse;
use std::sync::{Arc, Mutex, PoisonError};

type Cell = Arc<Mutex<Option<Py<PyAny>>>>;

/// A function or a source of Python that data, loaders and their workers share. It may hold the loader, as a method
/// does whose object has both: the garbage collector sees this, and clears what nobody can reach any more.
#[pyclass(frozen, module = "graphpack_loader")]
pub(crate) struct Held(Cell);

impl Held {
    pub(crate) fn new(object: Py<PyAny>) -> Self {
        Self(Arc::new(Mutex::new(Some(object))))
    }

    /// The same object, for what calls it.
    pub(crate) fn share(&self) -> Self {
        Self(self.0.clone())
    }

    /// The object; an error after the collector has cleared it.
    pub(crate) fn get<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>, BoxError> {
        // The lock is open again before anything is called: another worker may wait for it and have the GIL.
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(|kept| kept.clone_ref(py));
        Ok(kept.ok_or("the function or source was freed")?.into_bound(py))
    }

    /// Changes a graph by `function(graph, rng)`, as [`change`] says.
    pub(crate) fn map(&self) -> impl Fn(&mut Slot<'_>) -> Result<(), BoxError> + Send + Sync + use<> {
        let function = self.share();
        move |graph| Python::attach(|py| change(&function.get(py)?, graph).map_err(|error| raised(py, error)))
    }
}

#[pymethods]
impl Held {
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        // Nobody holds the lock while the collector runs; what it does not visit it would keep.
        self.0.try_lock().map_or(Ok(()), |function| visit.call(&*function))
    }

    fn __clear__(&self) {
        let function = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(function);
    }
}

/// Calls `function(graph, rng)` with a dictionary of the fields and indices of a graph, NumPy arrays that it may change
/// in place or replace by others of the same dtype and shape, and of [`numbers`]; and with a generator of NumPy that
/// follows from the seed of the loader, the epoch, the graph and the name of the map. Of a dictionary that it returns,
/// the arrays take the places of these. Rows that the masks of `keep` leave out go. What is derived of the graph
/// afterwards is not among the arrays: it follows from what the function leaves.
fn change(function: &Bound<'_, PyAny>, graph: &mut Slot<'_>) -> Result<(), BoxError> {
    let py = function.py();
    let numpy = py.import("numpy")?;
    let arrays = PyDict::new(py);
    for (name, number) in numbers(graph) {
        arrays.set_item(name, number)?;
    }
    let (schema, size) = (graph.schema().clone(), graph.size());
    let mut given = Vec::new();
    for field in schema.fields() {
        if !graph.carries(&field.name) {
            continue;
        }
        let rows = match graph.bytes(&field.name) {
            Ok(rows) => PyByteArray::new(py, rows),
            // Made of what the map leaves, as distances are.
            Err(error) if error.kind() == ErrorKind::Missing => continue,
            Err(error) => return Err(error.into()),
        };
        let array = numpy.call_method1("frombuffer", (rows, field.dtype.to_string()))?;
        let rows = match field.level {
            Level::Set(set) => size[usize::from(set)] as usize,
            Level::Graph => 1,
        };
        let array = array.call_method1("reshape", (field.shape(rows),))?;
        given.push((field, array.getattr("shape")?));
        arrays.set_item(&field.name, array)?;
    }
    let mut indices = Vec::new();
    for index in schema.indices().iter().filter(|index| graph.carries(&index.name)) {
        let mut columns = Vec::new();
        match graph.index(&index.name, &mut columns) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::Missing => continue,
            Err(error) => return Err(error.into()),
        };
        indices.push(index);
        let array = numpy.call_method1("array", (columns, "int64"))?;
        arrays.set_item(&index.name, if index.width() == 1 { array.get_item(0)? } else { array })?;
    }
    let mut random = graph.random();
    let seed: Vec<u32> = (0..4).map(|_| random.next_u32()).collect();
    let rng = numpy.getattr("random")?.call_method1("default_rng", (seed,))?;
    let returned = function.call1((&arrays, rng))?;
    match returned.cast::<PyDict>() {
        Ok(changed) => arrays.update(changed.as_mapping())?,
        Err(_) if returned.is_none() => {}
        Err(_) => {
            let found = returned.get_type();
            let expected =
                "a map changes the dictionary that it is given, or returns one of the arrays that it changes";
            return Err(format!("{expected}; found that it returns {found}").into());
        }
    }
    only_given(
        &arrays,
        graph,
        given.iter().map(|(field, _)| &field.name).chain(indices.iter().map(|index| &index.name)),
    )?;
    for (field, shape) in &given {
        let name = &field.name;
        let changed = changed_array(&arrays, name)?;
        let changed = numpy.call_method1("asarray", (array(name, &changed, field.dtype)?,))?;
        // Not converted: halves would become whole numbers.
        dtype(name, &changed, field.dtype)?;
        let found = changed.getattr("shape")?;
        if !found.eq(shape)? {
            return Err(format!("{name}: expected the shape {shape}, as batches are planned, found {found}").into());
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
        let changed = numpy.call_method1("atleast_2d", (changed_array(&arrays, &index.name)?,))?;
        let kind: String = changed.getattr("dtype")?.getattr("kind")?.extract()?;
        if !["i", "u"].contains(&&*kind) && changed.getattr("size")?.extract::<usize>()? > 0 {
            let found = changed.getattr("dtype")?;
            return Err(format!("{}: expected an array of whole numbers, found {found}", index.name).into());
        }
        let columns: Vec<Vec<i64>> = changed.call_method0("tolist")?.extract()?;
        graph.set_index(&index.name, &columns.iter().map(Vec::as_slice).collect::<Vec<_>>())?;
    }
    // After all rows are as the function leaves them.
    if let Some(keep) = arrays.get_item(KEEP)? {
        let masks = keep.cast::<PyDict>().map_err(|_| wrong(KEEP, "a dictionary of masks by set", &keep))?;
        let mut masks: Vec<(String, Bound<'_, PyAny>)> = masks.items().extract()?;
        // All masks are of the rows that were given: rows that refer to others go first, since they would go with these.
        let above = references(&schema);
        masks.sort_by_key(|(set, _)| Reverse(schema.set(set).map(|set| above[set])));
        for (set, mask) in masks {
            let bools: Result<Vec<bool>, _> =
                numpy.call_method1("asarray", (&mask,))?.call_method0("tolist")?.extract();
            let bools = bools.map_err(|_| wrong(KEEP, "masks, a bool for each row", &mask))?;
            graph.keep(&set, &bools)?;
        }
    }
    Ok(())
}

/// Of each set, how many sets its rows refer to one after the other: 0 of nodes, 1 of edges, 2 of triplets.
fn references(schema: &Schema) -> Vec<usize> {
    let mut above = vec![0; schema.sets().len()];
    for _ in 0..above.len() {
        for index in schema.indices() {
            let Level::Set(set) = index.level else { continue };
            for target in index.targets.iter().filter(|&&target| target != set) {
                above[usize::from(set)] = above[usize::from(set)].max(above[usize::from(*target)] + 1);
            }
        }
    }
    above
}

/// The array of a name as the function leaves it.
fn changed_array<'py>(arrays: &Bound<'py, PyDict>, name: &str) -> Result<Bound<'py, PyAny>, BoxError> {
    let left_out = || format!("a map leaves no array out, found none called {name:?}: fields of the loader may");
    Ok(arrays.get_item(name)?.ok_or_else(left_out)?)
}

/// What a map calls its masks of the rows that stay, by set.
const KEEP: &str = "keep";

/// What no array of a graph that is mapped may be called: the names of [`numbers`], and that of masks.
pub(crate) const TAKEN: [&str; 5] = ["number", "graph_id", "epoch", "num_nodes", KEEP];

/// What a map gets to know of a graph beside its arrays; without nodes, not their number.
fn numbers(graph: &Slot<'_>) -> impl Iterator<Item = (&'static str, u64)> {
    let nodes = graph.schema().set("nodes").map(|set| u64::from(graph.size()[set]));
    TAKEN.into_iter().zip([graph.number(), graph.graph_id(), graph.epoch()].into_iter().chain(nodes))
}

/// Errors if a map added a key, which would be lost, or changed one of the [`numbers`].
fn only_given<'a>(
    arrays: &Bound<'_, PyDict>,
    graph: &Slot<'_>,
    names: impl Iterator<Item = &'a String>,
) -> Result<(), BoxError> {
    let names: Vec<&str> = names.map(String::as_str).collect();
    for (key, value) in arrays {
        let key = key.str()?.to_string();
        let own = numbers(graph).find(|(name, _)| *name == key);
        match own {
            Some((_, expected)) if !value.eq(expected)? => {
                return Err(format!("{key}: expected {expected}, as it was given, found {value}").into());
            }
            None if key != KEEP && !names.contains(&key.as_str()) => {
                let there = names.join(", ");
                return Err(
                    format!("a map changes the arrays that it is given, {there}; found a new one, {key:?}").into()
                );
            }
            _ => {}
        }
    }
    Ok(())
}
