//! [`OgbCsv`]: the raw files of the Open Graph Benchmark's graph property prediction data sets.

use crate::{CsvCells, CsvError, CsvTable, ReadError, gzip};
use graphpack_loader::{
    Column, Index, Level, Schema, Size, Slot, Source, SourceError, Store, StoreError, Subset, SubsetError,
};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A data set in OGB's raw layout, read as `ogb.io.read_graph_raw` reads it.
///
/// | file (each with or without `.gz`) | becomes |
/// |---|---|
/// | `raw/num-node-list.csv`, `raw/num-edge-list.csv` | sizes: one number per graph |
/// | `raw/edge.csv` | `edge_index`: two node numbers per line, counted within the graph |
/// | `raw/node-feat.csv` (may be missing) | `x`, int64 if all cells are integers, else float32 |
/// | `raw/edge-feat.csv` (may be missing) | `edge_attr`, likewise |
/// | `raw/graph-label.csv` (may be missing) | `y`, likewise; empty cells and `nan` are NaN |
/// | `split/*/{train,valid,test}.csv` | [`split`](Self::split) |
///
/// Bonds are stored once: each edge is followed by its inverse, with the same features
/// ([`Store::with_inverses`]), unless opened [`directed`](Self::open_directed).
///
/// As a source, this is all graphs; [`split`](Self::split) gives the graphs of one split.
///
/// ```no_run
/// use graphpack_formats::OgbCsv;
/// use graphpack_loader::Loader;
///
/// let data = OgbCsv::open("ogbg_molhiv")?;
/// let training = Loader::new(data.split("train")?).batch_graphs(128).shuffle(42).build()?;
/// let all = Loader::new(data).batch_graphs(128).build()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct OgbCsv {
    store: Arc<Store>,
    directory: PathBuf,
}

impl OgbCsv {
    /// Reads a data set of undirected graphs, adding inverse edges: all of OGB's but ogbg-code2.
    pub fn open(directory: impl AsRef<Path>) -> Result<Self, OgbError> {
        Self::read(directory.as_ref(), true)
    }

    /// Reads a data set of directed graphs: edges are taken as they are.
    pub fn open_directed(directory: impl AsRef<Path>) -> Result<Self, OgbError> {
        Self::read(directory.as_ref(), false)
    }

    /// All graphs.
    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// The graphs of a split, `train`, `valid` or `test`, from the only folder in `split/`.
    ///
    /// A data set with several kinds of split wants `kind/part`: `scaffold/train`.
    pub fn split(&self, name: &str) -> Result<Subset<Store>, OgbError> {
        let (path, graphs) = CsvTable::read_integers(&self.split_file(name)?, 1)?;
        let available = self.store.len();
        let number = |(line, &graph): (usize, &i64)| match u32::try_from(graph) {
            Ok(number) if (number as usize) < available => Ok(number),
            _ => Err(OgbError::Split { path: path.clone(), line: line + 1, graph, available }),
        };
        let graphs = graphs.iter().enumerate().map(number).collect::<Result<Vec<_>, _>>()?;
        Ok(Subset::new(self.store.clone(), graphs)?)
    }

    /// The file of a split, which may lack its `.gz`.
    fn split_file(&self, name: &str) -> Result<PathBuf, OgbError> {
        let split = self.directory.join("split");
        let (kind, part) = match name.split_once('/') {
            Some((kind, part)) if split.join(kind).is_dir() => (kind.to_owned(), part),
            Some((kind, _)) => {
                return Err(OgbError::NoSplit { found: kinds(&split)?, path: split, name: kind.to_owned() });
            }
            None => match <[String; 1]>::try_from(kinds(&split)?) {
                Ok([only]) => (only, name),
                Err(kinds) => {
                    let found = kinds.iter().map(|kind| format!("{kind}/{name}")).collect();
                    return Err(OgbError::Kinds { path: split, found });
                }
            },
        };
        let folder = split.join(kind);
        let file = folder.join(format!("{part}.csv.gz"));
        if !gzip::existing(&file).exists() {
            return Err(OgbError::NoSplit { found: parts(&folder)?, path: folder, name: part.to_owned() });
        }
        Ok(file)
    }

    fn read(directory: &Path, inverse: bool) -> Result<Self, OgbError> {
        if !directory.join("raw").is_dir() {
            return Err(OgbError::NoRaw { path: directory.to_owned() });
        }
        let file = |name: &str| directory.join("raw").join(format!("{name}.csv.gz"));
        let (nodes_path, node_ptr) = offsets(&file("num-node-list"))?;
        let (edges_path, edge_ptr) = offsets(&file("num-edge-list"))?;
        let graphs = node_ptr.len() - 1;
        if edge_ptr.len() - 1 != graphs {
            let (expected, found) = (graphs, edge_ptr.len() - 1);
            return Err(OgbError::Rows { path: edges_path, expected, counted: nodes_path, found });
        }
        let nodes = node_ptr[graphs] as usize;
        let edges = edge_ptr[graphs] as usize;

        let (edge_path, flat) = CsvTable::read_integers(&file("edge"), 2)?;
        if flat.len() / 2 != edges {
            let found = flat.len() / 2;
            return Err(OgbError::Rows { path: edge_path, expected: edges, counted: edges_path, found });
        }
        let edge_index = [0, 1].map(|column| flat.iter().skip(column).step_by(2).copied().collect());

        let optional = |name, field, level, expected, counted: &Path| -> Result<Option<Column>, OgbError> {
            let path = file(name);
            if !gzip::existing(&path).exists() {
                return Ok(None);
            }
            let table = CsvTable::read(&path)?;
            let found = table.rows();
            if found != expected {
                return Err(OgbError::Rows {
                    path: table.path().to_owned(),
                    expected,
                    counted: counted.to_owned(),
                    found,
                });
            }
            let width = table.width().max(1);
            Ok(Some(match table.into_cells() {
                CsvCells::Integers(cells) => Column::new(field, level, width, cells),
                CsvCells::Floats(cells) => Column::new(field, level, width, cells),
            }))
        };
        let columns = [
            optional("node-feat", "x", Level::NODE, nodes, &nodes_path)?,
            optional("edge-feat", "edge_attr", Level::EDGE, edges, &edges_path)?,
            optional("graph-label", "y", Level::Graph, graphs, &nodes_path)?,
        ];
        let columns = columns.into_iter().flatten().collect();
        let store = Store::new(node_ptr, edge_ptr, edge_index, columns).map_err(|error| match error {
            StoreError::Row { graph, place, row: node, rows: nodes, .. } => {
                OgbError::Node { path: edge_path, line: place + 1, graph, node, nodes }
            }
            other => OgbError::Store(other),
        })?;
        let store = if inverse { store.with_inverses(Index::EDGE_INDEX)? } else { store };
        Ok(Self { store: Arc::new(store), directory: directory.to_owned() })
    }
}

