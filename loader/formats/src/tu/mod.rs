//! Data sets of TU Dortmund's collection, a zip or a folder, as PyTorch Geometric's `TUDataset` gives them.
//!
//! | file | becomes |
//! |---|---|
//! | `DS_A.txt`, `DS_graph_indicator.txt` | nodes and edges, sorted by source and target, without loops |
//! | `DS_node_labels.txt` | `x`: one-hot, a block for each column |
//! | `DS_edge_labels.txt` | `edge_attr`, likewise |
//! | `DS_graph_attributes.txt`, else `DS_graph_labels.txt` | `y`: numbers, else the place among all labels |
//! | `DS_node_attributes.txt` | `node_attributes` |
//! | `DS_edge_attributes.txt` | `edge_attributes` |
//!
//! PyG leaves attributes out by default, and puts them in front of the columns of `x` and `edge_attr` with
//! `use_node_attr=True`. Here they are fields of their own. Of a doubled edge the attributes and one-hot labels are
//! added up, as PyG's `coalesce` does.
//!
//! `files` has the files of a data set, in a zip or a folder, with numbers by rows.

mod files;

use crate::FormatError;
use crate::common::{Record, Records, Values};
use files::{Folder, Labels, Rows, features, integers, numbers};
use graphpack_loader::{Error, Level};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

/// Source, target, and row in the file.
type Edge = (u32, u32, u32);

/// The graphs of a data set, in the order of their numbers. The data set is in memory.
pub struct TuRecords {
    name: String,
    /// Nodes before each graph, and those of all.
    nodes: Vec<usize>,
    /// Sorted, with loops; nodes are counted through all graphs.
    edges: Vec<Edge>,
    /// Graphs with an edge that cannot be read, and why not.
    bad: BTreeMap<usize, Error>,
    /// The next edge.
    edge: usize,
    node_labels: Option<Labels>,
    edge_labels: Option<Labels>,
    node_attributes: Option<Rows<f64>>,
    edge_attributes: Option<Rows<f64>>,
    y: Option<Targets>,
    /// Whether some targets are missing.
    lacks_y: bool,
    graph: usize,
    notes: Vec<String>,
}

/// Targets by graphs.
enum Targets {
    Numbers(Rows<f64>),
    Labels(Rows<i64>),
}

/// Opens the data set in a zip or a folder.
pub fn records(path: impl AsRef<Path>) -> Result<TuRecords, Error> {
    let folder = &mut Folder::open(path.as_ref())?;
    let nodes = graph_ends(folder)?;
    let (all_nodes, graphs) = (nodes[nodes.len() - 1], nodes.len() - 1);
    let Edges { edges, bad, rows } = edges(folder, &nodes)?;
    let attributes = numbers(folder, "graph_attributes", graphs)?;
    let labels = integers(folder, "graph_labels", graphs)?;
    let mut notes = Vec::new();
    if attributes.is_some() && labels.is_some() {
        notes.push("graph_labels: left out, graph_attributes are the targets".into());
    }
    let places = |labels: Rows<i64>| {
        let mut all: Vec<i64> = labels.good().flatten().copied().collect();
        all.sort_unstable();
        all.dedup();
        labels.map(|(_, cell)| all.partition_point(|label| *label < cell) as i64)
    };
    let y = attributes.map(Targets::Numbers).or_else(|| labels.map(places).map(Targets::Labels));
    notes.extend(folder.others()?.into_iter().map(|name| format!("{name}: left out")));
    let lacks_y = matches!(&y, Some(Targets::Numbers(rows)) if rows.cells.iter().any(|number| number.is_nan()));
    Ok(TuRecords {
        lacks_y,
        name: path.as_ref().file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        edge: 0,
        node_labels: Labels::read(folder, "node_labels", all_nodes)?,
        edge_labels: Labels::read(folder, "edge_labels", rows)?,
        node_attributes: features(folder, "node_attributes", all_nodes)?,
        edge_attributes: features(folder, "edge_attributes", rows)?,
        y,
        graph: 0,
        nodes,
        edges,
        bad,
        notes,
    })
}

