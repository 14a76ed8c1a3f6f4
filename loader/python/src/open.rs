//! [`open`]: files that people have, read as the command `graphpack` reads them.

use crate::data::Data;
use crate::errors::{BuildError, FileError, missing, of_file, raise};
use crate::value::wrong;
use graphpack_formats::{DataFile, Fields, ReadOptions};
use graphpack_loader::{Edges, Size, Store};
use pyo3::exceptions::{PyFileNotFoundError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::HashMap;
use std::path::PathBuf;

/// Opens a file or folder of any format, which is recognised from what is in it. A store is read in place, unless
/// `memory` asks for a copy in memory, from which loading is faster; others are read into memory. So are several files
/// of equal fields, a list or a pattern (`"train/*.xyz"`, in the order of their names), one after the other.
///
/// Atoms become graphs with `cutoff=6.0`, which connects those that are less than this far apart, or with a rule as
/// `edges`: "full", "radius:LENGTH", "nearest:K" or "nearest:K:LENGTH". `fields` and `rename` choose and name fields
/// of the file (for a store, `Loader` has `fields`). `labels` names texts, as `config_type` of extended XYZ, that become
/// codes, which `Data.labels` explains. Floating point numbers have 64 bits with `double=True` and 32 with
/// `double=False`; by default energies of graphs have 64, all others 32. `targets` is a csv file with a row for each
/// graph, of whose columns those in `columns` become fields. Of data sets of OGB, `split` is the part ("train",
/// "scaffold/train"), and `directed` leaves out the inverse of each edge. What is passed over is a warning, and listed
/// in `skipped` of the data; a record that cannot be read is an error, or passed over with `on_error="skip"`.
/// `smiles_column` is the column of SMILES in a table, where neither its name nor its cells say so; with `hydrogens`,
/// hydrogen atoms of SDF stay nodes.
///
///     >>> data.save("rings.safetensors")
///     >>> gp.open("rings.safetensors")
///     Data(200 graphs of nodes, edges; x float32[2], y int64)
#[pyfunction]
#[pyo3(signature = (path, *, memory=false, cutoff=None, edges=None, format=None, fields=None, rename=None, labels=None,
                    double=None, targets=None, columns=None, split=None, directed=false, on_error="fail",
                    smiles_column=None, hydrogens=false))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn open(
    path: &Bound<'_, PyAny>,
    memory: bool,
    cutoff: Option<f64>,
    edges: Option<&str>,
    format: Option<&str>,
    fields: Option<Vec<String>>,
    rename: Option<HashMap<String, String>>,
    labels: Option<Vec<String>>,
    double: Option<bool>,
    targets: Option<PathBuf>,
    columns: Option<Vec<String>>,
    split: Option<String>,
    directed: bool,
    on_error: &str,
    smiles_column: Option<String>,
    hydrogens: bool,
) -> PyResult<Data> {
    let (py, given) = (path.py(), PyDict::new(path.py()));
    for (option, value) in [("memory", memory), ("directed", directed), ("hydrogens", hydrogens)] {
        given.set_item(option, value)?;
    }
    for (option, value) in [
        ("edges", edges),
        ("format", format),
        ("split", split.as_deref()),
        ("on_error", Some(on_error)),
        ("smiles_column", smiles_column.as_deref()),
    ] {
        given.set_item(option, value)?;
    }
    given.set_item("cutoff", cutoff)?;
    given.set_item("double", double)?;
    for (option, value) in [("fields", &fields), ("labels", &labels), ("columns", &columns)] {
        given.set_item(option, value)?;
    }
    given.set_item("rename", &rename)?;
    given.set_item("targets", &targets)?;
    let paths = paths_of(path)?;
    let format = format.map(str::parse).transpose().map_err(PyTypeError::new_err)?;
    let edges = match (cutoff, edges) {
        (Some(_), Some(_)) => return Err(PyTypeError::new_err("expected cutoff or edges, found both")),
        (cutoff, rule) => {
            let rule = rule.map(str::parse).transpose().map_err(|error| raise::<BuildError>(&error))?;
            cutoff.map(Edges::Radius).or(rule)
        }
    };
    let (rename, labels) = (rename.into_iter().flatten().collect(), labels.unwrap_or_default());
    let fields = Fields { select: fields, rename, double, labels };
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
    let options = ReadOptions { smiles_column, keeps_hydrogens: hydrogens, skips_errors, split, directed };
    let file = DataFile { path: PathBuf::new(), format, fields, options, targets, memory };
    let read = |file: &DataFile| -> Result<_, graphpack_loader::Error> {
        let Some(edges) = edges.filter(|_| skips_errors) else { return file.read() };
        // A graph that cannot be connected is a record that cannot be read.
        let mut pieces = file.pieces()?;
        let connect = |store: Store| Ok(Store::collect(graphpack_loader::Data::from(store).connect(edges)?)?);
        Ok((pieces.read_changed(&connect)?.into(), pieces.skipped()))
    };
    let all = || -> Result<_, graphpack_loader::Error> {
        let mut read = paths.iter().map(|path| read(&DataFile { path: path.clone(), ..file.clone() }));
        match (read.next(), paths.len()) {
            (Some(first), 1) => first,
            (first, _) => {
                let (mut parts, mut skipped) = (Vec::new(), Vec::new());
                for (path, one) in paths.iter().zip(first.into_iter().chain(read)) {
                    let (graphs, passed_over) = one?;
                    parts.push(Store::collect(graphs)?);
                    skipped.extend(passed_over.iter().map(|line| format!("{}: {line}", path.display())));
                }
                Ok((Store::concat(&parts)?.into(), skipped))
            }
        }
    };
    let (graphs, skipped) = py.detach(all).map_err(|error| of_file(&error))?;
    let shown = path.str()?.to_string();
    if let [first, others @ ..] = &skipped[..] {
        let more = if others.is_empty() { String::new() } else { format!(", and {} more", others.len()) };
        let message = format!("{shown}: {first}{more}; `skipped` of the data lists what was passed over");
        py.import("warnings")?.call_method1("warn", (message,))?;
    }
    let made = |graphs| {
        let function = py.import("graphpack_loader")?.getattr("open")?;
        Data::new(graphs).without(skipped).by(&function, vec![path.clone()], Some(&given))
    };
    let Some(rule) = edges else { return made(graphs) };
    let graphs = match skips_errors {
        true => graphs,
        false => py.detach(|| graphs.connect(rule)).map_err(|error| raise::<BuildError>(&error))?,
    };
    // The edges are the last set.
    let has_edges = |size: Size| size.as_slice().last() != Some(&0);
    let connected = graphs.sizes().map_err(|error| raise::<BuildError>(&error))?.any(has_edges);
    if !graphs.is_empty() && !connected {
        let unit = "lengths are in the unit of the positions";
        let message = format!("{shown}: none of {} graphs has an edge; {unit}", graphs.len());
        py.import("warnings")?.call_method1("warn", (message,))?;
    }
    made(graphs)
}

