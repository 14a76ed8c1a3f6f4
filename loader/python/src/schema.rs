//! The sets, fields and indices that Python names.

use crate::errors::{BuildError, raise};
use graphpack_loader::{Dtype, Schema};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// A field: name, set or `"graph"`, dtype, columns, padding value; a vector where columns are `None`.
type Field = (String, String, String, Option<usize>, f64);
/// An index: name, set, and the sets that its columns point into.
type Index = (String, String, Vec<String>);

/// The schema of `(sets, fields, indices)`.
pub(crate) fn of(parts: &Bound<'_, PyAny>) -> PyResult<Schema> {
    let (sets, fields, indices): (Vec<String>, Vec<Field>, Vec<Index>) = parts.extract()?;
    let mut schema = Schema::of(&sets.iter().map(String::as_str).collect::<Vec<_>>());
    for (name, set, dtype, width, padding) in fields {
        let of = Dtype::ALL.iter().find(|known| known.to_string() == dtype);
        let dtypes = || Dtype::ALL.map(|dtype| dtype.to_string()).join(", ");
        let unknown = || PyTypeError::new_err(format!("{name}: expected one of {}, found {dtype}", dtypes()));
        schema = schema.field(&name, &set, *of.ok_or_else(unknown)?, width.as_slice());
        if padding != 0.0 {
            schema = schema.padded(&name, padding);
        }
    }
    for (name, set, targets) in &indices {
        schema = schema.index(name, set, &targets.iter().map(String::as_str).collect::<Vec<_>>());
    }
    schema.check().map_err(|error| raise::<BuildError>(&error))?;
    Ok(schema)
}
