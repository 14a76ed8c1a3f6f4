//! [`Batch`]: what one training step gets.

use crate::array::{Array, Memory};
use crate::position::Position;
use crate::value::state_dict;
use graphpack_loader::memory::{ArrayKind, Builtin};
use graphpack_loader::{self as graphpack, BatchInfo, Schema, Shape, Size};
use pyo3::exceptions::{PyAttributeError, PyKeyError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use std::sync::Arc;

/// A batch: graphs as one disjoint union, padded to a fixed shape. `batch["x"]` and `batch.x` are its arrays by name;
/// `to_numpy`, `to_torch`, `to_pyg`, `to_jraph` and `to_jax` give all of them.
///
///     >>> batch = next(iter(gp.Loader(data, capacity=16)))
///     >>> batch.shape
///     {'nodes': 129, 'edges': 128, 'graphs': 23}
///     >>> list(batch)
///     ['x', 'y', 'edge_index', 'batch', 'ptr', 'graph_ids', 'node_mask', 'edge_mask', 'graph_mask']
///     >>> bool(batch.to_numpy()["node_mask"].sum() == batch.real["nodes"])
///     True
#[pyclass(frozen, module = "graphpack_loader")]
pub(crate) struct Batch {
    memory: Arc<Memory>,
    info: BatchInfo,
    /// That of its loader, which no other has.
    position: Arc<Position>,
    /// Of a half: the batch that was divided, and the place of each graph in the data of its loader.
    whole: Option<(BatchInfo, Vec<u32>)>,
}

impl Batch {
    pub(crate) fn new(batch: graphpack::Batch, position: Arc<Position>) -> Self {
        let (memory, info) = batch.into_parts();
        Self { memory: Memory::new(memory), info, position, whole: None }
    }

    /// This batch, made of the graphs at `places`, as a part of `whole`.
    pub(crate) fn part_of(&self, whole: &Self, places: &[u32]) -> Self {
        let (memory, info, position) = (self.memory.clone(), self.info.clone(), whole.position.clone());
        let places = info.places().iter().map(|&place| places[place as usize]).collect();
        Self { memory, info, position, whole: Some((whole.step_info().clone(), places)) }
    }

    pub(crate) fn info(&self) -> &BatchInfo {
        &self.info
    }

    pub(crate) fn is_of(&self, position: &Arc<Position>) -> bool {
        Arc::ptr_eq(&self.position, position)
    }

    /// What is known of the batch of the loader.
    fn step_info(&self) -> &BatchInfo {
        self.whole.as_ref().map_or(&self.info, |(whole, _)| whole)
    }

    fn graphs(&self) -> &[u32] {
        self.whole.as_ref().map_or(self.info.places(), |(_, places)| places)
    }

    /// The places of its graphs in two halves, each in the order of the batch: the largest first into the smaller half,
    /// by the mean of their shares of the rows of each set and of graphs.
    pub(crate) fn halves(&self) -> [Vec<u32>; 2] {
        let (sizes, real) = (self.memory.sizes(), self.info.real());
        let share = |size: &Size| {
            let shares =
                size.as_slice().iter().zip(real.sets()).map(|(&rows, &all)| f64::from(rows) / all.max(1) as f64);
            shares.sum::<f64>() + 1.0 / sizes.len() as f64
        };
        let mut shares: Vec<(f64, usize)> = sizes.iter().map(share).zip(0..).collect();
        shares.sort_by(|a, b| b.0.total_cmp(&a.0));
        let (mut sums, mut halves) = ([0.0; 2], vec![0; sizes.len()]);
        for (share, graph) in shares {
            halves[graph] = usize::from(sums[1] < sums[0]);
            sums[halves[graph]] += share;
        }
        [0, 1].map(|half| {
            let graphs = self.graphs().iter().zip(&halves).filter(|&(_, &of)| of == half);
            graphs.map(|(&place, _)| place).collect()
        })
    }

    fn array(&self, name: &str) -> Option<Array> {
        let array = self.info.layout().arrays().iter().find(|array| array.name == name)?;
        Some(Array::of(&self.memory, array))
    }

    fn names(&self) -> String {
        self.info.layout().arrays().iter().map(|array| array.name.as_str()).collect::<Vec<_>>().join(", ")
    }
}

/// The numbers of rows of each set and of graphs, by name.
pub(crate) fn counts<'py>(py: Python<'py>, schema: &Schema, shape: &Shape) -> PyResult<Bound<'py, PyDict>> {
    let counts = PyDict::new(py);
    for (set, &rows) in schema.sets().iter().zip(shape.sets()) {
        counts.set_item(set, rows)?;
    }
    counts.set_item("graphs", shape.graphs())?;
    Ok(counts)
}

