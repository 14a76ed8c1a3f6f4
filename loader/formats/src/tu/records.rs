//! [`TuRecords`]: the graphs of a data set.

use super::folder::Folder;
use super::labels::{Attributes, Labels, integers};
use crate::{FormatError, Record, Records, Values};
use graphpack_loader::Level;
use std::path::Path;

/// Source, target, and row in the file.
type Edge = (u32, u32, u32);

/// The graphs of a data set, in the order of their numbers. The data set is in memory.
pub struct TuRecords {
    name: String,
    /// Nodes before each graph, and those of all.
    nodes: Vec<usize>,
    /// Sorted; nodes are counted through all graphs.
    edges: Vec<Edge>,
    /// The next edge.
    edge: usize,
    node_labels: Option<Labels>,
    edge_labels: Option<Labels>,
    node_attributes: Option<Attributes>,
    edge_attributes: Option<Attributes>,
    y: Option<(Values, usize)>,
    /// Whether some targets are missing.
    lacks_y: bool,
    graph: usize,
    notes: Vec<String>,
}

/// Opens the data set in a zip or a folder.
pub fn records(path: impl AsRef<Path>) -> Result<TuRecords, FormatError> {
    let folder = &mut Folder::open(path.as_ref())?;
    let nodes = graph_ends(folder)?;
    let (all_nodes, graphs) = (nodes[nodes.len() - 1], nodes.len() - 1);
    let (edges, rows) = edges(folder, &nodes)?;
    let attributes = Attributes::read(folder, "graph_attributes", graphs)?;
    let labels = integers(folder, "graph_labels", Some(graphs))?;
    let mut notes = Vec::new();
    if attributes.is_some() && labels.is_some() {
        notes.push("graph_labels: left out, graph_attributes are the targets".into());
    }
    let y = match (attributes, labels) {
        (Some(attributes), _) => Some((Values::F64(attributes.cells), attributes.width)),
        (None, Some((mut cells, width))) => {
            let mut all = cells.clone();
            all.sort_unstable();
            all.dedup();
            cells.iter_mut().for_each(|cell| *cell = all.partition_point(|label| label < cell) as i64);
            Some((Values::I64(cells), width))
        }
        (None, None) => None,
    };
    notes.extend(folder.others()?.into_iter().map(|name| format!("{name}: left out")));
    let lacks_y = matches!(&y, Some((Values::F64(numbers), _)) if numbers.iter().any(|number| number.is_nan()));
    Ok(TuRecords {
        lacks_y,
        name: path.as_ref().file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        edge: 0,
        node_labels: Labels::read(folder, "node_labels", all_nodes)?,
        edge_labels: Labels::read(folder, "edge_labels", rows)?,
        node_attributes: Attributes::read(folder, "node_attributes", all_nodes)?,
        edge_attributes: Attributes::read(folder, "edge_attributes", rows)?,
        y,
        graph: 0,
        nodes,
        edges,
        notes,
    })
}

impl Records for TuRecords {
    fn next(&mut self, record: &mut Record) -> Result<bool, FormatError> {
        record.clear();
        let graph = self.graph;
        let Some(&[first, end]) = self.nodes.get(graph..graph + 2) else { return Ok(false) };
        self.graph += 1;
        record.name = format!("{}/{graph}", self.name);
        record.nodes = end - first;
        if let Some(labels) = &self.node_labels {
            let width = labels.classes();
            let mut x = labels.zeros(graph, end - first)?;
            x.chunks_exact_mut(width).zip(first..end).for_each(|(row, node)| labels.add(node, row));
            record.push("x", Level::NODE, width, Values::F64(x));
        }
        if let Some(Attributes { cells, width }) = &self.node_attributes {
            let values = cells[first * width..end * width].to_vec();
            record.push("node_attributes", Level::NODE, *width, Values::F64(values));
        }
        self.edges_of(graph, first, end, record)?;
        if let Some((values, width)) = &self.y {
            let mut values = values.slice(graph * width..(graph + 1) * width);
            if self.lacks_y {
                let mut has = vec![true; *width];
                if let Values::F64(numbers) = &mut values {
                    has = numbers.iter().map(|number| !number.is_nan()).collect();
                    numbers.iter_mut().filter(|number| number.is_nan()).for_each(|number| *number = 0.0);
                }
                record.push("has_y", Level::Graph, *width, Values::Bool(has));
            }
            record.push("y", Level::Graph, *width, values);
        }
        Ok(true)
    }

