//! [`Capacity`]: how much a batch holds, where that is more than a number of graphs or of rows.

use crate::value::{named, numbers, value_of, wrong};
use graphpack_loader::graphpack_core::{Cost, MAX_SETS};
use graphpack_loader::{self as graphpack, Estimate, Schema, Shape};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// How much a pack holds, for `Loader(data, capacity=...)`.
///
///     >>> gp.Loader(data, capacity=gp.Capacity.exactly(16), grouping="in_order").batch_shape
///     {'nodes': 193, 'edges': 192, 'graphs': 17}
///     >>> gp.Loader(data, capacity=gp.Capacity.shape({"nodes": 128, "edges": 128, "graphs": 17})).batch_shape
///     {'nodes': 128, 'edges': 128, 'graphs': 17}
#[pyclass(frozen, module = "graphpack_loader")]
pub(crate) struct Capacity {
    holds: Holds,
    /// The method that makes it, and with which arguments.
    call: (&'static str, Py<PyTuple>),
}

enum Holds {
    Fullest(u32),
    Exactly(u32),
    Shape(Vec<(String, usize)>),
    Estimate(Estimate, u32),
    Cheapest { step: Vec<(String, u64)>, memory: Vec<(String, u64)>, budget: u64 },
}

#[pymethods]
impl Capacity {
    /// About `mean` graphs in the limits whose packs are fullest, searched near the mean size.
    #[staticmethod]
    fn fullest(py: Python<'_>, mean: u32) -> PyResult<Self> {
        Self::new(Holds::Fullest(mean), "fullest", (mean,).into_pyobject(py)?)
    }

    /// Exactly this number of graphs, of whatever size: with `grouping="in_order"`.
    #[staticmethod]
    fn exactly(py: Python<'_>, graphs: u32) -> PyResult<Self> {
        Self::new(Holds::Exactly(graphs), "exactly", (graphs,).into_pyobject(py)?)
    }

    /// What fits into a batch of this shape, padding included: `{"nodes": 2048, "edges": 4608, "graphs": 65}`.
    #[staticmethod]
    fn shape(shape: &Bound<'_, PyDict>) -> PyResult<Self> {
        Self::new(Holds::Shape(numbers("shape", shape)?), "shape", (shape,).into_pyobject(shape.py())?)
    }

    /// What fits into the shape that a rule finds for `batch_size` graphs, the padding graph included: `"jraph"`,
    /// `"constant"`, `"tight"` or `("percentile", share)`.
    #[staticmethod]
    fn estimate(by: &Bound<'_, PyAny>, batch_size: u32) -> PyResult<Self> {
        let (name, given) = named("estimate", by)?;
        let rule = match (name.as_str(), &given[..]) {
            ("jraph", []) => Estimate::Jraph,
            ("constant", []) => Estimate::Constant,
            ("tight", []) => Estimate::Tight,
            ("percentile", [share]) => Estimate::Percentile(value_of("estimate", "a share", share)?),
            _ => return Err(wrong("estimate", "'jraph', 'constant', 'tight' or ('percentile', share)", by)),
        };
        Self::new(Holds::Estimate(rule, batch_size), "estimate", (by, batch_size).into_pyobject(by.py())?)
    }

    /// The limits whose epoch costs least by `step`, among those whose batches need at most `budget` of `memory`: whole
    /// numbers for a row of each set, a graph and a step, `{"nodes": 2, "edges": 5, "step": 30_000}`, 0 for what is not
    /// named.
    #[staticmethod]
    fn cheapest(step: &Bound<'_, PyDict>, memory: &Bound<'_, PyDict>, budget: u64) -> PyResult<Self> {
        let call = (step, memory, budget).into_pyobject(step.py())?;
        let (step, memory) = (numbers("step", step)?, numbers("memory", memory)?);
        Self::new(Holds::Cheapest { step, memory, budget }, "cheapest", call)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (method, arguments) = &slf.get().call;
        Ok((slf.get_type().getattr(method)?, arguments.bind(slf.py()).clone()))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (method, arguments) = &self.call;
        let shown = arguments.bind(py).iter().map(|argument| Ok(argument.repr()?.to_string()));
        Ok(format!("Capacity.{method}({})", shown.collect::<PyResult<Vec<_>>>()?.join(", ")))
    }
}

impl Capacity {
    fn new(holds: Holds, method: &'static str, arguments: Bound<'_, PyTuple>) -> PyResult<Self> {
        Ok(Self { holds, call: (method, arguments.unbind()) })
    }

