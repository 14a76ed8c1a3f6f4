//! Data sets of the Open Graph Benchmark's graph property prediction in their raw layout, read as
//! `ogb.io.read_graph_raw` reads them.
//!
//! | file (each with or without `.gz`) | becomes |
//! |---|---|
//! | `raw/num-node-list.csv`, `raw/num-edge-list.csv` | sizes: one number per graph |
//! | `raw/edge.csv` | `edge_index`: two node numbers per line, counted within the graph |
//! | `raw/node-feat.csv` (may be missing) | `x`, int64 if all cells are integers, else float32 |
//! | `raw/edge-feat.csv` (may be missing) | `edge_attr`, likewise |
//! | `raw/node_NAME.csv`, `raw/edge_NAME.csv` (may be missing) | `node_NAME`, `edge_NAME`, likewise (ogbg-code2) |
//! | `raw/graph-label.csv` (may be missing) | `y`, likewise; an empty cell or `nan` is a label that is missing |
//! | `split/*/{train,valid,test}.csv` | [`OgbCsv::split`], [`ReadOptions::split`](crate::ReadOptions::split) |
//!
//! Bonds are stored once: each edge is followed by its inverse, with the same features. Only ogbg-code2 is directed,
//! known by its file `node_dfs_order`.
//!
//! **Texts as labels** (ogbg-code2's names of functions, subtokens with blanks between them) become what OGB's example
//! trains on: `y` of 5 integers, the places of the first 5 subtokens in the vocabulary. It has the 5,000 subtokens that
//! are most frequent in the training split, or in all graphs if there is none; 5000 is any other subtoken, 5001 the
//! end. [`OgbRecords::vocabulary`] has the subtokens. One difference is left: pandas, with which OGB reads labels,
//! takes a function named `null`, `None` or `NA` for a missing name and OGB calls it `nan`; here it keeps its name.
//!
//! `labels` has numbers or texts, splits, and a csv file read by the rows of a graph.

mod labels;

use crate::FormatError;
use crate::common::{CsvRows, Record, Records, Values};
use crate::gather::{Fields, Gather};
use graphpack_loader::{Data, Error, Level, Store};
use labels::{Labels, Table};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The graphs of a data set, of which one is in memory.
pub struct OgbRecords {
    /// Nodes and edges of each graph.
    sizes: [Vec<u32>; 2],
    edges: Table,
    fields: Vec<(String, Level, Table)>,
    labels: Labels,
    directed: bool,
    nan: bool,
    graph: usize,
    notes: Vec<String>,
    /// Whether all rows of a graph were read, so that another follows.
    is_at_end: bool,
}

/// Opens a data set, see [this module](crate::ogb). Where labels are missing, `y` is 0 and `has_y` says which are
/// there.
pub fn records(directory: impl AsRef<Path>) -> Result<OgbRecords, Error> {
    OgbRecords::open(directory.as_ref(), false, false)
}

