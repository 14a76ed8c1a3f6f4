//! Transforms written in Python.

use graphpack_loader::{Dtype, Element, GraphRows, SourceError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict};

/// Calls `transform(graph)` with a dictionary of the fields and indices of a graph, NumPy arrays that it may change in
/// place or replace by others of the same shape, and of `"number"` and `"epoch"`.
pub(crate) fn of(
    transform: Py<PyAny>,
) -> impl Fn(&mut GraphRows<'_>) -> Result<(), SourceError> + Send + Sync + 'static {
    move |graph| {
        Python::attach(|py| {
            let numpy = py.import("numpy")?;
            let arrays = PyDict::new(py);
            arrays.set_item("number", graph.number())?;
            arrays.set_item("epoch", graph.epoch())?;
            let schema = graph.schema().clone();
            let carried: Vec<_> = schema.fields().iter().filter(|field| graph.carries(&field.name)).collect();
            for field in &carried {
                let bytes = PyByteArray::new(py, bytes(graph, &field.name, field.dtype)?);
                let array = numpy.call_method1("frombuffer", (bytes, field.dtype.to_string()))?;
                let shape: &[isize] = if field.vector { &[-1] } else { &[-1, field.width as isize] };
                arrays.set_item(&field.name, array.call_method1("reshape", (shape,))?)?;
            }
            let indices: Vec<_> = schema.indices().iter().filter(|index| graph.carries_index(&index.name)).collect();
            for index in &indices {
                arrays.set_item(&index.name, numpy.call_method1("array", (graph.index(&index.name)?, "int64"))?)?;
            }
            transform.bind(py).call1((&arrays,))?;
            for field in &carried {
                let changed = arrays.as_any().get_item(&field.name)?;
                let changed = numpy.call_method1("asarray", (changed, field.dtype.to_string()))?;
                let changed = changed.call_method0("tobytes")?;
                let changed = changed.cast::<PyBytes>().map_err(PyErr::from)?.as_bytes();
                let name = &field.name;
                let rows = bytes(graph, name, field.dtype)?;
                if rows.len() != changed.len() {
                    let (expected, found) = (rows.len() / field.dtype.bytes(), changed.len() / field.dtype.bytes());
                    return Err(format!("{name}: expected {expected} elements, found {found}").into());
                }
                rows.copy_from_slice(changed);
            }
            for index in &indices {
                let columns: Vec<Vec<i64>> =
                    arrays.as_any().get_item(&index.name)?.call_method0("tolist")?.extract()?;
                graph.set_index(&index.name, &columns)?;
            }
            Ok(())
        })
    }
}

/// The rows of a field, as bytes.
fn bytes<'a>(graph: &'a mut GraphRows<'_>, field: &str, dtype: Dtype) -> Result<&'a mut [u8], SourceError> {
    fn of<'a, T: Element + bytemuck::NoUninit + bytemuck::AnyBitPattern>(
        graph: &'a mut GraphRows<'_>,
        field: &str,
    ) -> Result<&'a mut [u8], SourceError> {
        Ok(bytemuck::cast_slice_mut(graph.rows::<T>(field)?))
    }
    match dtype {
        Dtype::F32 => of::<f32>(graph, field),
        Dtype::F64 => of::<f64>(graph, field),
        Dtype::I64 => of::<i64>(graph, field),
        Dtype::I32 => of::<i32>(graph, field),
        Dtype::U8 => of::<u8>(graph, field),
        Dtype::Bool => Err(format!("{field}: transforms in Python cannot change bool").into()),
    }
}