impl Records for TuRecords {
    fn next(&mut self, record: &mut Record) -> Result<bool, Error> {
        record.clear();
        let graph = self.graph;
        let Some(&[first, end]) = self.nodes.get(graph..graph + 2) else { return Ok(false) };
        self.graph += 1;
        record.name = format!("{}/{graph}", self.name);
        record.nodes = end - first;
        let edges = &self.edges[self.edge..];
        let edges = self.edge..self.edge + edges.partition_point(|edge| (edge.0 as usize) < end);
        self.edge = edges.end;
        self.expect(graph, first..end, edges.clone())?;
        if let Some(labels) = &self.node_labels {
            let width = labels.classes();
            let mut x = labels.zeros(graph, end - first)?;
            x.chunks_exact_mut(width).zip(first..end).for_each(|(row, node)| labels.add(node, row));
            record.push("x", Level::NODE, width, Values::F64(x));
            record.shape_last(&[width]);
        }
        if let Some(Rows { cells, width, .. }) = &self.node_attributes {
            let values = cells[first * width..end * width].to_vec();
            record.push("node_attributes", Level::NODE, *width, Values::F64(values));
            record.shape_last(&[*width]);
        }
        self.edges_of(graph, first, edges, record)?;
        let (mut values, width) = match &self.y {
            Some(Targets::Numbers(rows)) => (Values::F64(rows.row(graph).to_vec()), rows.width),
            Some(Targets::Labels(rows)) => (Values::I64(rows.row(graph).to_vec()), rows.width),
            None => return Ok(true),
        };
        if self.lacks_y {
            record.push("has_y", Level::Graph, width, Values::Bool(values.mask_nan()));
        }
        record.push("y", Level::Graph, width, values);
        Ok(true)
    }

    fn progress(&self) -> (u64, Option<u64>) {
        (self.graph as u64, Some(self.nodes.len() as u64 - 1))
    }

    fn skipped(&self) -> &[String] {
        &self.notes
    }

    /// Which rows are of which graph is known.
    fn goes_on(&self) -> bool {
        true
    }
}

impl TuRecords {
    /// Errors if something of a graph cannot be read.
    fn expect(&mut self, graph: usize, nodes: Range<usize>, edges: Range<usize>) -> Result<(), Error> {
        self.bad.remove(&graph).map_or(Ok(()), Err)?;
        self.node_labels.as_mut().map_or(Ok(()), |labels| labels.expect(nodes.clone()))?;
        self.node_attributes.as_mut().map_or(Ok(()), |rows| rows.expect(nodes))?;
        for row in self.edges[edges].iter().map(|&(.., row)| row as usize) {
            self.edge_labels.as_mut().map_or(Ok(()), |labels| labels.expect(row..row + 1))?;
            self.edge_attributes.as_mut().map_or(Ok(()), |rows| rows.expect(row..row + 1))?;
        }
        match &mut self.y {
            Some(Targets::Numbers(rows)) => rows.expect(graph..graph + 1),
            Some(Targets::Labels(rows)) => rows.expect(graph..graph + 1),
            None => Ok(()),
        }
    }

    /// Adds the edges of a graph, whose nodes begin with `first`, without loops.
    fn edges_of(&self, graph: usize, first: usize, edges: Range<usize>, record: &mut Record) -> Result<(), Error> {
        let edges = self.edges[edges].iter().filter(|(source, target, _)| source != target);
        let classes = self.edge_labels.as_ref().map_or(0, Labels::classes);
        let width = self.edge_attributes.as_ref().map_or(0, |attributes| attributes.width);
        let [mut sources, mut targets] = [Vec::new(), Vec::new()];
        let mut one_hot =
            self.edge_labels.as_ref().map_or(Ok(vec![]), |labels| labels.zeros(graph, edges.clone().count()))?;
        let mut attributes = Vec::new();
        let mut last = None;
        for &(source, target, row) in edges {
            if last != Some((source, target)) {
                last = Some((source, target));
                sources.push(i64::from(source) - first as i64);
                targets.push(i64::from(target) - first as i64);
                attributes.resize(attributes.len() + width, 0.0);
            }
            let row = row as usize;
            if let Some(labels) = &self.edge_labels {
                let at = (sources.len() - 1) * classes;
                labels.add(row, &mut one_hot[at..at + classes]);
            }
            if let Some(rows) = &self.edge_attributes {
                let at = attributes.len() - width;
                attributes[at..].iter_mut().zip(rows.row(row)).for_each(|(sum, number)| *sum += number);
            }
        }
        // An edge that the file has twice is one.
        one_hot.truncate(sources.len() * classes);
        record.edges = Some([sources, targets]);
        if self.edge_labels.is_some() {
            record.push("edge_attr", Level::EDGE, classes, Values::F64(one_hot));
            record.shape_last(&[classes]);
        }
        if self.edge_attributes.is_some() {
            record.push("edge_attributes", Level::EDGE, width, Values::F64(attributes));
            record.shape_last(&[width]);
        }
        Ok(())
    }
}

