//! [`Plan`]: which sizes share a pack.

use crate::errors::{FileError, raise};
use graphpack_loader::SavedPlan;
use pyo3::prelude::*;
use std::path::PathBuf;

/// Which sizes of graphs share a pack, made once for all ranks: by `graphpack plan`, or by a loader.
#[pyclass(frozen, module = "graphpack_loader", from_py_object)]
#[derive(Clone)]
pub(crate) struct Plan(pub(crate) SavedPlan);

#[pymethods]
impl Plan {
    /// Opens a file that `save` or `graphpack plan --out plan.json` has written.
    #[new]
    fn new(path: PathBuf) -> PyResult<Self> {
        Ok(Self(SavedPlan::open(path).map_err(|error| raise::<FileError>(&error))?))
    }

    /// Writes the plan into a file of JSON.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        self.0.save(path).map_err(|error| raise::<FileError>(&error))
    }

    /// Number of packs of an epoch.
    #[getter]
    fn packs(&self) -> u64 {
        self.0.plan().packs()
    }

    fn __repr__(&self) -> String {
        format!("Plan({} packs, limits {})", self.packs(), self.0.limits())
    }
}
