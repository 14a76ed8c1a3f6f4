//! [`Data`]: graphs to load, wherever they come from.

use crate::batch::Batch;
use crate::columns::{elements, store_of};
use crate::errors::{BuildError, ResumeError, of_file, raise};
use crate::map::{Held, TAKEN};
use crate::picture::of_sizes;
use crate::python_source::{PythonSource, Sizes};
use crate::schema::{fields_of, indices_of, padding_of, schema_of};
use crate::statistics::statistics;
use crate::value::{chosen, partial, value_of, wrong};
use graphpack_loader::schema::Field;
use graphpack_loader::store::StoreWriter;
use graphpack_loader::{Connect, Edges, GraphResults, LineGraphs, NeighbourMatrix, Store};
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyRange, PySlice, PyString};
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
///     Data(300 graphs of nodes, edges; x float32[2], y int64, dataset int64)
///     >>> def noise(graph, rng):
///     ...     graph["x"] += rng.normal(0, 0.1, graph["x"].shape).astype("float32")
///     >>> augmented = training.map("noise", noise)
#[pyclass(frozen, module = "graphpack_loader")]
pub(crate) struct Data {
    graphs: graphpack_loader::Data,
    /// What was passed over in the file, one line each.
    skipped: Vec<String>,
    /// The functions of maps and the objects of sources, for the garbage collector.
    held: Vec<Py<Held>>,
    /// A call that makes them, as pickling has it; none for arrays in memory.
    recipe: Option<Py<PyAny>>,
}

impl Data {
    pub(crate) fn graphs(&self) -> &graphpack_loader::Data {
        &self.graphs
    }

    pub(crate) fn new(graphs: impl Into<graphpack_loader::Data>) -> Self {
        Self { graphs: graphs.into(), skipped: Vec::new(), held: Vec::new(), recipe: None }
    }

    /// What was passed over in the file.
    pub(crate) fn without(self, skipped: Vec<String>) -> Self {
        Self { skipped, ..self }
    }

    /// A call of `function` that makes them.
    pub(crate) fn by(
        self,
        function: &Bound<'_, PyAny>,
        arguments: Vec<Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        Ok(Self { recipe: Some(partial(function, arguments, options)?.unbind()), ..self })
    }

    /// Other graphs, which a method with these arguments made of these.
    fn made<'py>(
        slf: &Bound<'py, Self>,
        graphs: graphpack_loader::Data,
        method: &str,
        arguments: Vec<Bound<'py, PyAny>>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Self> {
        let held = slf.get().held.iter().map(|held| held.clone_ref(slf.py())).collect();
        Self { held, ..Self::new(graphs) }.by(&slf.getattr(method)?, arguments, options)
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
    /// for each index, its columns one after the other (int64); the elements of each field, of which NaN is missing: 0,
    /// and false in `has_NAME`.
    #[staticmethod]
    fn from_arrays(
        schema: &Bound<'_, PyAny>,
        ptr: Vec<Bound<'_, PyAny>>,
        indices: Vec<Bound<'_, PyAny>>,
        fields: Vec<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let store = store_of(schema_of(schema)?, &ptr, &indices, &fields)?;
        let masked = store.with_masks().map_err(|error| raise::<BuildError>(&error))?;
        Ok(Self::new(masked.into_owned()))
    }

    /// Graphs of an object with `__len__`, `size(graph)` and `__getitem__(graph)`, which workers call one at a time.
    #[staticmethod]
    fn from_object(schema: &Bound<'_, PyAny>, object: Bound<'_, PyAny>) -> PyResult<Self> {
        let (py, held) = (object.py(), Held::new(object.clone().unbind()));
        let graphs = PythonSource::new(schema_of(schema)?, &object, held.share())?;
        let made = Self { held: vec![Py::new(py, held)?], ..Self::new(graphs) };
        made.by(&py.get_type::<Self>().getattr("from_object")?, vec![schema.clone(), object], None)
    }

    /// Graphs of which only the numbers of rows are known: `rows` has those of each set, graph after graph (uint32).
    #[staticmethod]
    fn from_sizes(sets: &Bound<'_, PyAny>, rows: &Bound<'_, PyAny>) -> PyResult<Self> {
        let graphs = Sizes::new(sets.extract()?, elements::<u32>("rows", "uint32", rows)?)?;
        let function = rows.py().get_type::<Self>().getattr("from_sizes")?;
        Self::new(graphs).by(&function, vec![sets.clone(), rows.clone()], None)
    }