/// Nodes before each graph, and those of all, by the file that has a graph's number, from 1, for each node.
fn graph_ends(folder: &mut Folder) -> Result<Vec<usize>, Error> {
    let path = folder.path("graph_indicator");
    let missing = || FormatError::wrong(&path, "", "the graph of each node", "no such file");
    let mut file = folder.rows("graph_indicator")?.ok_or_else(missing)?;
    let (mut ends, mut nodes) = (vec![0], 0);
    while file.advance()? {
        file.expect_width(1)?;
        nodes += 1;
        let (graph, last) = (file.integer(0)?, ends.len() - 1);
        if graph == last as i64 + 1 {
            ends.push(nodes);
        } else if graph == last as i64 && graph > 0 {
            ends[last] = nodes;
        } else {
            let expected = if last == 0 { "graph 1".into() } else { format!("graph {last} or {}", last + 1) };
            return Err(FormatError::wrong(path, format!("line {}", file.line()), expected, graph.to_string()));
        }
    }
    Ok(ends)
}

/// What the file of edges has.
struct Edges {
    edges: Vec<Edge>,
    bad: BTreeMap<usize, Error>,
    rows: usize,
}

/// The edges, sorted, with loops. Errors at one of which neither end says which graph it is of.
fn edges(folder: &mut Folder, nodes: &[usize]) -> Result<Edges, Error> {
    let path = folder.path("A");
    let mut file = folder.rows("A")?.ok_or_else(|| FormatError::wrong(&path, "", "edges", "no such file"))?;
    let all = nodes[nodes.len() - 1];
    let (mut edges, mut bad, mut rows) = (Vec::new(), BTreeMap::new(), 0_u32);
    while file.advance()? {
        let place = || format!("line {}", file.line());
        let node = |column| match file.integer(column)? {
            node if node >= 1 && node as u64 <= all.min(u32::MAX as usize) as u64 => Ok(node as u32 - 1),
            node => Err(FormatError::wrong(&path, place(), format!("nodes from 1 to {all}"), node.to_string())),
        };
        let graph = |node: u32| nodes.partition_point(|&end| end <= node as usize);
        let edge = || {
            file.expect_width(2)?;
            let (source, target) = (node(0)?, node(1)?);
            let (one, other) = (graph(source), graph(target));
            if one != other {
                let found = format!("nodes {} and {} of graphs {one} and {other}", source + 1, target + 1);
                return Err(FormatError::wrong(&path, place(), "an edge within a graph", found));
            }
            Ok((source, target, rows))
        };
        match edge() {
            Ok(edge) => edges.push(edge),
            Err(error) => {
                let graphs: Vec<usize> = [node(0), node(1)].into_iter().flatten().map(graph).collect();
                if graphs.is_empty() {
                    return Err(error);
                }
                // Wrong are all graphs that it may be of, which are counted from 1 there.
                for graph in graphs {
                    if let Err(error) = edge() {
                        bad.entry(graph - 1).or_insert(error);
                    }
                }
            }
        }
        rows = rows.checked_add(1).ok_or_else(|| FormatError::wrong(&path, "", "at most 2^32 edges", "more"))?;
    }
    edges.sort_unstable();
    Ok(Edges { edges, bad, rows: rows as usize })
}
