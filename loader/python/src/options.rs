//! Keyword arguments of a loader: each is an option of the Rust loader, with its default; [`Plan`]: which sizes share a
//! pack.

use crate::capacity::{capacity, cost_of_step};
use crate::data::Data;
use crate::errors::{BuildError, of_file, raise};
use crate::picture::of_plan;
use crate::ranks::Ranks;
use crate::value::{self, floats, named, one_of, value_of, wrong};
use graphpack_loader::graphpack_core::stream::MOST_OPEN;
use graphpack_loader::graphpack_core::{Budget, Heuristic, Packer};
use graphpack_loader::{
    Dtype, Grouping, OnError, Options, Order, Oversize, Padding, Remainder, SavedPlan, Schema, Shapes, Weights,
};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;
use std::time::Duration;

const NAMES: [&str; 26] = [
    "capacity",
    "grouping",
    "shapes",
    "packs",
    "sized_for",
    "oversize",
    "on_error",
    "padding",
    "shuffle",
    "block",
    "seed",
    "weights",
    "draws",
    "shard",
    "remainder",
    "equal_cost",
    "speeds",
    "equal_shapes",
    "drop_last",
    "fields",
    "missing",
    "extra",
    "index",
    "output",
    "workers",
    "prefetch",
];

/// What `DataLoader` and others call an option, and what has its place.
const ELSEWHERE: [(&str, &str); 18] = [
    ("batch_size", "capacity, a number of graphs on average, or gp.Capacity.exactly(n)"),
    ("sampler", "weights, or a Data.subset,"),
    ("batch_sampler", "capacity, grouping and shapes"),
    ("num_workers", "workers, threads that share the data,"),
    ("collate_fn", "Data.map, a function of one graph, or output, one of a batch,"),
    ("pin_memory", "gp.DeviceLoader(loader) or batch.to_pyg(\"cuda\"), which pin it,"),
    ("pin_memory_device", "gp.DeviceLoader(loader, device) or batch.to_pyg(device)"),
    ("timeout", "on_error"),
    ("worker_init_fn", "Data.map, whose generator follows from the seed,"),
    ("multiprocessing_context", "workers, threads of this process,"),
    ("generator", "seed"),
    ("prefetch_factor", "prefetch, batches of all workers,"),
    ("persistent_workers", "workers, which are threads,"),
    ("in_order", "no option, since batches always come in the order of the epoch,"),
    ("follow_batch", "extra=[\"NAME_batch\"]"),
    ("exclude_keys", "fields, those to carry"),
    ("order", "shuffle, and grouping=\"in_order\" for the order of the data"),
    ("transform", "Data.map"),
];

