//! [`PythonSource`]: graphs of an object of Python.

use graphpack_loader::{IndexBytes, Schema, Size, Slot, Source, SourceError};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Graphs of an object with `__len__`, `size(graph)`, called once for each graph here, and `__getitem__(graph)`, a
/// dictionary of contiguous arrays by name. Workers wait for each other at Python's lock.
pub(crate) struct PythonSource {
    schema: Schema,
    sizes: Vec<Size>,
    object: Py<PyAny>,
}

impl PythonSource {
    pub(crate) fn new(schema: Schema, object: Bound<'_, PyAny>) -> PyResult<Self> {
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
        Ok(Self { schema, sizes, object: object.unbind() })
    }

    fn write(&self, py: Python<'_>, graph: usize, slot: &mut Slot<'_>) -> Result<(), SourceError> {
        let arrays = self.object.bind(py).get_item(graph)?;
        let array = |name: &str| {
            arrays.get_item(name).map_err(|_| PyKeyError::new_err(format!("the graph has no array {name:?}")))
        };
        for (position, field) in self.schema.fields().iter().enumerate() {
            if slot.carries(position) {
                let array = array(&field.name)?;
                let dtype = array.getattr("dtype")?.str()?.to_string();
                if dtype != field.dtype.to_string() {
                    let message = format!("{}: expected {}, found {dtype}", field.name, field.dtype);
                    return Err(PyTypeError::new_err(message).into());
                }
                let bytes = array.call_method0("tobytes")?;
                slot.write_bytes(position, bytes.cast::<PyBytes>().map_err(PyErr::from)?.as_bytes())?;
            }
        }
        for (position, index) in self.schema.indices().iter().enumerate() {
            if slot.carries_index(position) {
                let entries = PyBuffer::<i64>::get(&array(&index.name)?)?;
                let (entries, width) = (entries.to_vec(py)?, index.width().max(1));
                let columns: Vec<_> =
                    entries.chunks(entries.len().div_ceil(width).max(1)).map(IndexBytes::of).collect();
                let none = vec![IndexBytes::of(&[]); width];
                slot.write_index(position, if entries.is_empty() { &none } else { &columns })?;
            }
        }
        Ok(())
    }
}

impl Source for PythonSource {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn len(&self) -> usize {
        self.sizes.len()
    }

    fn size(&self, graph: usize) -> Size {
        self.sizes[graph]
    }

    fn write(&self, graph: usize, slot: &mut Slot<'_>) -> Result<(), SourceError> {
        Python::attach(|py| self.write(py, graph, slot))
    }
}
