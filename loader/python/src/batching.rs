//! Options that say which graphs share a batch, and how much it holds.

use crate::errors::BuildError;
use crate::value::{one_of, value_of, wrong};
use graphpack_loader::graphpack_core::{Cost, Effort, Heuristic, MAX_SETS, Packer};
use graphpack_loader::{Batching, Capacity, Limits, Size};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

pub(crate) fn sets(option: &str, found: usize) -> PyResult<()> {
    if (1..=MAX_SETS).contains(&found) {
        return Ok(());
    }
    Err(PyTypeError::new_err(format!("{option}: expected 1 to {MAX_SETS} numbers of rows, found {found}")))
}

/// Numbers of which the last is of graphs: (512, 1024, 32), nodes, edges and graphs.
pub(crate) fn last<T>(value: &Bound<'_, PyAny>, option: &str) -> PyResult<(Vec<T>, T)>
where
    T: for<'a, 'py> FromPyObject<'a, 'py>,
{
    let expected = "numbers of rows of each set, then of graphs";
    let mut numbers: Vec<T> = value.extract().map_err(|_| wrong(option, expected, value))?;
    let graphs = numbers.pop().ok_or_else(|| wrong(option, expected, value))?;
    Ok((numbers, graphs))
}

pub(crate) fn limits(value: &Bound<'_, PyAny>) -> PyResult<Limits> {
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

pub(crate) fn capacity(value: &Bound<'_, PyAny>, sets: usize) -> PyResult<Capacity> {
    let (name, given) = named("capacity", value)?;
    let cost = |cost: &Bound<'_, PyAny>| -> PyResult<Cost> {
        let expected = format!("{sets} costs of a row of each set, then those of a graph and of a step");
        let numbers: Vec<u64> = value_of("capacity", &expected, cost)?;
        let [rows @ .., graph, step] = &numbers[..] else { return Err(wrong("capacity", &expected, cost)) };
        if rows.len() != sets {
            return Err(wrong("capacity", &expected, cost));
        }
        Ok(Cost::rows::<MAX_SETS>(std::array::from_fn(|set| rows.get(set).copied().unwrap_or(0)))
            .graph(*graph)
            .step(*step))
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

pub(crate) fn batching(value: &Bound<'_, PyAny>, packer: Option<Packer>) -> PyResult<Batching> {
    let (name, given) = named("batching", value)?;
    let rows = |value: &Bound<'_, PyAny>| value_of("batching", "a number of rows", value);
    let set = |value: &Bound<'_, PyAny>| value_of("batching", "the number of a set", value);
    let batching = match (name.as_str(), &given[..]) {
        ("packed", []) => Batching::Packed(packer.unwrap_or(Packer::Auto(Effort::default()))),
        ("window", []) => Batching::Window { open: Batching::DEFAULT_OPEN },
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

pub(crate) fn packer(value: &Bound<'_, PyAny>) -> PyResult<Packer> {
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
