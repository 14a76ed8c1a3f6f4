//! Keyword arguments of a loader: each is a method of the Rust builder, with its default.

use crate::data::Graphs;
use crate::errors::{BuildError, FileError, raise};
use crate::transform::{self, Function};
use graphpack_loader::graphpack_core::{Cost, Effort, Heuristic, MAX_COMPONENTS, Packer};
use graphpack_loader::{
    Batching, Capacity, Limits, LoaderBuilder, Oversize, Padding, Remainder, SavedPlan, Shape, Shard, Size, Weights,
};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyTuple};
use std::path::PathBuf;
use std::sync::Arc;

type Builder = LoaderBuilder<Graphs>;

const NAMES: [&str; 25] = [
    "limits",
    "shape",
    "batch_graphs",
    "auto_limits",
    "capacity",
    "batching",
    "packer",
    "plan",
    "packs_per_batch",
    "padding",
    "oversize",
    "shuffle",
    "shuffle_block",
    "weights",
    "draws",
    "shard",
    "remainder",
    "equal_shapes",
    "drop_last",
    "transform",
    "workers",
    "prefetch",
    "narrow_indices",
    "fields",
    "with_arrays",
];

/// Options of which one says how much a batch holds.
const CAPACITIES: [&str; 5] = ["limits", "shape", "batch_graphs", "auto_limits", "capacity"];

/// The options in `given`, and the function that is the transform; `None` stands for the default. The data have this many
/// sets.
pub(crate) fn apply(
    mut builder: Builder,
    sets_of_data: usize,
    given: &Bound<'_, PyDict>,
) -> PyResult<(Builder, Option<Arc<Function>>)> {
    for key in given.keys() {
        let key: String = key.extract()?;
        if !NAMES.contains(&key.as_str()) {
            return Err(PyTypeError::new_err(format!("there is no option {key:?}; there are {}", NAMES.join(", "))));
        }
    }
    let option = |name: &str| Ok::<_, PyErr>(given.get_item(name)?.filter(|value| !value.is_none()));
    let flag = |name: &str| option(name)?.map_or(Ok(false), |value| value_of(name, "True or False", &value));
    let mut capacities = CAPACITIES.iter().filter(|name| option(name).is_ok_and(|value| value.is_some()));
    if let (Some(one), Some(other)) = (capacities.next(), capacities.next()) {
        return Err(BuildError::new_err(format!("{one} and {other} both say how much a batch holds: leave one out")));
    }
    if let Some(value) = option("limits")? {
        builder = builder.limits(limits(&value)?);
    }
    if let Some(value) = option("shape")? {
        let (rows, graphs): (Vec<usize>, usize) = last(&value, "shape")?;
        sets("shape", rows.len())?;
        builder = builder.capacity(Capacity::Shape(Shape::of(rows.len(), graphs, |set| rows[set])));
    }
    if let Some(value) = option("batch_graphs")? {
        builder = builder.batch_graphs(value_of("batch_graphs", "a number of graphs", &value)?);
    }
    if let Some(value) = option("auto_limits")? {
        builder = builder.auto_limits(value_of("auto_limits", "a number of graphs", &value)?);
    }
    if let Some(value) = option("capacity")? {
        builder = builder.capacity(capacity(&value, sets_of_data)?);
    }
    let packer = option("packer")?.map(|value| packer(&value)).transpose()?;
    if let Some(value) = option("batching")? {
        builder = builder.batching(batching(&value, packer)?);
    } else if let Some(packer) = packer {
        builder = builder.batching(Batching::Packed(packer));
    }
    if let Some(value) = option("plan")? {
        let path: PathBuf = value_of("plan", "the path of a file", &value)?;
        builder = builder.plan(SavedPlan::open(path).map_err(|error| raise::<FileError>(&error))?);
    }
    if let Some(value) = option("packs_per_batch")? {
        builder = builder.packs_per_batch(value_of("packs_per_batch", "a number of packs", &value)?);
    }
    if let Some(value) = option("padding")? {
        builder = builder.padding(one_of("padding", &value, &PADDINGS)?);
    }
    if let Some(value) = option("oversize")? {
        builder = builder.oversize(one_of("oversize", &value, &OVERSIZES)?);
    }
    match (seed(option("shuffle")?)?, option("shuffle_block")?) {
        (Some(seed), None) => builder = builder.shuffle(seed),
        (Some(seed), Some(block)) => {
            builder = builder.shuffle_blocks(seed, value_of("shuffle_block", "a number of graphs", &block)?);
        }
        (None, Some(_)) => return Err(BuildError::new_err("shuffle_block needs a seed: shuffle=42")),
        (None, None) => {}
    }
    match (option("weights")?, option("draws")?) {
        (Some(weights), draws) => {
            let weights = Weights::new(&value_of::<Vec<f64>>("weights", "a number for each graph", &weights)?)
                .map_err(|error| raise::<BuildError>(&error))?;
            let draws = draws.map(|draws| value_of("draws", "a number of graphs", &draws)).transpose()?;
            builder = builder.weighted(draws.map_or(weights.clone(), |draws| weights.with_draws(draws)));
        }
        (None, Some(_)) => return Err(BuildError::new_err("draws needs weights, one per graph")),
        (None, None) => {}
    }
    if let Some(shard) = shard(option("shard")?, option("remainder")?)? {
        builder = builder.shard(shard);
    }
    if flag("equal_shapes")? {
        builder = builder.equal_shapes();
    }
    if flag("drop_last")? {
        builder = builder.drop_last();
    }
    if flag("narrow_indices")? {
        builder = builder.narrow_indices();
    }
    let function = option("transform")?.map(|function| Function::new(function.unbind()));
    if let Some(function) = &function {
        builder = builder.transform(transform::of(function.clone()));
    }
    if let Some(value) = option("workers")? {
        builder = builder.workers(value_of("workers", "a number of threads", &value)?);
    }
    if let Some(value) = option("prefetch")? {
        builder = builder.prefetch(value_of("prefetch", "a number of batches", &value)?);
    }
    if let Some(value) = option("fields")? {
        builder = builder.fields(value_of::<Vec<String>>("fields", "names of fields", &value)?);
    }
    if let Some(value) = option("with_arrays")? {
        builder = builder.with_arrays(value_of::<Vec<String>>("with_arrays", "names of arrays", &value)?);
    }
    Ok((builder, function))
}

