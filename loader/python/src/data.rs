//! [`Data`]: graphs to load, wherever they come from.

use crate::errors::{BuildError, FileError, raise};
use crate::map::Function;
use crate::python_source::{PythonSource, Sizes, schema_of};
use crate::value::wrong;
use graphpack_loader::store::StoreWriter;
use graphpack_loader::{Column, Connect, Dtype, Edges, Element, LineGraphs, Store, f16};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyString};
use pyo3::{PyTraverseError, PyVisit};
use std::error::Error;
use std::path::{Path, PathBuf};

/// How many graphs are in memory while a store is written.
const AT_ONCE: u32 = 4096;

/// Graphs to load: of files, of arrays, or of an object of Python.
///
///     >>> data.fields
///     {'x': ('nodes', 'float32', 2), 'y': ('graph', 'int64', 1)}
///     >>> training = data.subset(range(0, len(data), 2))
///     >>> gp.Data.mix({"all": data, "half": training})
///     Data(300 graphs of nodes, edges; x, y, dataset)
///     >>> def noise(graph, rng):
///     ...     graph["x"] += rng.normal(0, 0.1, graph["x"].shape).astype("float32")
///     >>> augmented = training.map("noise", noise)
#[pyclass(frozen, module = "graphpack_loader")]
pub(crate) struct Data {
    graphs: graphpack_loader::Data,
    /// What was passed over in the file, one line each.
    skipped: Vec<String>,
    /// The functions of maps, for the garbage collector.
    functions: Vec<Py<Function>>,
}

impl Data {
    pub(crate) fn graphs(&self) -> &graphpack_loader::Data {
        &self.graphs
    }

    pub(crate) fn of(graphs: graphpack_loader::Data, skipped: Vec<String>) -> Self {
        Self { graphs, skipped, functions: Vec::new() }
    }

    /// The functions of maps.
    pub(crate) fn functions(&self, py: Python<'_>) -> Vec<Py<Function>> {
        self.functions.iter().map(|function| function.clone_ref(py)).collect()
    }

    /// Other graphs that are made of these.
    fn made(&self, py: Python<'_>, graphs: graphpack_loader::Data) -> Self {
        Self { graphs, skipped: Vec::new(), functions: self.functions(py) }
    }

    fn new(graphs: impl Into<graphpack_loader::Data>) -> Self {
        Self::of(graphs.into(), Vec::new())
    }
}

impl Data {
    fn write(&self, path: &Path, graphs_per_file: Option<usize>) -> Result<(), Box<dyn Error + Send + Sync>> {
        let mut writer = match graphs_per_file {
            Some(graphs) => StoreWriter::create_folder(path, graphs)?,
            None => StoreWriter::create(path)?,
        };
        let all = &self.graphs;
        let too_many = |_| format!("expected at most {} graphs, found {}", u32::MAX, all.len());
        let graphs = u32::try_from(all.len()).map_err(too_many)?;
        for first in (0..graphs.max(1)).step_by(AT_ONCE as usize) {
            let numbers: Vec<u32> = (first..graphs.min(first.saturating_add(AT_ONCE))).collect();
            writer.push(&Store::collect(all.subset(numbers)?)?)?;
        }
        Ok(writer.finish()?)
    }
}

