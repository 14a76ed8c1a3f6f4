//! [`Loader`]: epochs of batches, one after the other.

use crate::batch::{Batch, counts};
use crate::capacity::{Capacity, cost_of_step};
use crate::data::Data;
use crate::epoch::Epoch;
use crate::errors::{BuildError, LoadError, ResumeError, raise, warn};
use crate::options::{self, Plan};
use crate::picture::of_plan;
use crate::position::{Place, Position};
use crate::ranks::Ranks;
use crate::value::{partial, state_dict, wrong};
use crate::words::in_python;
use graphpack_loader::graphpack_core::Cost;
use graphpack_loader::{self as graphpack, State};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use pyo3::{PyTraverseError, PyVisit};
use std::fmt::Display;
use std::sync::Arc;

/// The methods of a batch whose results epochs can give.
const OUTPUTS: [(&str, &str); 5] =
    [("numpy", "to_numpy"), ("torch", "to_torch"), ("pyg", "to_pyg"), ("jax", "to_jax"), ("jraph", "to_jraph")];

/// The options of what is in a batch, besides its graphs and its shape.
const CONTENTS: [&str; 7] = ["on_error", "padding", "seed", "fields", "missing", "extra", "index"];

/// Batches of `data`; each iter is the next epoch.
///
/// capacity   128 graphs on average, {"nodes": 2048, "graphs": 64}, or gp.Capacity.fullest(n),
///            .exactly(n), .shape(...), .estimate(...), .cheapest(...)
/// grouping   "packed", ("packed", packer), "window" or ("window", open), "in_order",
///            a gp.Plan
/// shapes     "one", ("few", n), ("multiple", 64), "power_of_two", "exact"
/// packs      packs per batch
/// sized_for  data whose sizes decide the shape, so that splits share it
/// oversize   graphs that exceed the capacity: "error", "skip", "alone", "trim"
/// on_error   graphs that cannot be loaded: "stop", "skip", ("retry", times, seconds), "retry_or_skip" likewise
/// padding    "self_loops", "two_nodes", "beyond", "jraph": which rows padding entries of indices point to; by default
///            "beyond", edges longer than the cutoff, for data with positions, and else "self_loops"
/// shuffle    another order each epoch; block=2000 keeps reads together. False is the same order in each epoch, that of
///            the data with "in_order" alone: others group graphs by size
/// seed       of shuffle, draws, Data.map and trimming
/// weights    one per graph, or data.rates(...); draws per epoch
/// shard      (rank, world), or "env" for those of torch.distributed, else of the launcher; (0, 1) gives each rank all;
///            remainder "pad" or "drop"; equal_shapes across ranks
/// equal_cost {"nodes": 1, "edges": 20, "graphs": 5, "step": 100}: batches of shapes "exact" or rounded cost equally
///            much on all ranks; speeds=[2, 2, 1]: the last rank gets half of it
/// drop_last  without an incomplete last batch; one pack of a plan or of "window" is never incomplete
/// fields     arrays to carry; extra=["edge_ptr"] adds
/// missing    "zero", or "nan" for losses that take y == y: values that graphs lack, as has_y says
/// index      "int64" or "int32"
/// output     what epochs give in place of batches: "pyg", "torch", "jax", "jraph" or "numpy", or a function of a batch,
///            called in the loop, whose result they give
/// workers    threads; prefetch batches wait
///
/// `None` stands for the default of an option.
/// packer is "auto", "columns", ("auto", seconds), "demand", "best_fit", ("best_fit", heuristic), "first_fit" or
/// "published"; heuristic "product", "sum", "maximum" or "minimum". Seconds are the steps that a core of 2020 or later
/// does in them, so that each machine makes the same plan.
///
///     >>> loader = gp.Loader(data, capacity=16, shuffle=True, seed=1)
///     >>> loader.batch_shape
///     {'nodes': 129, 'edges': 128, 'graphs': 23}
///     >>> for batch in loader:
///     ...     arrays = batch.to_numpy()  # or to_torch, to_pyg, to_jax, to_jraph
///     >>> loader.load_state_dict(batch.state_dict())
#[pyclass(frozen, module = "graphpack_loader", subclass)]
pub(crate) struct Loader {
    loader: graphpack::Loader,
    ranks: Ranks,
    position: Arc<Position>,
    /// What it was made with.
    data: Py<Data>,
    options: Py<PyDict>,
    /// The function of a batch whose result epochs give, unless that is the batch itself.
    output: Option<Py<PyAny>>,
    /// How many graphs an epoch draws by weight, if it does.
    draws: Option<usize>,
    drops_last: bool,
}

impl Loader {
    /// Its option `output`, for an epoch.
    fn function(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.output.as_ref().map(|output| output.clone_ref(py))
    }
}

