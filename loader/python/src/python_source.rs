//! [`PythonSource`]: graphs of an object of Python; [`Sizes`]: graphs of which only the numbers of rows are known, for
//! samplers.

use crate::errors::{BuildError, raise, raised};
use crate::map::Held;
use crate::value::{array, dtype};
use graphpack_loader::schema::MAX_COLUMNS;
use graphpack_loader::{BoxError, Dtype, Level, Schema, Size, Slot, Source, Worker};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Graphs of an object with `__len__`, `size(graph)`, called once for each graph here, and `__getitem__(graph)`, a
/// dictionary of arrays, tensors or lists by name. Workers wait for each other at the GIL.
pub(crate) struct PythonSource {
    schema: Schema,
    sizes: Vec<Size>,
    object: Held,
}

impl PythonSource {
    pub(crate) fn new(schema: Schema, object: &Bound<'_, PyAny>, held: Held) -> PyResult<Self> {
        let expected = schema.sets().len();
        let size = |graph| {
            let rows: Vec<u32> = object.call_method1("size", (graph,))?.extract()?;
            if rows.len() != expected {
                let found = rows.len();
                return Err(PyTypeError::new_err(format!("size({graph}): expected {expected} numbers, found {found}")));
            }
            Ok(Size::of(expected, |set| rows[set]))
        };
        let sizes = (0..object.len()?).map(size).collect::<PyResult<_>>()?;
        Ok(Self { schema, sizes, object: held })
    }

    fn write(&self, py: Python<'_>, graph: usize, slot: &mut Slot<'_>) -> Result<(), BoxError> {
        let arrays = self.object.get(py)?.get_item(graph)?;
        for key in arrays.try_iter()? {
            let key = key?.str()?.to_string();
            if self.schema.position(&key).is_none() && self.schema.find_index(&key).is_none() {
                return Err(format!("the graph has an array {key:?}, of which the schema knows nothing").into());
            }
        }
        let size = slot.size();
        // The rows of a graph's own fields need no number.
        let rows = |level| match level {
            Level::Set(set) => size.as_slice().get(usize::from(set)).map(|&rows| rows as usize),
            Level::Graph => None,
        };
        let array = |name: &str, of: Dtype| {
            let missing = |_| PyKeyError::new_err(format!("the graph has no array {name:?}"));
            let found = array(name, &arrays.get_item(name).map_err(missing)?, of)?;
            dtype(name, &found, of)?;
            Ok::<_, PyErr>(found)
        };
        for field in self.schema.fields() {
            if slot.carries(&field.name) {
                let array = array(&field.name, field.dtype)?;
                if let Some(rows) = rows(field.level) {
                    shape(&field.name, &array, field.shape(rows), (field.width == 1).then_some(rows))?;
                }
                let bytes = array.call_method0("tobytes")?;
                slot.set_bytes(&field.name, bytes.cast::<PyBytes>().map_err(PyErr::from)?.as_bytes())?;
            }
        }
        for index in self.schema.indices() {
            if slot.carries(&index.name) {
                let array = array(&index.name, Dtype::I64)?;
                let width = index.width().max(1);
                if let Some(rows) = rows(index.level) {
                    shape(&index.name, &array, vec![width, rows], (width == 1).then_some(rows))?;
                }
                let entries = PyBuffer::<i64>::get(&array)?.to_vec(py)?;
                let columns: Vec<_> = entries.chunks(entries.len().div_ceil(width).max(1)).collect();
                let none: [&[i64]; MAX_COLUMNS] = [&[]; MAX_COLUMNS];
                slot.set_index(&index.name, if entries.is_empty() { &none[..width] } else { &columns })?;
            }
        }
        Ok(())
    }
}

/// Errors unless an array has this shape, since as many elements in another are another array. A single column may come
/// without its second dimension.
fn shape(name: &str, array: &Bound<'_, PyAny>, whole: Vec<usize>, column: Option<usize>) -> PyResult<()> {
    let found: Vec<usize> = array.getattr("shape")?.extract()?;
    if found == whole || column.is_some_and(|rows| found == [rows]) {
        return Ok(());
    }
    Err(PyTypeError::new_err(format!("{name}: expected the shape {whole:?}, found {found:?}")))
}

impl Source for PythonSource {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn len(&self) -> usize {
        self.sizes.len()
    }

    fn size(&self, graph: usize) -> Result<Size, BoxError> {
        Ok(self.sizes[graph])
    }

    fn write(&self, graph: usize, slot: &mut Slot<'_>, _: &mut Worker) -> Result<(), BoxError> {
        Python::attach(|py| self.write(py, graph, slot).map_err(|error| raised(py, error)))
    }
}

/// Graphs without fields: a loader of them says which graphs share a batch.
pub(crate) struct Sizes {
    schema: Schema,
    /// Of each set, graph after graph.
    rows: Vec<u32>,
}

impl Sizes {
    pub(crate) fn new(sets: Vec<String>, rows: Vec<u32>) -> PyResult<Self> {
        if sets.is_empty() || !rows.len().is_multiple_of(sets.len()) {
            let message =
                format!("{} numbers of rows, expected one of each of {} sets per graph", rows.len(), sets.len());
            return Err(PyValueError::new_err(message));
        }
        let schema = Schema::of(&sets.iter().map(String::as_str).collect::<Vec<_>>());
        schema.check().map_err(|error| raise::<BuildError>(&error))?;
        Ok(Self { schema, rows })
    }
}

impl Source for Sizes {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn len(&self) -> usize {
        self.rows.len() / self.schema.sets().len()
    }

    fn size(&self, graph: usize) -> Result<Size, BoxError> {
        let sets = self.schema.sets().len();
        Ok(Size::of(sets, |set| self.rows[graph * sets + set]))
    }

    fn write(&self, _: usize, _: &mut Slot<'_>, _: &mut Worker) -> Result<(), BoxError> {
        Ok(())
    }
}