/// The options in `given` for data of `schema`, and those of ranks; `None` stands for the default.
pub(crate) fn options(schema: &Schema, given: &Bound<'_, PyDict>) -> PyResult<(Options, Ranks)> {
    for key in given.keys() {
        let key: String = key.extract()?;
        if !NAMES.contains(&key.as_str()) {
            let meant = ELSEWHERE.iter().find(|(other, _)| *other == key);
            let meant = meant.map(|(_, ours)| format!(", expected {ours} in its place")).unwrap_or_default();
            return Err(PyTypeError::new_err(format!(
                "there is no option {key:?}{meant}; there are {}",
                NAMES.join(", ")
            )));
        }
    }
    let ranks = Ranks::of(given.py(), given.get_item("shard")?.filter(|value| !value.is_none()).as_ref())?;
    ranks.check(given.py())?;
    let option = |name: &str| Ok::<_, PyErr>(given.get_item(name)?.filter(|value| !value.is_none()));
    let flag = |name: &str| option(name)?.map_or(Ok(false), |value| value::flag(name, &value));
    let mut options = Options::default().equal_shapes(flag("equal_shapes")?).drop_last(flag("drop_last")?);
    if let Some(value) = option("capacity")? {
        options = options.capacity(capacity(&value, schema)?);
    }
    if let Some(value) = option("grouping")? {
        options = options.grouping(grouping(&value)?);
    }
    if let Some(value) = option("shapes")? {
        options = options.shapes(shapes(&value)?);
    }
    if let Some(value) = option("packs")? {
        options = options.packs(value_of("packs", "a number of packs", &value)?);
    }
    if let Some(value) = option("sized_for")? {
        let data = value.cast::<Data>().map_err(|_| wrong("sized_for", "a gp.Data", &value))?;
        options = options.sized_for(data.get().graphs());
    }
    if let Some(value) = option("oversize")? {
        options = options.oversize(one_of("oversize", &value, Oversize::WORDS)?);
    }
    if let Some(value) = option("on_error")? {
        options = options.on_error(on_error(&value)?);
    }
    if let Some(value) = option("padding")? {
        options = options.padding(one_of("padding", &value, Padding::WORDS)?);
    }
    options = match (flag("shuffle")?, option("block")?) {
        (true, Some(block)) => options.order(Order::Blocks(value_of("block", "a number of graphs", &block)?)),
        (true, None) => options.order(Order::Shuffled),
        (false, Some(_)) => return Err(BuildError::new_err("block is a way to shuffle: it needs shuffle=True")),
        (false, None) => options,
    };
    if let Some(value) = option("seed")? {
        options = options.seed(value_of("seed", "a whole number from 0", &value)?);
    }
    match (option("weights")?, option("draws")?) {
        (Some(weights), draws) => {
            let weights = Weights::new(&floats("weights", "a number for each graph", &weights)?)
                .map_err(|error| raise::<BuildError>(&error))?;
            let draws = draws.map(|draws| value_of("draws", "a number of graphs", &draws)).transpose()?;
            options = options.weights(draws.map_or(weights.clone(), |draws| weights.with_draws(draws)));
        }
        (None, Some(_)) => return Err(BuildError::new_err("draws needs weights, one per graph")),
        (None, None) => {}
    }
    let remainder = option("remainder")?.map(|value| one_of("remainder", &value, &REMAINDERS)).transpose()?;
    if ranks.shard().is_some() || remainder.is_some() {
        let shard = ranks.shard().unwrap_or_default();
        options = options.shard(shard.remainder(remainder.unwrap_or_default()));
    }
    if let Some(value) = option("equal_cost")? {
        options = options.equal_cost(cost_of_step("equal_cost", schema, &value)?);
    }
    if let Some(value) = option("speeds")? {
        options = options.speeds(value_of::<Vec<u32>>("speeds", "a whole number for each rank", &value)?);
    }
    if let Some(value) = option("fields")? {
        options = options.fields(value_of::<Vec<String>>("fields", "names of fields", &value)?);
    }
    if let Some(value) = option("missing")? {
        options = options.missing(one_of("missing", &value, &[("zero", 0.0), ("nan", f64::NAN)])?);
    }
    if let Some(value) = option("extra")? {
        options = options.extra(value_of::<Vec<String>>("extra", "names of arrays", &value)?);
    }
    if let Some(value) = option("index")? {
        options = options.index(one_of("index", &value, &[("int64", Dtype::I64), ("int32", Dtype::I32)])?);
    }
    if let Some(value) = option("workers")? {
        options = options.workers(value_of("workers", "a number of threads", &value)?);
    }
    if let Some(value) = option("prefetch")? {
        options = options.prefetch(value_of("prefetch", "a number of batches", &value)?);
    }
    Ok((options, ranks))
}

const REMAINDERS: [(&str, Remainder); 2] = [("pad", Remainder::Pad), ("drop", Remainder::Drop)];

/// Which graphs share a batch: a name with numbers, or a plan.
fn grouping(value: &Bound<'_, PyAny>) -> PyResult<Grouping> {
    if let Ok(plan) = value.extract::<Plan>() {
        return Ok(plan.plan.into());
    }
    let (name, given) = named("grouping", value)?;
    Ok(match (name.as_str(), &given[..]) {
        ("packed", []) => Grouping::Packed(Packer::Auto(Budget::default())),
        ("packed", [by]) => Grouping::Packed(packer(by)?),
        ("window", []) => Grouping::Window(Grouping::DEFAULT_OPEN),
        ("window", [open]) => Grouping::Window(value_of("grouping", &open_packs(), open)?),
        ("in_order", []) => Grouping::InOrder,
        _ => {
            let expected = "'packed', ('packed', packer), 'window', ('window', open), 'in_order' or a gp.Plan";
            return Err(wrong("grouping", expected, value));
        }
    })
}

fn shapes(value: &Bound<'_, PyAny>) -> PyResult<Shapes> {
    let (name, given) = named("shapes", value)?;
    Ok(match (name.as_str(), &given[..]) {
        ("one", []) => Shapes::One,
        ("few", [most]) => Shapes::Few(value_of("shapes", "a number of shapes from 1 to 255", most)?),
        ("multiple", [rows]) => Shapes::Multiple(value_of("shapes", "a number of rows", rows)?),
        ("power_of_two", []) => Shapes::PowerOfTwo,
        ("exact", []) => Shapes::Exact,
        _ => {
            let expected = "'one', ('few', n), ('multiple', rows), 'power_of_two' or 'exact'";
            return Err(wrong("shapes", expected, value));
        }
    })
}