#[pymethods]
impl Loader {
    #[new]
    #[pyo3(
        signature = (data, *args, **options),
        text_signature = "(data, *, capacity=128, grouping='packed', shapes='one', packs=1, sized_for=None, \
            oversize='error', on_error='stop', padding=None, shuffle=False, block=None, seed=0, weights=None, \
            draws=None, shard=None, remainder='pad', equal_cost=None, speeds=None, equal_shapes=False, drop_last=False, \
             fields=None, missing='zero', extra=(), index='int64', output=None, workers=1, prefetch=4)"
    )]
    fn new(data: &Bound<'_, PyAny>, args: &Bound<'_, PyTuple>, options: Option<Bound<'_, PyDict>>) -> PyResult<Self> {
        let py = data.py();
        let expected = "a gp.Data, as gp.open(file), gp.from_pyg(graphs) and data() of a gp.Source return";
        let data = data.cast::<Data>().map_err(|_| wrong("Loader", expected, data.get_type().as_any()))?;
        if let Ok(second) = args.get_item(0) {
            return Err(wrong("Loader", "options by name, as capacity=32 for about 32 graphs", &second));
        }
        let given = options.unwrap_or_else(|| PyDict::new(py));
        let graphs = data.get().graphs();
        let (options, ranks) = options::options(graphs.schema(), &given)?;
        let output = given.get_item("output")?.filter(|output| !output.is_none());
        let output = output.map(|output| output_of(&output)).transpose()?;
        let draws = given.get_item("draws")?.and_then(|draws| draws.extract().ok());
        let weights = given.get_item("weights")?.filter(|weights| !weights.is_none());
        let draws = weights.map(|_| draws.unwrap_or(graphs.len()));
        let drops_last = given.get_item("drop_last")?.is_some_and(|drops| drops.extract().unwrap_or(false));
        let loader =
            py.detach(|| graphpack::Loader::new(graphs, options)).map_err(|error| raise::<BuildError>(&error))?;
        if let Some(warning) = loader.warning() {
            warn(py, warning)?;
        }
        let place = Place { state: before(&loader, 0)?, next: 0, loaded: false, newest: 0, batches: None };
        let (position, data, options) = (Arc::new(Position::at(place)), data.clone().unbind(), given.unbind());
        Ok(Self { loader, ranks, position, data, options, output, draws, drops_last })
    }

    /// The next epoch, or the rest of the one whose state was loaded.
    fn __iter__(slf: &Bound<'_, Self>) -> PyResult<Epoch> {
        let (py, this) = (slf.py(), slf.get());
        this.ranks.check(py)?;
        let mut place = this.position.lock();
        if place.loaded {
            place.loaded = false;
            let (epoch, state) = (place.state.epoch(), place.state.clone());
            let next = epoch.saturating_add(1);
            place.next = next;
            place.newest += 1;
            let number = place.newest;
            drop(place);
            let batches = py.detach(|| this.loader.resume(&state)).map_err(|error| raise::<ResumeError>(&error))?;
            let (position, end) = (this.position.clone(), before(&this.loader, next)?);
            return Ok(Epoch::new(batches, (position, number), slf.as_any().clone().unbind(), end, this.function(py)));
        }
        let epoch = place.next;
        // Before the lock is open: two threads that begin at once get different epochs.
        place.next = epoch.saturating_add(1);
        drop(place);
        Self::epoch(slf, epoch)
    }

    /// The batches of epoch `epoch`. Iterating the loader goes on with the next.
    fn epoch(slf: &Bound<'_, Self>, epoch: u64) -> PyResult<Epoch> {
        let this = slf.get();
        this.ranks.check(slf.py())?;
        let [state, end] = [epoch, epoch.saturating_add(1)].map(|epoch| before(&this.loader, epoch));
        let (state, end) = (state?, end?);
        let mut place = this.position.lock();
        (place.state, place.next, place.loaded) = (state, epoch.saturating_add(1), false);
        place.newest += 1;
        let number = place.newest;
        drop(place);
        let batches = slf.py().detach(|| this.loader.epoch(epoch));
        let (position, output) = (this.position.clone(), this.function(slf.py()));
        Ok(Epoch::new(batches, (position, number), slf.as_any().clone().unbind(), end, output))
    }

    /// Number of batches of this rank: in a loop, those of the newest iterator; otherwise those of the next, which
    /// after load_state_dict are what is left. 0 if it has none, of which iterating says why.
    fn __len__(&self, py: Python<'_>) -> usize {
        let place = self.position.lock();
        let (batches, epoch) = (place.batches, place.next);
        drop(place);
        batches.unwrap_or_else(|| self.batches(py, epoch).unwrap_or(0))
    }

    /// Number of batches of this rank in an epoch.
    fn batches(&self, py: Python<'_>, epoch: u64) -> PyResult<usize> {
        py.detach(|| self.loader.batches(epoch)).map_err(|error| raise::<LoadError>(&error))
    }

    /// The state after the last batch of the newest iterator, to save beside the weights. Iterators that began before
    /// it, or before a state was loaded, go on without changing it.
    fn state_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let state = self.position.lock().state.clone();
        state_dict(py, &state)
    }

    /// Makes the next iterator go on after the batch whose state this is, on any number of ranks and workers.
    fn load_state_dict(&self, py: Python<'_>, state_dict: &Bound<'_, PyAny>) -> PyResult<()> {
        let other = |error: &dyn Display| {
            let message = format!("expected what state_dict() of a Loader or a batch returned: {error}");
            ResumeError::new_err(in_python(&message))
        };
        // Integers of NumPy, which some that keep states make of numbers, too.
        let options = PyDict::new(py);
        options.set_item("default", py.import("operator")?.getattr("index")?)?;
        let text = py.import("json")?.call_method("dumps", (state_dict,), Some(&options));
        let text = text.map_err(|error| other(&error.value(py)))?;
        let state: State = serde_json::from_str(&text.extract::<String>()?).map_err(|error| {
            // A dictionary has no lines.
            let text = error.to_string();
            let place = format!(" at line {} column {}", error.line(), error.column());
            other(&text.strip_suffix(&place).unwrap_or(&text))
        })?;
        let left = py.detach(|| self.loader.batches_after(&state)).map_err(|error| raise::<ResumeError>(&error))?;
        let mut place = self.position.lock();
        (place.next, place.state, place.loaded) = (state.epoch().saturating_add(1), state, true);
        place.newest += 1;
        place.batches = Some(left);
        Ok(())
    }

    /// Two batches, each with about half of the rows of a batch of this loader, in shapes of their own: for a step that
    /// ran out of memory all the same. The graphs are loaded again. `step`, `state_dict()`, `real_of_step` and `places`
    /// are those of `batch`, so a loss divided by `real_of_step["graphs"]` adds up to that of `batch`. A half may be
    /// split, too; a batch of one graph, or of another loader, is an error.
    fn split<'py>(slf: &Bound<'py, Self>, batch: &Bound<'py, Batch>) -> PyResult<Bound<'py, PyTuple>> {
        let (py, this, whole) = (slf.py(), slf.get(), batch.get());
        if !whole.is_of(&this.position) {
            return Err(BuildError::new_err("split: expected a batch of this loader, found one of another"));
        }
        let halves = whole.halves();
        if halves[1].is_empty() {
            let graphs = halves[0].len();
            return Err(BuildError::new_err(format!("split: expected a batch of two graphs or more, found {graphs}")));
        }
        let options = PyDict::new(py);
        for name in CONTENTS {
            options.set_item(name, this.options.bind(py).get_item(name)?)?;
        }
        options.set_item("grouping", "in_order")?;
        options.set_item("shapes", "exact")?;
        // The halves are of this rank's batch.
        options.set_item("shard", (0, 1))?;
        let half = |places: &Vec<u32>| {
            options.set_item("capacity", py.get_type::<Capacity>().call_method1("exactly", (places.len(),))?)?;
            let graphs = py.import("numpy")?.call_method1("array", (places.as_slice(), "int64"))?;
            let data = this.data.bind(py).call_method1("subset", (graphs,))?;
            let loader = py.get_type::<Self>().call((data,), Some(&options))?;
            let mut epoch = loader.call_method1("epoch", (batch.getattr("epoch")?,))?.try_iter()?;
            let half = epoch.next().ok_or_else(|| LoadError::new_err("split: the half has no batch"))??;
            Bound::new(py, half.cast::<Batch>()?.get().part_of(whole, places))
        };
        PyTuple::new(py, halves.iter().map(half).collect::<PyResult<Vec<_>>>()?)
    }

    /// Numbers of rows of each set and of graphs of every batch, by name; `None` if there are several shapes.
    #[getter]
    fn batch_shape<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        self.loader.shape().map(|shape| counts(py, self.loader.data().schema(), &shape)).transpose()
    }

    /// The shapes of an epoch, each as numbers of rows, then of graphs, and how many batches of all ranks have it.
    fn shapes<'py>(&self, py: Python<'py>, epoch: u64) -> PyResult<Bound<'py, PyList>> {
        let shapes = py.detach(|| self.loader.shapes(epoch)).map_err(|error| raise::<LoadError>(&error))?;
        PyList::new(
            py,
            shapes.into_iter().map(|(shape, batches)| {
                let rows: Vec<usize> = shape.sets().iter().copied().chain([shape.graphs()]).collect();
                (rows, batches)
            }),
        )
    }

    /// The share of the time of all ranks that they wait in an epoch for the costliest batch of each step, if a batch
    /// takes the time that `cost` says of its shape: numbers by name, as `equal_cost` takes them. A rank with an empty
    /// batch waits for all of the step, also where there is one shape.
    fn idle_share(&self, py: Python<'_>, epoch: u64, cost: &Bound<'_, PyAny>) -> PyResult<f64> {
        let cost = cost_of_step("idle_share", self.loader.data().schema(), cost)?;
        if cost == Cost::rows([0]) {
            return Err(BuildError::new_err("idle_share: expected a cost above 0, found 0 of all"));
        }
        py.detach(|| self.loader.idle_share(epoch, &cost)).map_err(|error| raise::<LoadError>(&error))
    }

    /// The data that the loader was made of.
    #[getter]
    fn dataset(&self, py: Python<'_>) -> Py<Data> {
        self.data.clone_ref(py)
    }

    /// What epochs give in place of batches, as the option `output` says.
    #[getter]
    fn output<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.options.bind(py).get_item("output")
    }

    /// The plan that every epoch follows; `None` if there is none, or one for each epoch or shape.
    #[getter]
    fn plan(&self) -> Option<Plan> {
        let plan = self.loader.plan()?;
        let sets = self.loader.data().schema().sets().iter().map(String::as_str).chain(["cost"]);
        let sets: Vec<&str> = sets.take(plan.limits().size.sets()).collect();
        Some(Plan { plan: graphpack::SavedPlan::from(plan.clone()).of_sets(sets), path: None })
    }

    /// Number of graphs that are left out because they exceed the limits.
    #[getter]
    fn skipped(&self) -> usize {
        self.loader.skipped()
    }

    /// Number of graphs that are batches of their own because they exceed the limits.
    #[getter]
    fn alone(&self) -> usize {
        self.loader.alone()
    }

    /// Number of graphs that are trimmed because they exceed the limits.
    #[getter]
    fn trimmed(&self) -> usize {
        self.loader.trimmed()
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.data)?;
        visit.call(&self.options)?;
        visit.call(&self.output)
    }

    /// What the collector clears are the functions and sources.
    fn __clear__(&self) {}

    /// Pickles as data, options and state, by which another process makes the same loader.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (), Bound<'py, PyAny>)> {
        let (py, this) = (slf.py(), slf.get());
        let made =
            partial(slf.get_type().as_any(), vec![this.data.bind(py).clone().into_any()], Some(this.options.bind(py)))?;
        Ok((made, (), this.state_dict(py)?))
    }

    fn __setstate__(&self, py: Python<'_>, state: &Bound<'_, PyAny>) -> PyResult<()> {
        self.load_state_dict(py, state)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let sets = self.loader.data().schema().sets();
        let shape = self.loader.shape().map_or_else(|| "several shapes".to_owned(), |shape| sets.shape(&shape));
        let graphs = self.loader.data().len();
        if let Some(draws) = self.draws {
            // How many batches hold them is known only after planning, which may take long.
            return format!("Loader({graphs} graphs, {draws} drawn for each epoch, in batches of {shape})");
        }
        let epoch = self.position.lock().epoch();
        let Ok(batches) = self.batches(py, epoch) else {
            return format!("Loader({graphs} graphs, whose next epoch cannot be planned)");
        };
        let of_all_ranks = match self.ranks.shard() {
            None => batches as u64,
            Some(_) => {
                let shapes = py.detach(|| self.loader.shapes(epoch)).unwrap_or_default();
                shapes.iter().map(|(_, batches)| batches).sum()
            }
        };
        let mean = (graphs - self.loader.skipped()) as f64 / of_all_ranks.max(1) as f64;
        // Which graphs are left out is not known before the epoch's order is.
        let mean = if self.drops_last { String::new() } else { format!(", {mean:.1} real graphs each") };
        format!("Loader({graphs} graphs, {batches} batches of {shape}{mean})")
    }

    /// How full the packs are that batches are made of, where all epochs have one plan.
    fn _repr_svg_(&self, py: Python<'_>) -> Option<String> {
        of_plan(py, &self.plan()?.plan, &self.__repr__(py))
    }
}

/// The function of a batch that the option `output` names or is.
fn output_of(output: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
    if output.is_callable() {
        return Ok(output.clone().unbind());
    }
    let name: Option<String> = output.extract().ok();
    let method = OUTPUTS.iter().find(|(of, _)| name.as_deref() == Some(of));
    let names = OUTPUTS.map(|(of, _)| format!("{of:?}")).join(", ");
    let (_, method) = method.ok_or_else(|| wrong("output", &format!("{names} or a function of a batch"), output))?;
    Ok(output.py().get_type::<Batch>().getattr(*method)?.unbind())
}

/// The state before an epoch.
fn before(loader: &graphpack::Loader, epoch: u64) -> PyResult<State> {
    loader.state(epoch).map_err(|error| raise::<LoadError>(&error))
}