    /// The capacity for data of `schema`.
    fn of(&self, schema: &Schema) -> PyResult<graphpack::Capacity> {
        Ok(match &self.holds {
            Holds::Fullest(mean) => graphpack::Capacity::fullest(*mean),
            Holds::Exactly(graphs) => graphpack::Capacity::exactly(*graphs),
            Holds::Estimate(by, batch_size) => graphpack::Capacity::estimate(*by, *batch_size),
            Holds::Shape(shape) => {
                let given = placed("capacity", schema, &["graphs"], shape)?;
                let sets = schema.sets().len();
                if let Some(missing) = given.iter().position(Option::is_none) {
                    let name = schema.sets().get(missing).map_or("graphs", |set| set);
                    return Err(PyTypeError::new_err(format!("capacity: the shape has no number for {name:?}")));
                }
                let number = |place: usize| given[place].unwrap_or_default();
                graphpack::Capacity::shape(Shape::of(sets, number(sets), number))
            }
            Holds::Cheapest { step, memory, budget } => {
                let cost = |given| cost("capacity", schema, given);
                graphpack::Capacity::cheapest(cost(step)?, cost(memory)?, *budget)
            }
        })
    }
}

/// What a row of each set, a graph and a step cost, by name; 0 for what is not named.
pub(crate) fn cost(option: &str, schema: &Schema, given: &[(String, u64)]) -> PyResult<Cost> {
    let (given, sets) = (placed(option, schema, &["graphs", "step"], given)?, schema.sets().len());
    let number = |place: usize| given[place].unwrap_or_default();
    let rows = std::array::from_fn(|set| if set < sets { number(set) } else { 0 });
    Ok(Cost::rows::<MAX_SETS>(rows).graph(number(sets)).step(number(sets + 1)))
}

/// What a step costs, as options take it.
pub(crate) fn cost_of_step(option: &str, schema: &Schema, value: &Bound<'_, PyAny>) -> PyResult<Cost> {
    let expected = "numbers by name, {'nodes': 1, 'edges': 20, 'graphs': 5, 'step': 100}";
    let given = value.cast::<PyDict>().map_err(|_| wrong(option, expected, value))?;
    cost(option, schema, &numbers(option, given)?)
}

/// The numbers that are given by name: those of the sets in their order, then of `others`.
fn placed<T: Copy>(option: &str, schema: &Schema, others: &[&str], given: &[(String, T)]) -> PyResult<Vec<Option<T>>> {
    let names: Vec<&str> = schema.sets().iter().map(String::as_str).chain(others.iter().copied()).collect();
    let mut placed = vec![None; names.len()];
    for (name, number) in given {
        let place = names.iter().position(|known| known == name);
        let unknown = || PyTypeError::new_err(format!("{option}: there is no {name:?}; there are {names:?}"));
        placed[place.ok_or_else(unknown)?] = Some(*number);
    }
    Ok(placed)
}

/// The option `capacity`: a number of graphs, the most rows of sets by name, or a [`Capacity`].
pub(crate) fn capacity(value: &Bound<'_, PyAny>, schema: &Schema) -> PyResult<graphpack::Capacity> {
    if let Ok(capacity) = value.cast::<Capacity>() {
        return capacity.get().of(schema);
    }
    if let Ok(rows) = value.cast::<PyDict>() {
        let mut rows = numbers("capacity", rows)?;
        let graphs = rows.iter().position(|(name, _)| name == "graphs").map(|place| rows.remove(place).1);
        let most: Vec<(&str, u32)> = rows.iter().map(|(name, rows)| (name.as_str(), *rows)).collect();
        return Ok(graphpack::Capacity::rows(&most, graphs.unwrap_or(u32::MAX)));
    }
    let expected = "a number of graphs, {'nodes': 2048, 'graphs': 64}, or a gp.Capacity";
    Ok(graphpack::Capacity::graphs(value_of("capacity", expected, value)?))
}