/// An option's value, or an error that names the option.
fn value_of<T>(option: &str, expected: &str, value: &Bound<'_, PyAny>) -> PyResult<T>
where
    T: for<'a, 'py> FromPyObject<'a, 'py>,
{
    value.extract().map_err(|_| wrong(option, expected, value))
}

/// The seed of `shuffle`. `False` is no shuffling; `True` names no order, though Python would take it for the seed 1.
fn seed(value: Option<Bound<'_, PyAny>>) -> PyResult<Option<u64>> {
    let Some(value) = value else { return Ok(None) };
    match value.cast::<PyBool>() {
        Ok(shuffled) if shuffled.is_true() => Err(wrong("shuffle", "a seed, as in shuffle=42", &value)),
        Ok(_) => Ok(None),
        Err(_) => value_of("shuffle", "a seed, as in shuffle=42", &value).map(Some),
    }
}

const PADDINGS: [(&str, Padding); 3] =
    [("self_loops", Padding::SelfLoops), ("two_nodes", Padding::TwoNodes), ("apart", Padding::Apart)];
const OVERSIZES: [(&str, Oversize); 4] =
    [("error", Oversize::Error), ("skip", Oversize::Skip), ("alone", Oversize::Alone), ("trim", Oversize::Trim)];
const REMAINDERS: [(&str, Remainder); 2] = [("pad", Remainder::Pad), ("drop", Remainder::Drop)];

fn one_of<T: Copy>(option: &str, value: &Bound<'_, PyAny>, all: &[(&str, T)]) -> PyResult<T> {
    let found = value.extract::<String>();
    let fitting = found.ok().and_then(|found| all.iter().find(|(name, _)| *name == found));
    let names = || all.iter().map(|(name, _)| format!("{name:?}")).collect::<Vec<_>>().join(", ");
    fitting.map(|&(_, value)| value).ok_or_else(|| wrong(option, &names(), value))
}

fn wrong(option: &str, expected: &str, found: &Bound<'_, PyAny>) -> PyErr {
    let found = found.repr().map_or_else(|_| String::new(), |found| found.to_string());
    PyTypeError::new_err(format!("{option}: expected {expected}, found {found}"))
}

fn sets(option: &str, found: usize) -> PyResult<()> {
    if (1..=MAX_COMPONENTS).contains(&found) {
        return Ok(());
    }
    Err(PyTypeError::new_err(format!("{option}: expected 1 to {MAX_COMPONENTS} numbers of rows, found {found}")))
}

/// Numbers of which the last is of graphs: (512, 1024, 32), nodes, edges and graphs.
fn last<T>(value: &Bound<'_, PyAny>, option: &str) -> PyResult<(Vec<T>, T)>
where
    T: for<'a, 'py> FromPyObject<'a, 'py>,
{
    let expected = "numbers of rows of each set, then of graphs";
    let mut numbers: Vec<T> = value.extract().map_err(|_| wrong(option, expected, value))?;
    let graphs = numbers.pop().ok_or_else(|| wrong(option, expected, value))?;
    Ok((numbers, graphs))
}

fn limits(value: &Bound<'_, PyAny>) -> PyResult<Limits> {
    let (rows, graphs): (Vec<u32>, u32) = last(value, "limits")?;
    sets("limits", rows.len())?;
    Ok(Limits::new(Size::of(rows.len(), |set| rows[set])).graphs(graphs))
}

/// A name, or a tuple of a name and numbers: `"dynamic"`, `("window", 32)`.
fn named<'py>(option: &str, value: &Bound<'py, PyAny>) -> PyResult<(String, Vec<Bound<'py, PyAny>>)> {
    if let Ok(name) = value.extract::<String>() {
        return Ok((name, Vec::new()));
    }
    let mut parts =
        value.cast::<PyTuple>().map(|parts| parts.iter()).map_err(|_| wrong(option, "a name or a tuple", value))?;
    let name = parts.next().and_then(|name| name.extract().ok());
    Ok((name.ok_or_else(|| wrong(option, "a tuple that begins with a name", value))?, parts.collect()))
}

fn capacity(value: &Bound<'_, PyAny>, sets: usize) -> PyResult<Capacity> {
    let (name, given) = named("capacity", value)?;
    let cost = |cost: &Bound<'_, PyAny>| -> PyResult<Cost<MAX_COMPONENTS>> {
        let expected = format!("{sets} costs of a row of each set, then those of a graph and of a step");
        let numbers: Vec<u64> = value_of("capacity", &expected, cost)?;
        let [rows @ .., graph, step] = &numbers[..] else { return Err(wrong("capacity", &expected, cost)) };
        if rows.len() != sets {
            return Err(wrong("capacity", &expected, cost));
        }
        Ok(Cost::rows(std::array::from_fn(|set| rows.get(set).copied().unwrap_or(0))).graph(*graph).step(*step))
    };
    let graphs = |value: &Bound<'_, PyAny>| value_of("capacity", "a number of graphs", value);
    Ok(match (name.as_str(), &given[..]) {
        ("graphs", [size]) => Capacity::Graphs(graphs(size)?),
        ("search", [size]) => Capacity::Search(graphs(size)?),
        ("cheapest", [of_step, memory, budget]) => {
            let budget = value_of("capacity", "a budget in whole numbers", budget)?;
            Capacity::Cheapest { cost: cost(of_step)?, memory: cost(memory)?, budget }
        }
        ("buckets", [shapes, size]) => {
            Capacity::Buckets { shapes: value_of("capacity", "a number of shapes", shapes)?, graphs: graphs(size)? }
        }
        ("dynamic", [size]) => Capacity::Dynamic { batch_size: graphs(size)? },
        ("constant", [size]) => Capacity::Constant { batch_size: graphs(size)? },
        ("tight", [size]) => Capacity::Tight { batch_size: graphs(size)? },
        ("percentile", [size, share]) => {
            Capacity::Percentile { batch_size: graphs(size)?, share: value_of("capacity", "a share", share)? }
        }
        _ => {
            let expected = "('graphs', n), ('search', n), ('cheapest', cost, memory, budget), ('buckets', shapes, n), \
                            ('dynamic', n), ('constant', n), ('tight', n) or ('percentile', n, share)";
            return Err(wrong("capacity", expected, value));
        }
    })
}

