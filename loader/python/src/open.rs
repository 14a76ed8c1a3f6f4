//! [`open`]: files that people have, read as the command `graphpack` reads them.

use crate::data::Data;
use crate::errors::{BuildError, FileError, raise};
use graphpack_formats::{DataFile, Fields, ReadOptions};
use graphpack_loader::{Edges, Size, Store};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use std::collections::HashMap;
use std::path::PathBuf;

/// Opens a file or folder of any format, which is recognised from what is in it. A store is read in place, unless
/// `memory` asks for a copy in memory, from which loading is faster; others are read into memory.
///
/// Atoms become graphs with `cutoff=6.0`, which connects those that are less than this far apart, or with a rule as
/// `edges`: "full", "radius:LENGTH", "nearest:K" or "nearest:K:LENGTH". `fields` and `rename` choose and name fields
/// of the file (for a store, `Loader` has `fields`). Floating point numbers have 64 bits with `double=True` and 32
/// with `double=False`; by default energies of graphs have 64, all others 32. `targets` is a csv file with a row for
/// each graph, of whose columns those in `columns` become fields. Of data sets of OGB, `split` is the part ("train",
/// "scaffold/train"), and `directed` leaves out the inverse of each edge. What is passed over is a warning, and listed
/// in `skipped` of the data; a record that cannot be read is an error, or passed over with `on_error="skip"`.
/// `smiles_column` is the column of SMILES in a table, where neither its name nor its cells say so; with `hydrogens`,
/// hydrogen atoms of SDF stay nodes.
///
///     >>> data.save("rings.safetensors")
///     >>> gp.open("rings.safetensors")
///     Data(200 graphs of nodes, edges; x, y)
#[pyfunction]
#[pyo3(signature = (path, *, memory=false, cutoff=None, edges=None, format=None, fields=None, rename=None, double=None,
                    targets=None, columns=None, split=None, directed=false, on_error="fail",
                    smiles_column=None, hydrogens=false))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn open(
    py: Python<'_>,
    path: PathBuf,
    memory: bool,
    cutoff: Option<f64>,
    edges: Option<&str>,
    format: Option<&str>,
    fields: Option<Vec<String>>,
    rename: Option<HashMap<String, String>>,
    double: Option<bool>,
    targets: Option<PathBuf>,
    columns: Option<Vec<String>>,
    split: Option<String>,
    directed: bool,
    on_error: &str,
    smiles_column: Option<String>,
    hydrogens: bool,
) -> PyResult<Data> {
    let format = format.map(str::parse).transpose().map_err(PyTypeError::new_err)?;
    let edges = match (cutoff, edges) {
        (Some(_), Some(_)) => return Err(PyTypeError::new_err("expected cutoff or edges, found both")),
        (cutoff, rule) => {
            let rule = rule.map(str::parse).transpose().map_err(|error| raise::<BuildError>(&error))?;
            cutoff.map(Edges::Radius).or(rule)
        }
    };
    let fields = Fields { select: fields, rename: rename.into_iter().flatten().collect(), double };
    let columns = columns.unwrap_or_default();
    let targets = match (targets, columns.is_empty()) {
        (Some(csv), false) => Some((csv, columns)),
        (None, true) => None,
        _ => {
            return Err(PyTypeError::new_err(
                "expected both targets, a csv file, and columns of it, found one of them",
            ));
        }
    };
    let skips_errors = match on_error {
        "fail" => false,
        "skip" => true,
        other => {
            return Err(PyTypeError::new_err(format!("expected on_error to be \"fail\" or \"skip\", found {other:?}")));
        }
    };
    let options = ReadOptions { smiles_column, keeps_hydrogens: hydrogens, skips_errors };
    let file = DataFile { path, format, fields, options, targets, split, directed, memory };
    let in_pieces = skips_errors && file.split.is_none() && !file.directed;
    let read = || -> Result<_, graphpack_loader::Error> {
        let Some(edges) = edges.filter(|_| in_pieces) else { return file.read() };
        // A graph that cannot be connected is a record that cannot be read.
        let mut pieces = file.pieces()?;
        let connect = |store: Store| Ok(Store::collect(graphpack_loader::Data::from(store).connect(edges)?)?);
        Ok((pieces.read_changed(&connect)?.into(), pieces.skipped()))
    };
    let (graphs, skipped) = py.detach(read).map_err(|error| raise::<FileError>(&error))?;
    if let [first, others @ ..] = &skipped[..] {
        let more = if others.is_empty() { String::new() } else { format!(", and {} more", others.len()) };
        let message =
            format!("{}: {first}{more}; `skipped` of the data lists what was passed over", file.path.display());
        py.import("warnings")?.call_method1("warn", (message,))?;
    }
    let Some(rule) = edges else { return Ok(Data::of(graphs, skipped)) };
    let graphs = match in_pieces {
        true => graphs,
        false => py.detach(|| graphs.connect(rule)).map_err(|error| raise::<BuildError>(&error))?,
    };
    // The edges are the last set.
    let has_edges = |size: Size| size.as_slice().last() != Some(&0);
    let connected = graphs.sizes().map_err(|error| raise::<BuildError>(&error))?.any(has_edges);
    if !graphs.is_empty() && !connected {
        let unit = "lengths are in the unit of the positions";
        let message = format!("{}: none of {} graphs has an edge; {unit}", file.path.display(), graphs.len());
        py.import("warnings")?.call_method1("warn", (message,))?;
    }
    Ok(Data::of(graphs, skipped))
}
