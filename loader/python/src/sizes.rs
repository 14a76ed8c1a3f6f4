//! [`Sizes`]: graphs of which only the numbers of rows are known, for samplers.

use crate::errors::{BuildError, raise};
use graphpack_loader::{BoxError, Schema, Size, Slot, Source, Worker};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

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