impl Source for OgbCsv {
    fn schema(&self) -> &Schema {
        self.store.schema()
    }

    fn len(&self) -> usize {
        self.store.len()
    }

    fn size(&self, graph: usize) -> Size {
        self.store.size(graph)
    }

    fn write(&self, graph: usize, slot: &mut Slot<'_>) -> Result<(), SourceError> {
        self.store.write(graph, slot)
    }

    fn will_write(&self, graph: usize) {
        self.store.will_write(graph);
    }

    fn fingerprint(&self) -> u64 {
        self.store.fingerprint()
    }
}

/// Running sums of the numbers in a file, starting with 0.
fn offsets(path: &Path) -> Result<(PathBuf, Vec<u64>), OgbError> {
    let (path, counts) = CsvTable::read_integers(path, 1)?;
    let mut sum = 0;
    let mut offsets = vec![0];
    for (line, &count) in counts.iter().enumerate() {
        let Ok(count) = u32::try_from(count) else { return Err(OgbError::Count { path, line: line + 1, count }) };
        sum += u64::from(count);
        offsets.push(sum);
    }
    Ok((path, offsets))
}

/// The kinds of split.
fn kinds(split: &Path) -> Result<Vec<String>, OgbError> {
    let mut kinds = names(split)?;
    kinds.retain(|name| split.join(name).is_dir());
    Ok(kinds)
}

/// The splits of a kind.
fn parts(kind: &Path) -> Result<Vec<String>, OgbError> {
    let names = names(kind)?;
    let parts = names.iter().filter_map(|name| name.strip_suffix(".gz").unwrap_or(name).strip_suffix(".csv"));
    Ok(parts.map(str::to_owned).collect())
}

/// What is in a folder, in alphabetical order.
fn names(folder: &Path) -> Result<Vec<String>, OgbError> {
    let entries = fs::read_dir(folder).map_err(|source| CsvError::from(ReadError::open(folder, source)))?;
    let names = entries.filter_map(Result::ok).map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<_> = names.collect();
    names.sort();
    Ok(names)
}

/// A data set in OGB's raw layout that cannot be read.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum OgbError {
    /// A file cannot be read, or has something else than numbers.
    #[error(transparent)]
    Csv(#[from] CsvError),
    /// Two files do not agree.
    #[error("{} has {found} rows, {} asks for {expected}", .path.display(), .counted.display())]
    Rows {
        /// The file with too few or too many rows.
        path: PathBuf,
        /// Rows expected.
        expected: usize,
        /// The file that says how many.
        counted: PathBuf,
        /// Rows found.
        found: usize,
    },
    /// A number of nodes or edges is negative or has more than 32 bits.
    #[error("{}, line {line}: {count} is not a number of nodes or edges that a graph can have", .path.display())]
    Count {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The number.
        count: i64,
    },
    /// An edge to a node that its graph does not have.
    #[error("{}, line {line}: node {node} in graph {graph}, which has {nodes} nodes", .path.display())]
    Node {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The graph.
        graph: usize,
        /// The node.
        node: i64,
        /// Nodes of the graph.
        nodes: u32,
    },
    /// A split names a graph that does not exist.
    #[error("{}, line {line}: graph {graph}, but the data set has {available} graphs", .path.display())]
    Split {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The graph.
        graph: i64,
        /// Graphs of the data set.
        available: usize,
    },
    /// The folder does not have OGB's raw layout.
    #[error("{} has no folder raw/: expected a data set in OGB's raw layout", .path.display())]
    NoRaw {
        /// The folder.
        path: PathBuf,
    },
    /// There is no such split, or no such kind of split.
    #[error(
        "{} has no split {name:?}, only {}", .path.display(),
        if .found.is_empty() { "none".into() } else { .found.join(", ") }
    )]
    NoSplit {
        /// The folder of splits or kinds.
        path: PathBuf,
        /// What was asked for.
        name: String,
        /// What is there.
        found: Vec<String>,
    },
    /// There are several kinds of split, or none.
    #[error(
        "{} has {}{}", .path.display(),
        if .found.is_empty() { "no folder of splits" } else { "several kinds: name one of " }, .found.join(", ")
    )]
    Kinds {
        /// The folder `split`.
        path: PathBuf,
        /// The split that was asked for in each kind.
        found: Vec<String>,
    },
    /// The columns do not belong together.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A split does not fit the data set.
    #[error(transparent)]
    Subset(#[from] SubsetError),
}

graphpack_core::debug_is_display!(OgbError);