#[pymethods]
impl Data {
    /// Graphs in memory: `schema` as `Schema.parts` gives it; for each set, where the rows of each graph start (int64);
    /// for each index, its columns one after the other (int64); the elements of each field.
    #[staticmethod]
    fn from_arrays(
        schema: &Bound<'_, PyAny>,
        ptr: Vec<PyBuffer<i64>>,
        indices: Vec<PyBuffer<i64>>,
        fields: Vec<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let py = schema.py();
        let schema = schema_of(schema)?;
        for (what, expected, found) in [
            ("ptr", schema.sets().len(), ptr.len()),
            ("indices", schema.indices().len(), indices.len()),
            ("fields", schema.fields().len(), fields.len()),
        ] {
            if expected != found {
                return Err(BuildError::new_err(format!("{what}: expected {expected} arrays, found {found}")));
            }
        }
        let row = |row: i64| {
            u64::try_from(row).map_err(|_| BuildError::new_err(format!("ptr: expected rows from 0, found {row}")))
        };
        let ptr = ptr.iter().map(|ptr| ptr.to_vec(py)?.into_iter().map(row).collect());
        let ptr = ptr.collect::<PyResult<Vec<_>>>()?;
        let indices = schema.indices().iter().zip(&indices).map(|(of, entries)| {
            let entries = entries.to_vec(py)?;
            let rows = entries.len() / of.width().max(1);
            if rows * of.width() != entries.len() {
                let (name, width, found) = (&of.name, of.width(), entries.len());
                return Err(BuildError::new_err(format!("{name}: expected {width} columns, found {found} entries")));
            }
            Ok((0..of.width()).map(|column| entries[column * rows..(column + 1) * rows].to_vec()).collect())
        });
        let indices = indices.collect::<PyResult<Vec<_>>>()?;
        let columns = schema.fields().iter().zip(&fields).map(|(field, elements)| match field.dtype {
            Dtype::F16 => {
                let bits = PyBuffer::<u16>::get(&elements.call_method1("view", ("uint16",))?)?.to_vec(py)?;
                let elements = bits.into_iter().map(f16::from_bits).collect();
                Column::of(&schema, &field.name, elements).map_err(|error| raise::<BuildError>(&error))
            }
            Dtype::F32 => column::<f32>(&schema, &field.name, elements),
            Dtype::F64 => column::<f64>(&schema, &field.name, elements),
            Dtype::I64 => column::<i64>(&schema, &field.name, elements),
            Dtype::I32 => column::<i32>(&schema, &field.name, elements),
            Dtype::U8 => column::<u8>(&schema, &field.name, elements),
            Dtype::Bool => {
                let bytes = PyBuffer::<u8>::get(&elements.call_method1("view", ("uint8",))?)?.to_vec(py)?;
                let elements = bytes.into_iter().map(|byte| byte != 0).collect();
                Column::of(&schema, &field.name, elements).map_err(|error| raise::<BuildError>(&error))
            }
        });
        let columns = columns.collect::<PyResult<Vec<_>>>()?;
        Store::of_sets(schema, ptr, indices, columns).map(Self::new).map_err(|error| raise::<BuildError>(&error))
    }

    /// Graphs of an object with `__len__`, `size(graph)` and `__getitem__(graph)`, which workers call one at a time.
    #[staticmethod]
    fn from_object(schema: &Bound<'_, PyAny>, object: Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self::new(PythonSource::new(schema_of(schema)?, object)?))
    }

    /// Graphs of which only the numbers of rows are known: `rows` has those of each set, graph after graph (uint32).
    #[staticmethod]
    fn from_sizes(py: Python<'_>, sets: Vec<String>, rows: PyBuffer<u32>) -> PyResult<Self> {
        Ok(Self::new(Sizes::new(sets, rows.to_vec(py)?)?))
    }

    /// The graphs with these numbers, in this order; or those for which a mask, a bool for each graph, is true. Takes a
    /// list, any other iterable, or an array of NumPy or PyTorch.
    fn subset(&self, graphs: &Bound<'_, PyAny>) -> PyResult<Self> {
        let subset = self.graphs.subset(chosen(graphs, self.graphs.len())?);
        Ok(self.made(graphs.py(), subset.map_err(|error| raise::<BuildError>(&error))?))
    }

    /// The graphs of several data sets, `{name: data}`, one data set after the other. Graphs have all fields that any has; of
    /// one that a data set lacks its graphs have 0, and `has_NAME` says so. `dataset` is the number of each graph's data set.
    #[staticmethod]
    fn mix(parts: &Bound<'_, PyDict>) -> PyResult<Self> {
        let py = parts.py();
        let mut named = Vec::new();
        for (name, data) in parts {
            named.push((name.extract::<String>()?, data.cast::<Self>().map_err(PyErr::from)?.clone().unbind()));
        }
        let of_each: Vec<_> = named.iter().map(|(name, data)| (name.as_str(), data.get().graphs())).collect();
        let graphs = graphpack_loader::Data::mix(&of_each).map_err(|error| raise::<BuildError>(&error))?;
        let functions = named.iter().flat_map(|(_, data)| data.get().functions(py)).collect();
        Ok(Self { graphs, skipped: Vec::new(), functions })
    }

