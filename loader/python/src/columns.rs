//! [`store_of`]: arrays of Python as the columns of a store.

use crate::errors::{BuildError, raise};
use crate::value::dtype;
use graphpack_loader::{Column, Dtype, Element, Schema, Store, f16};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// A store of arrays: for each set, where the rows of each graph start (int64); for each index, its columns one after
/// the other (int64); the elements of each field.
pub(crate) fn store_of(
    schema: Schema,
    ptr: &[Bound<'_, PyAny>],
    indices: &[Bound<'_, PyAny>],
    fields: &[Bound<'_, PyAny>],
) -> PyResult<Store> {
    for (what, expected, found) in [
        ("ptr", schema.sets().len(), ptr.len()),
        ("indices", schema.indices().len(), indices.len()),
        ("fields", schema.fields().len(), fields.len()),
    ] {
        if expected != found {
            return Err(BuildError::new_err(format!("{what}: expected {expected} arrays, found {found}")));
        }
    }
    let row = |row: i64| {
        u64::try_from(row).map_err(|_| BuildError::new_err(format!("ptr: expected rows from 0, found {row}")))
    };
    let ptr = schema.sets().iter().zip(ptr).map(|(set, ptr)| {
        let starts = elements::<i64>(&format!("ptr of {set}"), "int64", ptr)?;
        starts.into_iter().map(row).collect()
    });
    let ptr = ptr.collect::<PyResult<Vec<_>>>()?;
    let indices = schema.indices().iter().zip(indices).map(|(of, entries)| {
        let entries = elements::<i64>(&of.name, "int64", entries)?;
        let rows = entries.len() / of.width().max(1);
        if rows * of.width() != entries.len() {
            let (name, width, found) = (&of.name, of.width(), entries.len());
            let expected = format!("{width} columns of equal length");
            return Err(BuildError::new_err(format!("{name}: expected {expected}, found {found} entries in all")));
        }
        Ok((0..of.width()).map(|column| entries[column * rows..(column + 1) * rows].to_vec()).collect())
    });
    let indices = indices.collect::<PyResult<Vec<_>>>()?;
    let columns = schema.fields().iter().zip(fields).map(|(field, given)| {
        // A view of other elements would be other numbers.
        if matches!(field.dtype, Dtype::F16 | Dtype::Bool) {
            dtype(&field.name, given, field.dtype)?;
        }
        match field.dtype {
            Dtype::F16 => {
                let bits = elements::<u16>(&field.name, "uint16", &given.call_method1("view", ("uint16",))?)?;
                of(&schema, &field.name, bits.into_iter().map(f16::from_bits).collect())
            }
            Dtype::F32 => of(&schema, &field.name, elements::<f32>(&field.name, "float32", given)?),
            Dtype::F64 => of(&schema, &field.name, elements::<f64>(&field.name, "float64", given)?),
            Dtype::I64 => of(&schema, &field.name, elements::<i64>(&field.name, "int64", given)?),
            Dtype::I32 => of(&schema, &field.name, elements::<i32>(&field.name, "int32", given)?),
            Dtype::U8 => of(&schema, &field.name, elements::<u8>(&field.name, "uint8", given)?),
            Dtype::Bool => {
                let bytes = elements::<u8>(&field.name, "uint8", &given.call_method1("view", ("uint8",))?)?;
                of(&schema, &field.name, bytes.into_iter().map(|byte| byte != 0).collect())
            }
        }
    });
    let columns = columns.collect::<PyResult<Vec<_>>>()?;
    Store::of_sets(schema, ptr, indices, columns).map_err(|error| raise::<BuildError>(&error))
}

/// The column of a field with these elements.
fn of<T: Element>(schema: &Schema, name: &str, elements: Vec<T>) -> PyResult<Column> {
    Column::of(schema, name, elements).map_err(|error| raise::<BuildError>(&error))
}

/// Copies the elements of a contiguous array, whose dtype has this name: a buffer does not tell the order of bytes.
pub(crate) fn elements<T: pyo3::buffer::Element>(name: &str, of: &str, array: &Bound<'_, PyAny>) -> PyResult<Vec<T>> {
    if array.hasattr("dtype")? {
        dtype(name, array, of)?;
    }
    let expected = format!("{name}: expected a contiguous array of {of}");
    let buffer = PyBuffer::<T>::get(array).map_err(|_| match array.get_type().name() {
        Ok(found) => PyTypeError::new_err(format!("{expected}, found {found}")),
        Err(error) => error,
    })?;
    buffer.to_vec(array.py())
}
