//! [`schema_of`]: the sets, fields and indices that Python names; [`fields_of`], [`padding_of`], [`indices_of`]: those of
//! graphs, for Python.

use crate::errors::{BuildError, raise};
use crate::value::{value_of, wrong};
use graphpack_loader::schema::PaddingValue;
use graphpack_loader::{Dtype, Schema};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A field: name, set or `"graph"`, dtype, the shape of a row, and what padding rows hold (`None` for what is usual of the
/// name).
type Field<'py> = (String, String, String, Row, Bound<'py, PyAny>);
/// The shape of a row: `None` for one value, a number of columns, or the lengths of several axes.
#[derive(FromPyObject)]
enum Row {
    #[pyo3(annotation = "int | None")]
    Columns(Option<usize>),
    #[pyo3(annotation = "list[int]")]
    Axes(Vec<usize>),
}
/// An index: name, set, and the sets that its columns point into.
type Index = (String, String, Vec<String>);

/// The schema of `(sets, fields, indices)`.
pub(crate) fn schema_of(parts: &Bound<'_, PyAny>) -> PyResult<Schema> {
    let (sets, fields, indices): (Vec<String>, Vec<Field<'_>>, Vec<Index>) = parts.extract()?;
    let mut schema = Schema::of(&sets.iter().map(String::as_str).collect::<Vec<_>>());
    for (name, set, dtype, row, padding) in fields {
        let row = match row {
            Row::Columns(columns) => columns.into_iter().collect(),
            Row::Axes(axes) => axes,
        };
        let of = Dtype::ALL.iter().find(|known| known.to_string() == dtype);
        let dtypes = || Dtype::ALL.map(|dtype| dtype.to_string()).join(", ");
        let unknown = || PyTypeError::new_err(format!("{name}: expected one of {}, found {dtype}", dtypes()));
        schema = schema.field(&name, &set, *of.ok_or_else(unknown)?, &row);
        if padding.is_none() {
            if let Some(field) = schema.fields().last() {
                let usual = field.usual_padding();
                schema = schema.padded(&name, usual);
            }
        } else {
            schema = schema.padded(&name, padding_value(&name, &padding)?);
        }
    }
    for (name, set, targets) in &indices {
        schema = schema.index(name, set, &targets.iter().map(String::as_str).collect::<Vec<_>>());
    }
    schema.check().map_err(|error| raise::<BuildError>(&error))?;
    Ok(schema)
}

/// What padding rows hold: a number or one of three words.
fn padding_value(name: &str, given: &Bound<'_, PyAny>) -> PyResult<PaddingValue> {
    let words = [PaddingValue::Positions, PaddingValue::Length, PaddingValue::Cell];
    if let Some(word) = words.into_iter().find(|word| given.eq(word.to_string()).unwrap_or(false)) {
        return Ok(word);
    }
    let expected = "a number, \"positions\", \"length\" or \"cell\" for padding rows";
    let number: f64 = value_of(name, expected, given)?;
    // An integer of more than 53 bits is not; one of NumPy says so as Python's own number alone.
    let exact = if given.hasattr("item")? { given.call_method0("item")? } else { given.clone() };
    if !number.is_nan() && !exact.eq(number)? {
        return Err(wrong(name, "a value of padding rows that float64 can hold", given));
    }
    Ok(number.into())
}

/// The set, the dtype and the width of each field, by name.
pub(crate) fn fields_of<'py>(py: Python<'py>, schema: &Schema) -> PyResult<Bound<'py, PyDict>> {
    let fields = PyDict::new(py);
    for field in schema.fields() {
        fields.set_item(&field.name, (schema.level_name(field.level), field.dtype.to_string(), field.width))?;
    }
    Ok(fields)
}

/// What padding rows hold, by name of the field, where it is not 0.
pub(crate) fn padding_of<'py>(py: Python<'py>, schema: &Schema) -> PyResult<Bound<'py, PyDict>> {
    let padding = PyDict::new(py);
    for field in schema.fields() {
        match field.padding {
            PaddingValue::Number(0.0) => {}
            PaddingValue::Number(number) => padding.set_item(&field.name, number)?,
            word => padding.set_item(&field.name, word.to_string())?,
        }
    }
    Ok(padding)
}

/// The set of each index and those that its columns point into, by name.
pub(crate) fn indices_of<'py>(py: Python<'py>, schema: &Schema) -> PyResult<Bound<'py, PyDict>> {
    let indices = PyDict::new(py);
    for index in schema.indices() {
        let targets: Vec<&String> = index.targets.iter().map(|&set| &schema.sets()[usize::from(set)]).collect();
        indices.set_item(&index.name, (schema.level_name(index.level), targets))?;
    }
    Ok(indices)
}
