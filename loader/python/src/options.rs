//! Keyword arguments of a loader: each is a method of the Rust builder, with its default.

use crate::batching::{batching, capacity, last, limits, packer, sets};
use crate::errors::{BuildError, FileError, raise};
use crate::transform::{self, Function};
use crate::value::{one_of, value_of, wrong};
use graphpack_loader::{
    Batching, Capacity, LoaderBuilder, Oversize, Padding, Remainder, SavedPlan, Shape, Shard, Weights,
};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict};
use std::path::PathBuf;
use std::sync::Arc;

type Builder = LoaderBuilder;

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
    // Before the capacities: other limits than its own are then an error.
    if let Some(value) = option("plan")? {
        let path: PathBuf = value_of("plan", "the path of a file", &value)?;
        builder = builder.plan(SavedPlan::open(path).map_err(|error| raise::<FileError>(&error))?);
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

/// The seed of `shuffle`. `False` is no shuffling; `True` names no order, though Python would take it for the seed 1.
fn seed(value: Option<Bound<'_, PyAny>>) -> PyResult<Option<u64>> {
    let Some(value) = value else { return Ok(None) };
    match value.cast::<PyBool>() {
        Ok(shuffled) if shuffled.is_true() => Err(wrong("shuffle", "a seed, as in shuffle=42", &value)),
        Ok(_) => Ok(None),
        Err(_) => value_of("shuffle", "a seed, as in shuffle=42", &value).map(Some),
    }
}

const PADDINGS: [(&str, Padding); 4] = [
    ("self_loops", Padding::SelfLoops),
    ("two_nodes", Padding::TwoNodes),
    ("apart", Padding::Apart),
    ("jraph", Padding::Jraph),
];
const OVERSIZES: [(&str, Oversize); 4] =
    [("error", Oversize::Error), ("skip", Oversize::Skip), ("alone", Oversize::Alone), ("trim", Oversize::Trim)];
const REMAINDERS: [(&str, Remainder); 2] = [("pad", Remainder::Pad), ("drop", Remainder::Drop)];

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