/// What happens to graphs that cannot be loaded.
fn on_error(value: &Bound<'_, PyAny>) -> PyResult<OnError> {
    let (name, given) = named("on_error", value)?;
    let expected = "'stop', 'skip', ('retry', times, seconds) or ('retry_or_skip', times, seconds)";
    let wait = |seconds| {
        let seconds = value_of("on_error", "seconds", seconds)?;
        Duration::try_from_secs_f64(seconds).map_err(|_| wrong("on_error", "seconds of at least 0", value))
    };
    let times = |times| value_of("on_error", "a number of times", times);
    Ok(match (name.as_str(), &given[..]) {
        ("stop", []) => OnError::Stop,
        ("skip", []) => OnError::Skip,
        ("retry", [number, seconds]) => OnError::Retry { times: times(number)?, wait: wait(seconds)? },
        ("retry_or_skip", [number, seconds]) => OnError::RetryOrSkip { times: times(number)?, wait: wait(seconds)? },
        _ => return Err(wrong("on_error", expected, value)),
    })
}

/// What is expected of a window.
fn open_packs() -> String {
    format!("a number of packs from 1 to {MOST_OPEN}")
}

fn packer(value: &Bound<'_, PyAny>) -> PyResult<Packer> {
    let (name, given) = named("packer", value)?;
    let heuristics = [
        ("product", Heuristic::Product),
        ("sum", Heuristic::Sum),
        ("maximum", Heuristic::Maximum),
        ("minimum", Heuristic::Minimum),
    ];
    let heuristic = |value: Option<&Bound<'_, PyAny>>| {
        value.map_or(Ok(Heuristic::Product), |value| one_of("packer", value, &heuristics))
    };
    let budget = |value: Option<&Bound<'_, PyAny>>| -> PyResult<Budget> {
        let Some(value) = value else { return Ok(Budget::default()) };
        let seconds = value_of("packer", "seconds", value)?;
        let is_budget = f64::is_finite(seconds) && seconds >= 0.0;
        if is_budget { Ok(Budget::seconds(seconds)) } else { Err(wrong("packer", "seconds of at least 0", value)) }
    };
    Ok(match (name.as_str(), &given[..]) {
        ("auto", [] | [_]) => Packer::Auto(budget(given.first())?),
        ("columns", [] | [_]) => Packer::Columns(budget(given.first())?),
        ("demand", []) => Packer::Demand,
        ("best_fit", [] | [_]) => Packer::BestFit(heuristic(given.first())?),
        ("first_fit", [] | [_]) => Packer::FirstFit(heuristic(given.first())?),
        ("published", [] | [_]) => Packer::Published(heuristic(given.first())?),
        _ => {
            let expected = "'auto', 'columns', ('auto', seconds), 'demand', 'best_fit', ('best_fit', heuristic), \
                            'first_fit' or 'published'";
            return Err(wrong("packer", expected, value));
        }
    })
}

/// Which sizes of graphs share a pack, made once for all ranks: by `graphpack plan`, or by a loader.
///
///     >>> gp.Loader(data, capacity=16).plan.save("plan.json")
///     >>> plan = gp.Plan("plan.json")
///     >>> len(gp.Loader(data, grouping=plan)) == plan.packs
///     True
#[pyclass(frozen, module = "graphpack_loader", from_py_object)]
#[derive(Clone)]
pub(crate) struct Plan {
    pub(crate) plan: SavedPlan,
    /// The file that it was read from.
    pub(crate) path: Option<PathBuf>,
}

#[pymethods]
impl Plan {
    /// Opens a file that `save` or `graphpack plan --out plan.json` has written.
    #[new]
    fn new(path: PathBuf) -> PyResult<Self> {
        let plan = SavedPlan::open(&path).map_err(|error| of_file(&error))?;
        Ok(Self { plan, path: Some(path) })
    }

    /// Writes the plan into a file of JSON.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        self.plan.save(path).map_err(|error| of_file(&error))
    }

    /// Number of packs of an epoch.
    #[getter]
    fn packs(&self) -> u64 {
        self.plan.plan().packs()
    }

    /// Pickles as its file.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (PathBuf,))> {
        let expected =
            "expected the plan of a file to pickle, found one of a loader: plan.save(path), then gp.Plan(path)";
        let path = slf.get().path.clone().ok_or_else(|| PyTypeError::new_err(expected))?;
        Ok((slf.get_type().into_any(), (path,)))
    }

    fn __repr__(&self) -> String {
        format!("Plan({} packs, limits {})", self.packs(), self.plan.limits())
    }

    /// How full the packs are.
    fn _repr_svg_(&self, py: Python<'_>) -> Option<String> {
        of_plan(py, &self.plan, &self.__repr__())
    }
}