    /// The graphs with these numbers, in this order; or those for which a mask, a bool for each graph, is true. Takes a
    /// list, any other iterable, or an array of NumPy or PyTorch.
    fn subset(slf: &Bound<'_, Self>, graphs: &Bound<'_, PyAny>) -> PyResult<Self> {
        let data = &slf.get().graphs;
        let numbers = chosen(graphs, data.len())?;
        // Not `graphs`, which may change, or be read once alone.
        let array = slf.py().import("numpy")?.call_method1("array", (&numbers, "uint32"))?;
        let subset = data.subset(numbers).map_err(|error| raise::<BuildError>(&error))?;
        Self::made(slf, subset, "subset", vec![array], None)
    }

    /// The graphs of several data sets, `{name: data}`, one data set after the other. Graphs have all fields that any
    /// has; of one that a data set lacks its graphs have 0, and `has_NAME` says so; NaN is missing, too, where there is
    /// such a mask. `dataset` is the number of each graph's data set.
    #[staticmethod]
    fn mix(parts: &Bound<'_, PyDict>) -> PyResult<Self> {
        let py = parts.py();
        let mut named = Vec::new();
        for (name, data) in parts {
            named.push((name.extract::<String>()?, data.cast::<Self>().map_err(PyErr::from)?.clone().unbind()));
        }
        let of_each: Vec<_> = named.iter().map(|(name, data)| (name.as_str(), data.get().graphs())).collect();
        let graphs = graphpack_loader::Data::mix(&of_each).map_err(|error| raise::<BuildError>(&error))?;
        let held = named.iter().flat_map(|(_, data)| &data.get().held).map(|held| held.clone_ref(py)).collect();
        let function = py.get_type::<Self>().getattr("mix")?;
        Self { held, ..Self::new(graphs) }.by(&function, vec![parts.copy()?.into_any()], None)
    }

    /// The graphs changed by `function(graph, rng)` when they are in a batch. `graph` is a dictionary of NumPy arrays
    /// by name, to be changed in place or replaced by others of the same dtype and shape; the function may also return a
    /// dictionary of those that it changes. Beside them are `number`, the graph's in these data (of a subset, in the
    /// whole), `graph_id`, its number in the data of the loader, which may be a mix, `epoch` and `num_nodes`; `rng` is a
    /// generator of NumPy that follows from the seed of the loader, the epoch, the graph and the name. Of `graph["keep"] =
    /// {"edges": mask}` the edges stay for which the mask is true, and what refers to them. What `connect`, `triplets` and
    /// `line_graphs` made rows from may not be changed after them: map before.
    ///
    /// A transform of PyTorch Geometric, as `T.Compose([T.RandomJitter(0.1), mine])`, gets a `Data` and returns one. What
    /// it draws from torch, NumPy and `random` follows from the same as `rng`.
    fn map(slf: &Bound<'_, Self>, name: &str, function: Bound<'_, PyAny>) -> PyResult<Self> {
        let (py, graphs) = (slf.py(), &slf.get().graphs);
        let schema = graphs.schema();
        let is_taken = |name: &&&str| schema.position(name).is_some() || schema.find_index(name).is_some();
        if let Some(name) = TAKEN.iter().find(is_taken) {
            let why = "the dictionary of a map has numbers and masks of this name";
            return Err(BuildError::new_err(format!("map: expected no array called {name}: {why}")));
        }
        if !function.is_callable() {
            return Err(wrong("map", "a function of a graph and a generator", &function));
        }
        let mut changes = function.clone();
        // By its name, so that PyG need not be imported.
        for base in function.get_type().mro() {
            if base.getattr("__name__")?.eq("BaseTransform")? {
                changes = py.import("graphpack_loader.transforms")?.getattr("Transform")?.call1((&function,))?;
            }
        }
        let held = Held::new(changes.unbind());
        let named = PyString::new(py, name).into_any();
        let mut made = Self::made(slf, graphs.map(name, held.map()), "map", vec![named, function], None)?;
        made.held.push(Py::new(py, held)?);
        Ok(made)
    }