fn batching(value: &Bound<'_, PyAny>, packer: Option<Packer<MAX_COMPONENTS>>) -> PyResult<Batching> {
    let (name, given) = named("batching", value)?;
    let rows = |value: &Bound<'_, PyAny>| value_of("batching", "a number of rows", value);
    let set = |value: &Bound<'_, PyAny>| value_of("batching", "the number of a set", value);
    let batching = match (name.as_str(), &given[..]) {
        ("packed", []) => Batching::Packed(packer.unwrap_or(Packer::Auto(Effort::default()))),
        ("window", []) => Batching::Window { open: 32 },
        ("window", [open]) => Batching::Window { open: value_of("batching", "a number of packs", open)? },
        ("dynamic", []) => Batching::Dynamic,
        ("static_constant", []) => Batching::StaticConstant,
        ("static_64", []) => Batching::Static64,
        ("static_pow2", []) => Batching::StaticPow2,
        ("node_budget", [most]) => Batching::NodeBudget { nodes: rows(most)? },
        ("edge_budget", [most]) => Batching::EdgeBudget { edges: rows(most)? },
        ("row_budget", [of, most]) => Batching::RowBudget { set: set(of)?, rows: rows(most)? },
        ("graphs_or_nodes", [most]) => Batching::GraphsOrNodes { nodes: rows(most)? },
        ("graphs_or_rows", [of, most]) => Batching::GraphsOrRows { set: set(of)?, rows: rows(most)? },
        _ => {
            let expected = "'packed', 'window', ('window', open), 'dynamic', 'static_constant', 'static_64', \
                            'static_pow2', ('node_budget', nodes), ('edge_budget', edges), ('row_budget', set, rows), \
                            ('graphs_or_nodes', nodes) or ('graphs_or_rows', set, rows)";
            return Err(wrong("batching", expected, value));
        }
    };
    if packer.is_some() && !matches!(batching, Batching::Packed(_)) {
        return Err(BuildError::new_err(format!("packer is for batching='packed', found batching={name:?}")));
    }
    Ok(batching)
}