#[pymethods]
impl Batch {
    fn __getitem__(&self, name: &str) -> PyResult<Array> {
        let missing = || PyKeyError::new_err(format!("there is no array {name:?}; there are {}", self.names()));
        self.array(name).ok_or_else(missing)
    }

    fn __getattr__(&self, name: &str) -> PyResult<Array> {
        let missing = || PyAttributeError::new_err(format!("there is no array {name:?}; there are {}", self.names()));
        self.array(name).ok_or_else(missing)
    }

    fn __contains__(&self, name: &str) -> bool {
        self.info.layout().arrays().iter().any(|array| array.name == name)
    }

    fn __len__(&self) -> usize {
        self.info.layout().arrays().len()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.keys(py)?.try_iter()?.into_any())
    }

    fn __dir__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let names = slf.py().get_type::<PyAny>().call_method1("__dir__", (slf,))?;
        names.call_method1("__add__", (slf.get().keys(slf.py())?,))
    }

    /// The names of the arrays.
    fn keys<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.info.layout().arrays().iter().map(|array| array.name.as_str()))
    }

    /// The arrays by name.
    fn arrays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let arrays = PyDict::new(py);
        for array in self.info.layout().arrays() {
            arrays.set_item(&array.name, Array::of(&self.memory, array))?;
        }
        Ok(arrays)
    }

    /// All arrays as one `uint8` array, for one copy to a device, and where each lies in it: name, dtype, first byte,
    /// shape.
    fn packed<'py>(&self, py: Python<'py>) -> PyResult<(Array, Bound<'py, PyList>)> {
        let arrays = self
            .info
            .layout()
            .arrays()
            .iter()
            .map(|info| (&info.name, info.dtype.to_string(), info.start, info.shape().collect::<Vec<_>>()));
        Ok((Array::bytes(&self.memory), PyList::new(py, arrays)?))
    }

    /// Numbers of rows of each set and of graphs, padding included: the same for every batch of one shape.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        counts(py, self.info.layout().schema(), &self.info.layout().shape())
    }

    /// Numbers of real rows of each set and of real graphs.
    #[getter]
    fn real<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        counts(py, self.info.layout().schema(), &self.info.real())
    }

    /// Numbers of real rows of each set and of real graphs that all ranks together have in this step, as planned: a sum
    /// over the graphs of each rank, divided by `batch.real_of_step["graphs"]` and added up over ranks, is the mean.
    /// Halves of a batch have those of the batch.
    #[getter]
    fn real_of_step<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        counts(py, self.info.layout().schema(), &self.step_info().real_of_step())
    }

    /// What each array is, by name: the set that it has rows of (or `"graph"`); `"field"`, `"index"`, `"batch"`, `"ptr"`,
    /// `"index_ptr"`, `"ids"`, `"mask"` or `"matrix"`; and the sets that the columns of an index point into.
    #[getter]
    fn layout<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (schema, layout) = (self.info.layout().schema(), PyDict::new(py));
        for array in self.info.layout().arrays() {
            let mut targets = Vec::new();
            let (level, what) = match array.kind {
                ArrayKind::Field(position) => (schema.fields()[position].level, "field"),
                ArrayKind::Index(position) => {
                    let index = &schema.indices()[position];
                    targets.extend(index.targets.iter().map(|&set| &schema.sets()[usize::from(set)]));
                    (index.level, "index")
                }
                ArrayKind::Builtin(builtin) => {
                    let what = match builtin {
                        Builtin::Batch(_) => "batch",
                        Builtin::Ptr(_) => "ptr",
                        Builtin::GraphIds => "ids",
                        Builtin::Mask(_) => "mask",
                        Builtin::IndexPtr(_) => "index_ptr",
                        _ => "matrix",
                    };
                    (builtin.of(), what)
                }
                _ => continue,
            };
            layout.set_item(&array.name, (schema.level_name(level), what, targets))?;
        }
        Ok(layout)
    }

    /// How many rows of each set each real graph has, graph after graph, as the bytes of uint32.
    fn sizes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let sizes = self.memory.sizes().iter().flat_map(Size::as_slice);
        PyBytes::new(py, &sizes.flat_map(|rows| rows.to_ne_bytes()).collect::<Vec<_>>())
    }

    /// The epoch that the batch belongs to.
    #[getter]
    fn epoch(&self) -> u64 {
        self.step_info().epoch()
    }

    /// The number of the step that gets the batch: how many batches of the epoch this rank gets before.
    #[getter]
    fn step(&self) -> u64 {
        self.step_info().step()
    }

    /// The graphs that could not be loaded and that the batch is without, as `on_error` says: number and message.
    #[getter]
    fn failed(&self) -> Vec<(Option<u64>, String)> {
        self.info.failed().iter().map(|error| (error.graph(), error.to_string())).collect()
    }

    /// Seconds that a worker needed to make this batch.
    #[getter]
    fn collating(&self) -> f64 {
        self.info.collating().as_secs_f64()
    }

    /// The state after this batch, as `Loader.load_state_dict` takes it.
    fn state_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        state_dict(py, &self.step_info().state())
    }

    /// Arrays of NumPy by name, without a copy.
    fn to_numpy<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        framework(slf, "to_numpy", None)
    }

    /// Tensors of PyTorch by name; without a copy on the CPU, in one copy on another device.
    #[pyo3(signature = (device=None))]
    fn to_torch<'py>(slf: Bound<'py, Self>, device: Option<Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        framework(slf, "to_torch", device)
    }

    /// A `Batch` of PyTorch Geometric of the real graphs; `padding=True` has all rows, in shapes that stay the same, and
    /// masks.
    #[pyo3(signature = (device=None, *, padding=false))]
    fn to_pyg<'py>(
        slf: Bound<'py, Self>,
        device: Option<Bound<'py, PyAny>>,
        padding: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let function = slf.py().import("graphpack_loader.frameworks")?.getattr("to_pyg")?;
        function.call1((slf, device, padding))
    }

    /// Arrays of JAX by name; on its default device and uncommitted, unless a device or a sharding is given.
    #[pyo3(signature = (device=None))]
    fn to_jax<'py>(slf: Bound<'py, Self>, device: Option<Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        framework(slf, "to_jax", device)
    }

    /// A `GraphsTuple` of jraph, of arrays as `to_jax` has them.
    #[pyo3(signature = (device=None))]
    fn to_jraph<'py>(slf: Bound<'py, Self>, device: Option<Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        framework(slf, "to_jraph", device)
    }

    /// The place of each real graph in the data of the loader, as an `int64` array of NumPy. `Data.in_order` puts
    /// results in the order of the data.
    #[getter]
    fn places<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("numpy")?.call_method1("array", (self.graphs(), "int64"))
    }

    fn __repr__(&self) -> String {
        let (info, layout) = (&self.info, self.info.layout());
        let (epoch, step, shape) = (self.epoch(), self.step(), layout.schema().sets().shape(&layout.shape()));
        let real = layout.schema().sets().shape(&info.real());
        let arrays =
            layout.arrays().iter().map(|array| format!("{} {}", array.name, Array::of(&self.memory, array).kind()));
        let arrays: Vec<String> = arrays.collect();
        format!("Batch(step {step} of epoch {epoch}: {real}, padded to {shape}; {})", arrays.join(", "))
    }
}

/// What `graphpack_loader/frameworks.py` makes of a batch.
fn framework<'py>(
    batch: Bound<'py, Batch>,
    name: &str,
    device: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let function = batch.py().import("graphpack_loader.frameworks")?.getattr(name)?;
    match device {
        Some(device) => function.call1((batch, device)),
        None => function.call1((batch,)),
    }
}