    /// The atoms with edges between those that are near: by a radius, `cutoff`, or a rule, `edges`, as `open` has it.
    /// `margin` says how much nearer maps may move atoms; `fields` which of `distance`, `cell_offsets` and `shift`
    /// there are.
    #[pyo3(signature = (cutoff=None, *, edges=None, margin=None, fields=None))]
    fn connect(
        slf: &Bound<'_, Self>,
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
        let py = slf.py();
        let given = PyDict::new(py);
        given.set_item("cutoff", cutoff)?;
        given.set_item("edges", edges)?;
        given.set_item("margin", margin)?;
        given.set_item("fields", &fields)?;
        let mut connect = Connect::from(rule);
        if let Some(margin) = margin {
            connect = connect.margin(margin);
        }
        if let Some(fields) = fields {
            connect = connect.fields(fields);
        }
        let graphs = &slf.get().graphs;
        let connected = py.detach(|| graphs.connect(connect)).map_err(|error| raise::<BuildError>(&error))?;
        Self::made(slf, connected, "connect", Vec::new(), Some(&given))
    }

    /// The graphs with the triplets of their edges: `triplet_index`, pairs of edges k to j and j to i with i other than
    /// k.
    fn triplets(slf: &Bound<'_, Self>) -> PyResult<Self> {
        let graphs = &slf.get().graphs;
        let made = slf.py().detach(|| graphs.triplets()).map_err(|error| raise::<BuildError>(&error))?;
        Self::made(slf, made, "triplets", Vec::new(), None)
    }

    /// The graphs with their line graphs as DGL builds them: `line_index`, pairs of edges u to v and v to w.
    #[pyo3(signature = (*, backtracking=true))]
    fn line_graphs(slf: &Bound<'_, Self>, backtracking: bool) -> PyResult<Self> {
        let (py, graphs, given) = (slf.py(), &slf.get().graphs, PyDict::new(slf.py()));
        given.set_item("backtracking", backtracking)?;
        let made = py.detach(|| graphs.line_graphs(LineGraphs::default().backtracking(backtracking)));
        Self::made(slf, made.map_err(|error| raise::<BuildError>(&error))?, "line_graphs", Vec::new(), Some(&given))
    }

