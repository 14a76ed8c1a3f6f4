//! [`Probe`]: shapes to try on a device, for `fit_capacity` in `graphpack_loader/probe.py`.

use crate::batch::counts;
use crate::data::Data;
use crate::errors::{BuildError, LoadError, raise};
use crate::value::one_of;
use graphpack_loader::graphpack_core::{self, Histogram};
use graphpack_loader::{Padding, Schema, Shape};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Proposes shapes, and is told of each whether a step ran.
#[pyclass(module = "graphpack_loader._graphpack")]
pub(crate) struct Probe {
    probe: graphpack_core::Probe,
    schema: Schema,
}

#[pymethods]
impl Probe {
    /// For the sizes of `data`, and `padding` as loaders take it.
    #[new]
    fn new(data: &Bound<'_, Data>, margin: f64, padding: Option<Bound<'_, PyAny>>) -> PyResult<Self> {
        let graphs = data.get().graphs();
        let padding = padding.map(|padding| one_of("padding", &padding, Padding::WORDS)).transpose()?;
        let sizes = graphs.sizes().map_err(|error| raise::<LoadError>(&error))?;
        let histogram = Histogram::from_sizes(sizes).map_err(|error| BuildError::new_err(error.to_string()))?;
        let least = graphs.schema().least_padding(padding.unwrap_or_else(|| graphs.schema().usual_padding()));
        Ok(Self { probe: graphpack_core::Probe::new(&histogram, &least, margin), schema: graphs.schema().clone() })
    }

    /// The shape to try next; `None` if there is an answer.
    fn next_shape<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        self.named(py, self.probe.next_shape())
    }

    /// The step ran, with this peak of memory in bytes, if it is known.
    #[pyo3(signature = (peak=None))]
    fn ran(&mut self, peak: Option<u64>) {
        self.probe.ran(peak);
    }

    /// The step ran out of memory.
    fn out_of_memory(&mut self) {
        self.probe.out_of_memory();
    }

    /// The largest shape that ran; `None` if the smallest did not.
    fn largest<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        self.named(py, self.probe.largest())
    }
}

impl Probe {
    fn named<'py>(
        &self,
        py: Python<'py>,
        shape: Option<graphpack_core::Shape>,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        let named = |shape: graphpack_core::Shape| {
            let rows = |set: usize| shape.size[set] as usize;
            counts(py, &self.schema, &Shape::of(shape.size.sets(), shape.graphs as usize, rows))
        };
        shape.map(named).transpose()
    }
}