impl OgbRecords {
    /// Opens a data set. With `nan`, labels that are missing are NaN.
    pub(super) fn open(directory: &Path, directed: bool, nan: bool) -> Result<Self, Error> {
        let raw = directory.join("raw");
        if !raw.is_dir() {
            return Err(FormatError::wrong(directory, "", "a data set in OGB's raw layout", "no folder raw/"));
        }
        let file = |name: &str| raw.join(format!("{name}.csv.gz"));
        let (nodes_path, nodes) = counts(&file("num-node-list"))?;
        let (edges_path, edges) = counts(&file("num-edge-list"))?;
        if nodes.len() != edges.len() {
            let expected = format!("{} rows, as {} has", nodes.len(), nodes_path.display());
            return Err(FormatError::wrong(edges_path, "", expected, edges.len().to_string()));
        }
        let missing = || FormatError::wrong(file("edge"), "", "the edges", "no such file");
        let mut fields = Vec::new();
        let mut open = |name: &str, field: &str, level| -> Result<(), Error> {
            fields.extend(Table::open(&file(name))?.map(|table| (field.to_owned(), level, table)));
            Ok(())
        };
        open("node-feat", "x", Level::NODE)?;
        open("edge-feat", "edge_attr", Level::EDGE)?;
        let mut names: Vec<_> = labels::file_names(&raw)?;
        names.iter_mut().for_each(|name| *name = name.trim_end_matches(".gz").to_owned());
        names.dedup();
        let names: Vec<&str> = names.iter().filter_map(|name| name.strip_suffix(".csv")).collect();
        for name in &names {
            if name.starts_with("node_") {
                open(name, name, Level::NODE)?;
            } else if name.starts_with("edge_") {
                open(name, name, Level::EDGE)?;
            }
        }
        let mut notes = Vec::new();
        let known = ["num-node-list", "num-edge-list", "edge", "node-feat", "edge-feat", "graph-label"];
        let is_read = |name: &str| known.contains(&name) || name.starts_with("node_") || name.starts_with("edge_");
        notes.extend(names.iter().filter(|name| !is_read(name)).map(|name| format!("raw/{name}.csv: left out")));
        Ok(Self {
            labels: Labels::open(directory, nodes.len(), &mut notes)?,
            sizes: [nodes, edges],
            edges: Table::open(&file("edge"))?.ok_or_else(missing)?,
            directed: directed || names.contains(&"node_dfs_order"),
            fields,
            nan,
            graph: 0,
            notes,
            is_at_end: false,
        })
    }

    /// The subtokens by their places, where labels are texts; else empty.
    pub fn vocabulary(&self) -> &[String] {
        if let Labels::Texts { vocabulary, .. } = &self.labels { vocabulary } else { &[] }
    }
}

impl Records for OgbRecords {
    fn next(&mut self, record: &mut Record) -> Result<bool, Error> {
        record.clear();
        self.is_at_end = false;
        let graph = self.graph;
        let [Some(&nodes), Some(&edges)] = [0, 1].map(|set| self.sizes[set].get(graph)) else {
            self.edges.end()?;
            self.fields.iter_mut().try_for_each(|(_, _, table)| table.end())?;
            self.labels.end()?;
            return Ok(false);
        };
        self.graph += 1;
        let (nodes, edges) = (nodes as usize, edges as usize);
        record.name = graph.to_string();
        record.nodes = nodes;
        let stored = self.edges.edges(edges, graph, nodes)?;
        let of_level = |level| if level == Level::NODE { nodes } else { edges };
        let tables = self.fields.iter_mut().map(|(_, level, table)| table.take(of_level(*level), CsvRows::finite));
        let tables = tables.collect::<Result<Vec<_>, _>>()?;
        let mut label = Record::default();
        let labelled = self.labels.push(&mut label, self.nan)?;
        self.is_at_end = true;
        let stored = stored?;
        record.edges = Some([0, 1].map(|end| {
            let of_edge =
                |edge: &[i64; 2]| if self.directed { vec![edge[end]] } else { vec![edge[end], edge[1 - end]] };
            stored.iter().flat_map(of_edge).collect()
        }));
        for ((name, level, _), table) in self.fields.iter().zip(tables) {
            let (mut values, width) = table?;
            if *level == Level::EDGE && !self.directed {
                values = match values {
                    Values::F64(numbers) => Values::F64(twice(&numbers, width)),
                    Values::I64(numbers) => Values::I64(twice(&numbers, width)),
                    Values::Bool(numbers) => Values::Bool(twice(&numbers, width)),
                };
            }
            record.push(name.clone(), *level, width, values);
            record.shape_last(&[width]);
        }
        labelled?;
        record.fields.append(&mut label.fields);
        Ok(true)
    }

    fn progress(&self) -> (u64, Option<u64>) {
        (self.graph as u64, Some(self.sizes[0].len() as u64))
    }

    fn skipped(&self) -> &[String] {
        &self.notes
    }

    fn goes_on(&self) -> bool {
        self.is_at_end
    }
}