    /// The graphs, whose batches also have the edges into each node as a matrix of `most` columns, for engines without
    /// scatter-add: `neighbours` and `neighbour_edges`, the sources and the numbers of these edges,
    /// `neighbour_mask`, true where there is one, and `neighbour_FIELD` `[nodes, most, width]` for each of `fields`.
    /// `None` takes the most edges into a node of these data. A node with more is an error of its graph; with
    /// `oversize="trim"` it keeps the nearest, by a field of edges whose padding is "length", or else the first. Arrays
    /// of an `index` of another set begin with its name, `SET_neighbours`.
    #[pyo3(
        signature = (most=None, *, index="edge_index", fields=None),
        text_signature = "($self, most=None, *, index='edge_index', fields=())"
    )]
    fn neighbours(
        slf: &Bound<'_, Self>,
        most: Option<Bound<'_, PyAny>>,
        index: &str,
        fields: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let (py, graphs, given) = (slf.py(), &slf.get().graphs, PyDict::new(slf.py()));
        let most: Option<u32> = most.map(|most| value_of("most", "a number of neighbours", &most)).transpose()?;
        let fields = fields.map(|fields| value_of("fields", "names of fields", &fields)).transpose()?;
        let fields: Vec<String> = fields.unwrap_or_default();
        given.set_item("most", most)?;
        given.set_item("index", index)?;
        given.set_item("fields", &fields)?;
        let matrix = NeighbourMatrix::of(index).most(most).fields(fields);
        let made = py.detach(|| graphs.neighbours(matrix)).map_err(|error| raise::<BuildError>(&error))?;
        Self::made(slf, made, "neighbours", Vec::new(), Some(&given))
    }

    /// The graphs with the rows of a set in the order of a column of its `index`, edges in that of their targets, and
    /// with all that points to them. Batches have `edge_index_ptr` `[nodes + 1]` (`INDEX_ptr`), where the edges into
    /// each node begin. Padding edges are in this order, too. `save` writes sorted graphs, of which workers only look
    /// whether they are; others are sorted in each epoch.
    #[pyo3(signature = (index="edge_index", column=1))]
    fn sorted_by(slf: &Bound<'_, Self>, index: &str, column: usize) -> PyResult<Self> {
        let (py, graphs) = (slf.py(), &slf.get().graphs);
        let sorted = graphs.sorted_by(index, column).map_err(|error| raise::<BuildError>(&error))?;
        let arguments = vec![PyString::new(py, index).into_any(), column.into_pyobject(py)?.into_any()];
        Self::made(slf, sorted, "sorted_by", arguments, None)
    }

    /// What was made of the graphs of an epoch, in the order of these data, which are those of the loader. `results`
    /// gives each batch with `[graphs, ...]`, with or without rows of padding graphs: tensors of PyTorch become a
    /// tensor, other arrays one of NumPy, lists a list. A graph without a result, as one that is skipped or of another
    /// rank, is an error, or gets `missing`.
    ///
    ///     >>> loader = gp.Loader(data, capacity=16, shuffle=True)
    ///     >>> labels = data.in_order((batch, batch.to_numpy()["y"]) for batch in loader)
    #[pyo3(signature = (results, *, missing=None))]
    fn in_order<'py>(
        &self,
        py: Python<'py>,
        results: &Bound<'py, PyAny>,
        missing: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (mut rows, parts, mut next) = (GraphResults::new(), PyList::empty(py), 0_i64);
        for pair in results.try_iter()? {
            let (batch, values): (Bound<'_, Batch>, Bound<'_, PyAny>) = pair?.extract()?;
            let (info, found) = (batch.get().info(), values.len()? as i64);
            rows.add(info, next..next + found).map_err(|error| raise::<BuildError>(&error))?;
            let real = info.real().graphs();
            parts.append(values.get_item(PySlice::new(py, 0, real as isize, 1))?)?;
            next += real as i64;
        }
        // Row -1 is that of graphs without a result.
        let rows = match missing {
            Some(_) => rows.in_order_or(&self.graphs, -1),
            None => rows.in_order(&self.graphs),
        };
        let rows = rows.map_err(|error| raise::<BuildError>(&error))?;
        py.import("graphpack_loader.frameworks")?.call_method1("rows_of", (parts, rows, missing))
    }

    /// A weight for each graph of a mix with which an epoch draws from each data set at a rate: `weights` of a loader.
    fn rates(&self, rates: Vec<f64>) -> PyResult<Vec<f64>> {
        let weights = self.graphs.rates(&rates).map_err(|error| raise::<BuildError>(&error))?;
        Ok(weights.weights().to_vec())
    }

    /// What networks are scaled by, in one pass over all graphs: `graphs`, their number; `neighbours`, by index the mean
    /// number of entries into a row, as edges into a node, over all rows; `fields`, by field of numbers `mean` and
    /// `variance` of each column (a number, or a list of several columns), `rms` of all columns, as of forces, and
    /// how many `values` count and are `missing`; `energies`, the energy of one node of each element by least squares;
    /// `undetermined`, elements whose energies do not follow from the data, since they come in fixed ratios: of the
    /// energies that fit equally well they get the smallest. `elements` names a field of one integer for each node, by
    /// default `z`, and `energy` one of a number for each graph, by default `energy`; without them `energies` is empty.
    #[pyo3(signature = (*, elements=None, energy=None))]
    fn statistics<'py>(
        &self,
        py: Python<'py>,
        elements: Option<&str>,
        energy: Option<&str>,
    ) -> PyResult<Bound<'py, PyDict>> {
        statistics(py, &self.graphs, elements, energy)
    }

    /// Writes a store that `open` reads in place: a file of safetensors, or a folder of files with `graphs_per_file`
    /// graphs each. What maps change is written as they change it in epoch 0 of seed 0, in the same way each time that a
    /// graph is there: to draw anew in each epoch, save the data and map what `open` reads.
    #[pyo3(signature = (path, *, graphs_per_file=None))]
    fn save(&self, py: Python<'_>, path: PathBuf, graphs_per_file: Option<usize>) -> PyResult<()> {
        py.detach(|| self.write(&path, graphs_per_file)).map_err(|error| of_file(&*error))
    }

    fn __len__(&self) -> usize {
        self.graphs.len()
    }

    /// Graph `graphs`, counted from the end if that is below 0, as a dictionary of NumPy arrays, whose indices count its
    /// own rows, and with what maps change in epoch 0 of seed 0; of a slice, a mask or a list of numbers the `subset`.
    fn __getitem__<'py>(slf: &Bound<'py, Self>, graphs: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, length) = (slf.py(), slf.get().graphs.len() as isize);
        if let Ok(slice) = graphs.cast::<PySlice>() {
            let chosen = slice.indices(length)?;
            let range = PyRange::new_with_step(py, chosen.start, chosen.stop, chosen.step)?;
            return Ok(Bound::new(py, Self::subset(slf, range.as_any())?)?.into_any());
        }
        if graphs.len().is_ok() {
            return Ok(Bound::new(py, Self::subset(slf, graphs)?)?.into_any());
        }
        let number: isize = value_of("graph", "a number, a slice, a mask or a list of numbers", graphs)?;
        let from_start = if number < 0 { number.saturating_add(length) } else { number };
        if !(0..length).contains(&from_start) {
            return Err(PyIndexError::new_err(format!("graph {number} of {length}, which are counted from 0")));
        }
        let one = Self::subset(slf, PyList::new(py, [from_start])?.as_any())?;
        py.import("graphpack_loader.frameworks")?.call_method1("graph_of", (one,))
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

    /// The fields by name: the set that each has rows for (or `"graph"`), its dtype and its number of elements
    /// per row.
    #[getter]
    fn fields<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        fields_of(py, self.graphs.schema())
    }

    /// The texts that the numbers of a field stand for, which `open` read as codes: `labels[code]`, in the order in which
    /// they come first. Of a mix they are those of the first data set, then what others have besides.
    fn labels(&self, field: &str) -> PyResult<Vec<String>> {
        let fields = || self.graphs.schema().fields().iter();
        let found = fields().find(|of| of.name == field && !of.labels.is_empty());
        found.map(|field| field.labels.to_vec()).ok_or_else(|| {
            let labelled = fields().filter(|field| !field.labels.is_empty()).map(|field| &field.name);
            let (expected, labelled) = ("expected a field of labels", labelled.collect::<Vec<_>>());
            BuildError::new_err(format!("{expected}, found {field:?}; of these data are {labelled:?}"))
        })
    }

    /// What padding rows hold of the fields in which they are not 0, by name: a number, `"positions"`, `"length"` or
    /// `"cell"`.
    #[getter]
    fn padding<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        padding_of(py, self.graphs.schema())
    }

    /// The indices by name: the set that each has rows for, and the sets that its columns point into.
    #[getter]
    fn indices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        indices_of(py, self.graphs.schema())
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.held.iter().try_for_each(|held| visit.call(held))?;
        self.recipe.iter().try_for_each(|recipe| visit.call(recipe))
    }

    /// What the collector clears are the functions and sources.
    fn __clear__(&self) {}

    /// Pickles as files and what was made of them, not as graphs, and as the fingerprint that states of loaders have.
    fn __reduce__(&self, py: Python<'_>) -> PyResult<(Py<PyAny>, (), u64)> {
        let expected = "graphs of files to pickle, found graphs in memory: data.save(path), then gp.open(path)";
        let recipe = self.recipe.as_ref().ok_or_else(|| PyTypeError::new_err(format!("expected {expected}")))?;
        Ok((recipe.clone_ref(py), (), self.graphs.fingerprint()))
    }

    fn __setstate__(&self, fingerprint: u64) -> PyResult<()> {
        if self.graphs.fingerprint() == fingerprint {
            return Ok(());
        }
        Err(ResumeError::new_err(format!("expected the data that were pickled, found other {}", self.__repr__())))
    }

    /// Itself, since nothing changes data.
    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __repr__(&self) -> String {
        let schema = self.graphs.schema();
        let row = |field: &Field| if field.row.is_empty() { String::new() } else { format!("{:?}", field.row) };
        let named = |field: &Field| format!("{} {}{}", field.name, field.dtype, row(field));
        let names: Vec<_> = schema.fields().iter().map(named).collect();
        let names = if names.is_empty() { String::new() } else { format!("; {}", names.join(", ")) };
        format!("Data({} graphs of {}{names})", self.graphs.len(), schema.sets().join(", "))
    }

    /// How many graphs have which size.
    fn _repr_svg_(&self, py: Python<'_>) -> Option<String> {
        of_sizes(py, &self.graphs, &self.__repr__())
    }
}