fn packer(value: &Bound<'_, PyAny>) -> PyResult<Packer<MAX_COMPONENTS>> {
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
    let effort = |value: Option<&Bound<'_, PyAny>>| -> PyResult<Effort> {
        value.map_or(Ok(Effort::default()), |value| Ok(Effort::seconds(value_of("packer", "seconds", value)?)))
    };
    Ok(match (name.as_str(), &given[..]) {
        ("auto", [] | [_]) => Packer::Auto(effort(given.first())?),
        ("columns", [] | [_]) => Packer::Columns(effort(given.first())?),
        ("demand", []) => Packer::Demand,
        ("best_fit", [] | [_]) => Packer::BestFit(heuristic(given.first())?),
        ("first_fit", [] | [_]) => Packer::FirstFit(heuristic(given.first())?),
        ("published", [] | [_]) => Packer::Published(heuristic(given.first())?),
        ("window", [open, seed]) => Packer::Window {
            open: value_of("packer", "a number of packs", open)?,
            seed: value_of("packer", "a seed", seed)?,
        },
        _ => {
            let expected = "'auto', 'columns', ('auto', seconds), 'demand', 'best_fit', ('best_fit', heuristic), \
                            'first_fit', 'published' or ('window', open, seed)";
            return Err(wrong("packer", expected, value));
        }
    })
}

/// `(rank, world_size)`, or `"env"` for what a launcher such as torchrun sets.
fn shard(value: Option<Bound<'_, PyAny>>, remainder: Option<Bound<'_, PyAny>>) -> PyResult<Option<Shard>> {
    let remainder = remainder.map(|value| one_of("remainder", &value, &REMAINDERS)).transpose()?;
    let Some(value) = value else {
        return Ok(remainder.map(|remainder| Shard::default().remainder(remainder)));
    };
    let shard = match (value.extract::<String>(), value.extract::<(u32, u32)>()) {
        (Ok(name), _) if name == "env" => Shard::from_env(),
        (_, Ok((rank, world))) => Shard::new(rank, world),
        _ => return Err(wrong("shard", "(rank, world_size) or 'env'", &value)),
    };
    let shard = shard.map_err(|error| raise::<BuildError>(&error))?;
    Ok(Some(remainder.map_or(shard, |remainder| shard.remainder(remainder))))
}
