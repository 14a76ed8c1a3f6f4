//! [`statistics`]: what networks are scaled by, as dictionaries of Python.

use crate::errors::{BuildError, LoadError, raise};
use graphpack_loader::schema::Field;
use graphpack_loader::{Data, Dtype, Level};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The statistics of data, with fields of these names or the usual ones.
pub(crate) fn statistics<'py>(
    py: Python<'py>,
    data: &Data,
    elements: Option<&str>,
    energy: Option<&str>,
) -> PyResult<Bound<'py, PyDict>> {
    for (option, name) in [("elements", elements), ("energy", energy)] {
        let Some(name) = name else { continue };
        let is_of_graphs = option == "energy";
        let fits = |field: &Field| match is_of_graphs {
            true => field.level == Level::Graph,
            false => field.level != Level::Graph && matches!(field.dtype, Dtype::I64 | Dtype::I32 | Dtype::U8),
        };
        let mut fields = data.schema().fields().iter();
        if !fields.any(|field| field.name == name && field.width == 1 && fits(field)) {
            let expected = if is_of_graphs { "number for each graph" } else { "integer for each node" };
            let message = format!("{option}: expected a field of one {expected}, found {name:?}");
            return Err(BuildError::new_err(message));
        }
    }
    let of_all = || data.statistics(elements.unwrap_or("z"), energy.unwrap_or("energy"));
    let found = py.detach(of_all).map_err(|error| raise::<LoadError>(&error))?;
    let (all, fields) = (PyDict::new(py), PyDict::new(py));
    for (name, of_field) in found.fields {
        let field = PyDict::new(py);
        for (figure, columns) in [("mean", of_field.mean), ("variance", of_field.variance)] {
            match columns[..] {
                [one] => field.set_item(figure, one)?,
                _ => field.set_item(figure, columns)?,
            }
        }
        field.set_item("rms", of_field.rms)?;
        field.set_item("values", of_field.values)?;
        field.set_item("missing", of_field.missing)?;
        fields.set_item(name, field)?;
    }
    all.set_item("graphs", found.graphs)?;
    all.set_item("neighbours", found.neighbours)?;
    all.set_item("fields", fields)?;
    all.set_item("energies", found.energies)?;
    all.set_item("undetermined", found.undetermined)?;
    Ok(all)
}