    /// The graphs changed by `function(graph, rng)` when they are in a batch. `graph` is a dictionary of NumPy arrays by name,
    /// to be changed in place or replaced, and of `number` and `epoch`; `rng` a generator of NumPy that follows from the seed
    /// of the loader, the epoch, the graph and the name. Fields that were made before, as `distance`, stay as they are: move atoms
    /// before `connect`.
    fn map(&self, py: Python<'_>, name: &str, function: Py<PyAny>) -> PyResult<Self> {
        if !function.bind(py).is_callable() {
            return Err(wrong("map", "a function of a graph and a generator", function.bind(py)));
        }
        let function = Function::new(function);
        let mut made = self.made(py, self.graphs.map(name, function.map()));
        made.functions.push(Py::new(py, function)?);
        Ok(made)
    }

    /// The atoms with edges between those that are near: by a radius, `cutoff`, or a rule, `edges`, as `open` has it. `margin`
    /// says how much nearer maps may move atoms; `fields` which of `distance`, `cell_offsets` and `shift` there are.
    #[pyo3(signature = (cutoff=None, *, edges=None, margin=None, fields=None))]
    fn connect(
        &self,
        py: Python<'_>,
        cutoff: Option<f64>,
        edges: Option<&str>,
        margin: Option<f64>,
        fields: Option<Vec<String>>,
    ) -> PyResult<Self> {
        let rule = match (cutoff, edges) {
            (Some(cutoff), None) => Edges::Radius(cutoff),
            (None, Some(rule)) => rule.parse().map_err(|error| raise::<BuildError>(&error))?,
            _ => return Err(PyTypeError::new_err("expected one of cutoff and edges")),
        };
        let mut connect = Connect::from(rule);
        if let Some(margin) = margin {
            connect = connect.margin(margin);
        }
        if let Some(fields) = fields {
            connect = connect.fields(fields);
        }
        let connected = py.detach(|| self.graphs.connect(connect));
        Ok(self.made(py, connected.map_err(|error| raise::<BuildError>(&error))?))
    }

    /// The graphs with the triplets of their edges: `triplet_index`, pairs of edges k to j and j to i with i other than k.
    fn triplets(&self, py: Python<'_>) -> PyResult<Self> {
        let made = py.detach(|| self.graphs.triplets());
        Ok(self.made(py, made.map_err(|error| raise::<BuildError>(&error))?))
    }

    /// The graphs with their line graphs as DGL builds them: `line_index`, pairs of edges u to v and v to w.
    #[pyo3(signature = (*, backtracking=true))]
    fn line_graphs(&self, py: Python<'_>, backtracking: bool) -> PyResult<Self> {
        let made = py.detach(|| self.graphs.line_graphs(LineGraphs::default().backtracking(backtracking)));
        Ok(self.made(py, made.map_err(|error| raise::<BuildError>(&error))?))
    }

    /// A weight for each graph of a mix with which an epoch draws from each data set at a rate: `weights` of a loader.
    fn rates(&self, rates: Vec<f64>) -> PyResult<Vec<f64>> {
        let weights = self.graphs.rates(&rates).map_err(|error| raise::<BuildError>(&error))?;
        Ok(weights.weights().to_vec())
    }

    /// Writes a store that `open` reads in place: a file of safetensors, or a folder of files with `graphs_per_file`
    /// graphs each.
    #[pyo3(signature = (path, *, graphs_per_file=None))]
    fn save(&self, py: Python<'_>, path: PathBuf, graphs_per_file: Option<usize>) -> PyResult<()> {
        py.detach(|| self.write(&path, graphs_per_file)).map_err(|error| raise::<FileError>(&*error))
    }

    fn __len__(&self) -> usize {
        self.graphs.len()
    }

    /// What was passed over in the file and why, one line each: graphs after a molecule that is passed over have other
    /// numbers than in the file.
    #[getter]
    fn skipped(&self) -> Vec<String> {
        self.skipped.clone()
    }

    /// The names of the sets.
    #[getter]
    fn sets(&self) -> Vec<String> {
        self.graphs.schema().sets().to_vec()
    }

    /// How many rows of each set a graph has.
    fn size(&self, graph: usize) -> PyResult<Vec<u32>> {
        if graph >= self.graphs.len() {
            let graphs = self.graphs.len();
            return Err(PyIndexError::new_err(format!("graph {graph} of {graphs}, which are counted from 0")));
        }
        let size = self.graphs.size(graph).map_err(|error| raise::<BuildError>(&error))?;
        Ok(size.as_slice().to_vec())
    }