    fn progress(&self) -> (u64, Option<u64>) {
        (self.graph as u64, Some(self.nodes.len() as u64 - 1))
    }

    fn skipped(&self) -> &[String] {
        &self.notes
    }
}

impl TuRecords {
    /// Adds the edges of a graph with the nodes `first` to `end`, which are next.
    fn edges_of(&mut self, graph: usize, first: usize, end: usize, record: &mut Record) -> Result<(), FormatError> {
        let edges = &self.edges[self.edge..];
        let edges = &edges[..edges.partition_point(|edge| (edge.0 as usize) < end)];
        self.edge += edges.len();
        let classes = self.edge_labels.as_ref().map_or(0, Labels::classes);
        let width = self.edge_attributes.as_ref().map_or(0, |attributes| attributes.width);
        let [mut sources, mut targets] = [Vec::new(), Vec::new()];
        let mut one_hot = self.edge_labels.as_ref().map_or(Ok(vec![]), |labels| labels.zeros(graph, edges.len()))?;
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
            if let Some(Attributes { cells, .. }) = &self.edge_attributes {
                let at = attributes.len() - width;
                let added = &cells[row * width..(row + 1) * width];
                attributes[at..].iter_mut().zip(added).for_each(|(sum, number)| *sum += number);
            }
        }
        // An edge that the file has twice is one.
        one_hot.truncate(sources.len() * classes);
        record.edges = Some([sources, targets]);
        if self.edge_labels.is_some() {
            record.push("edge_attr", Level::EDGE, classes, Values::F64(one_hot));
        }
        if self.edge_attributes.is_some() {
            record.push("edge_attributes", Level::EDGE, width, Values::F64(attributes));
        }
        Ok(())
    }
}

/// Nodes before each graph, and those of all, by the file that has a graph's number, from 1, for each node.
fn graph_ends(folder: &mut Folder) -> Result<Vec<usize>, FormatError> {
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

/// The edges, sorted, without loops, and the number of rows that the file has.
fn edges(folder: &mut Folder, nodes: &[usize]) -> Result<(Vec<Edge>, usize), FormatError> {
    let path = folder.path("A");
    let mut file = folder.rows("A")?.ok_or_else(|| FormatError::wrong(&path, "", "edges", "no such file"))?;
    let all = nodes[nodes.len() - 1];
    let (mut edges, mut rows) = (Vec::new(), 0_u32);
    while file.advance()? {
        file.expect_width(2)?;
        let node = |column| match file.integer(column)? {
            node if node >= 1 && node as u64 <= all.min(u32::MAX as usize) as u64 => Ok(node as u32 - 1),
            node => {
                let (place, expected) = (format!("line {}", file.line()), format!("nodes from 1 to {all}"));
                Err(FormatError::wrong(&path, place, expected, node.to_string()))
            }
        };
        let (source, target) = (node(0)?, node(1)?);
        let graph = |node: u32| nodes.partition_point(|&end| end <= node as usize);
        if graph(source) != graph(target) {
            let found =
                format!("nodes {} and {} of graphs {} and {}", source + 1, target + 1, graph(source), graph(target));
            return Err(FormatError::wrong(&path, format!("line {}", file.line()), "an edge within a graph", found));
        }
        if source != target {
            edges.push((source, target, rows));
        }
        rows = rows.checked_add(1).ok_or_else(|| FormatError::wrong(&path, "", "at most 2^32 edges", "more"))?;
    }
    edges.sort_unstable();
    Ok((edges, rows as usize))
}