/// Returns the numbers of the graphs of a split.
pub(crate) fn graphs_of_split(directory: &Path, name: &str) -> Result<Vec<u32>, Error> {
    let (_, nodes) = counts(&directory.join("raw/num-node-list.csv.gz"))?;
    labels::graphs_of_split(directory, name, nodes.len())
}

/// Each row twice, one after the other.
fn twice<T: Copy>(numbers: &[T], width: usize) -> Vec<T> {
    numbers.chunks_exact(width).flat_map(|row| [row, row]).flatten().copied().collect()
}

/// Numbers of nodes or edges.
fn counts(path: &Path) -> Result<(PathBuf, Vec<u32>), Error> {
    let (path, counts) = CsvRows::read_integers(path, 1)?;
    let count = |(line, &count): (usize, &i64)| {
        let wrong = |_| {
            let expected = "a number of nodes or edges that a graph can have";
            FormatError::wrong(&path, format!("line {}", line + 1), expected, count.to_string())
        };
        u32::try_from(count).map_err(wrong)
    };
    let counts = counts.iter().enumerate().map(count).collect::<Result<_, _>>()?;
    Ok((path, counts))
}

/// A data set in OGB's raw layout, see [`ogb`](crate::ogb). Labels that are missing are NaN, which masked losses leave
/// out.
///
/// ```no_run
/// use graphpack_formats::OgbCsv;
/// use graphpack_loader::{Loader, Options, Order};
///
/// let data = OgbCsv::open("ogbg_molhiv")?;
/// let training = Loader::new(data.split("train")?, Options::graphs(128).order(Order::Shuffled).seed(42))?;
/// let all = Loader::new(data.store().clone(), Options::graphs(128))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct OgbCsv {
    store: Arc<Store>,
    directory: PathBuf,
    vocabulary: Vec<String>,
    skipped: Vec<String>,
}

impl OgbCsv {
    /// Reads a data set. Inverse edges are added, unless it is ogbg-code2.
    pub fn open(directory: impl AsRef<Path>) -> Result<Self, Error> {
        Self::read(directory.as_ref(), false)
    }

    /// Reads a data set of directed graphs: edges are taken as they are.
    pub fn open_directed(directory: impl AsRef<Path>) -> Result<Self, Error> {
        Self::read(directory.as_ref(), true)
    }

    /// The subtokens by their places in `y`, where labels are texts; else empty.
    pub fn vocabulary(&self) -> &[String] {
        &self.vocabulary
    }

    /// What was left out and why, one line each.
    pub fn skipped(&self) -> &[String] {
        &self.skipped
    }

    /// All graphs.
    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// The graphs of a split, `train`, `valid` or `test`, from the only folder in `split/`.
    ///
    /// A data set with several kinds of split wants `kind/part`: `scaffold/train`. Graphs are in the order of the split's
    /// file, as [`DataFile`](crate::DataFile) has them; [`Pieces`](crate::Pieces) have them in the order of the data set.
    /// Both have masks in place of NaN.
    pub fn split(&self, name: &str) -> Result<Data, Error> {
        let graphs = self.split_graphs(name)?;
        let split = Data::from(self.store.clone()).subset(graphs);
        split.map_err(|error| FormatError::wrong(&self.directory, "split", "graphs of the data set", error.to_string()))
    }

    /// Returns the numbers of the graphs of a split, which is named as for [`split`](Self::split).
    pub fn split_graphs(&self, name: &str) -> Result<Vec<u32>, Error> {
        labels::graphs_of_split(&self.directory, name, self.store.len())
    }

    fn read(directory: &Path, directed: bool) -> Result<Self, Error> {
        let mut records = OgbRecords::open(directory, directed, true)?;
        let gather = Gather::new(directory, Fields::default()).keeping_nan(true);
        let (mut gather, mut record) = (gather, Record::default());
        while records.next(&mut record)? {
            gather.push(&record)?;
        }
        let (store, vocabulary) = (Arc::new(gather.take()?), records.vocabulary().to_vec());
        let skipped = records.skipped().to_vec();
        Ok(Self { store, directory: directory.to_owned(), vocabulary, skipped })
    }
}