    /// How many rows of each set each graph has, graph after graph, as the bytes of uint32.
    fn sizes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let sets = self.graphs.schema().sets().len();
        PyBytes::new_with(py, self.graphs.len() * sets * 4, |bytes| {
            let sizes = self.graphs.sizes().map_err(|error| raise::<BuildError>(&error))?;
            for (size, bytes) in sizes.zip(bytes.chunks_exact_mut(sets * 4)) {
                for (rows, bytes) in size.as_slice().iter().zip(bytes.chunks_exact_mut(4)) {
                    bytes.copy_from_slice(&rows.to_ne_bytes());
                }
            }
            Ok(())
        })
    }

    /// The fields by name: the set that each has rows for (or `"graph"`), its dtype and its number of columns, 1 for a
    /// vector.
    #[getter]
    fn fields<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let schema = self.graphs.schema();
        let fields = PyDict::new(py);
        for field in schema.fields() {
            fields.set_item(&field.name, (schema.level_name(field.level), field.dtype.to_string(), field.width))?;
        }
        Ok(fields)
    }

    /// The indices by name: the set that each has rows for, and the sets that its columns point into.
    #[getter]
    fn indices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let schema = self.graphs.schema();
        let indices = PyDict::new(py);
        for index in schema.indices() {
            let targets: Vec<&String> = index.targets.iter().map(|&set| &schema.sets()[usize::from(set)]).collect();
            indices.set_item(&index.name, (schema.level_name(index.level), targets))?;
        }
        Ok(indices)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.functions.iter().try_for_each(|function| visit.call(function))
    }

    /// What the collector clears are the functions.
    fn __clear__(&self) {}

    fn __repr__(&self) -> String {
        let schema = self.graphs.schema();
        let names: Vec<_> = schema.fields().iter().map(|field| &field.name[..]).collect();
        format!("Data({} graphs of {}; {})", self.graphs.len(), schema.sets().join(", "), names.join(", "))
    }
}

/// The numbers that `given` chooses among those of `graphs` graphs: a mask of bools, or numbers.
fn chosen(given: &Bound<'_, PyAny>, graphs: usize) -> PyResult<Vec<u32>> {
    let expected = |found: String| {
        let expected = format!("numbers of graphs, or a mask with a bool for each of the {graphs} graphs");
        PyTypeError::new_err(format!("subset: expected {expected}, found {found}"))
    };
    if given.is_instance_of::<PyString>() {
        return Err(expected(given.repr()?.to_string()));
    }
    // What masks once were; as numbers they would be those of the graphs 0 and 1.
    if given.hasattr("dtype")?
        && given.getattr("dtype")?.str()?.to_string().ends_with("uint8")
        && given.len()? == graphs
    {
        return Err(expected(format!("an array of {graphs} uint8")));
    }
    let given = if given.hasattr("__array__")? { given.call_method0("tolist")? } else { given.clone() };
    let items = given.try_iter()?.collect::<PyResult<Vec<_>>>()?;
    // Also those of NumPy and PyTorch, which would count as the numbers 0 and 1.
    let is_bool = |item: &Bound<'_, PyAny>| match item.is_instance_of::<PyBool>() {
        false if item.hasattr("dtype")? => Ok(item.getattr("dtype")?.str()?.to_string().ends_with("bool")),
        is_bool => Ok::<_, PyErr>(is_bool),
    };
    let bools = items.iter().map(is_bool).collect::<PyResult<Vec<_>>>()?.into_iter().filter(|is_bool| *is_bool).count();
    if bools == 0 {
        let number = |item: &Bound<'_, PyAny>| {
            item.extract().map_err(|_| match item.repr() {
                Ok(found) => expected(found.to_string()),
                Err(error) => error,
            })
        };
        return items.iter().map(number).collect();
    }
    if bools != items.len() || bools != graphs {
        return Err(expected(format!("{bools} bools among {} items", items.len())));
    }
    let mut numbers = Vec::new();
    for (number, item) in (0..).zip(&items) {
        if item.is_truthy()? {
            numbers.push(number);
        }
    }
    Ok(numbers)
}

/// The column of a field, whose elements are in a buffer of this type.
fn column<T: Element + pyo3::buffer::Element>(
    schema: &graphpack_loader::Schema,
    name: &str,
    elements: &Bound<'_, PyAny>,
) -> PyResult<Column> {
    let expected = |_| PyTypeError::new_err(format!("{name}: expected a contiguous array of {}", T::DTYPE));
    let elements = PyBuffer::<T>::get(elements).map_err(expected)?.to_vec(elements.py())?;
    Column::of(schema, name, elements).map_err(|error| raise::<BuildError>(&error))
}