/// The files of a path, of a list, or of a pattern as `train/*.xyz`. Errors if one is missing, or was written by
/// `torch.save`.
fn paths_of(given: &Bound<'_, PyAny>) -> PyResult<Vec<PathBuf>> {
    let paths = match given.extract::<PathBuf>() {
        Ok(path) if !path.exists() && path.to_string_lossy().contains(['*', '?', '[']) => {
            let named = given.py().import("glob")?.call_method1("glob", (path.as_os_str(),))?;
            let mut named: Vec<PathBuf> = named.extract()?;
            named.sort();
            named
        }
        Ok(path) => vec![path],
        Err(_) => given.extract().map_err(|_| wrong("open", "a path, a pattern or a list of paths", given))?,
    };
    if paths.is_empty() {
        return Err(PyFileNotFoundError::new_err(format!("expected files, found none of {}", given.repr()?)));
    }
    for path in &paths {
        if !path.exists() {
            return Err(missing(path));
        }
        if path.extension().is_some_and(|ending| ["pt", "pth"].iter().any(|of_torch| ending == *of_torch)) {
            let taken = "gp.from_pyg takes the graphs that are in it, a list or a data set of PyTorch Geometric";
            let found = format!("{}: expected a file of graphs, found one of torch.save: {taken}", path.display());
            return Err(FileError::new_err(found));
        }
    }
    Ok(paths)
}
