//! [`Verify`]: compares a partition with the graph that it was cut from.

use super::columns::{Column, Files, differs, same};
use super::loaded::Loaded;
use super::places::{self, Order};
use crate::assign::Assignment;
use crate::chunked::{ChunkedEdges, ChunkedFeature, ChunkedGraph, ChunkedNodes};
use crate::dgl::PartReader;
use crate::dispatch::NewIds;
use crate::problem::problem_in;
use graphpack_loader::{Error, ErrorKind};
use std::collections::HashMap;
use std::fs;
use std::ops::Range;
use std::path::Path;

/// Compares every node, edge, feature and owner of a partition with the graph that it was cut from, in the order that
/// the original ids beside the parts say: `orig_nids.dgl` and `orig_eids.dgl`, or `node_map.npy` and `edge_map.npy` (of
/// several types, a file each in `node_map` and `edge_map`). Nodes or edges without them must be in their original
/// order within a part and a type, as [`Cut`](crate::Cut) and [`Dispatch`](crate::Dispatch) write them; DGL has other
/// orders.
///
/// It keeps 6 bytes per node in memory, 4 per edge where parts have edges in another order than the graph, and a group of
/// parts, without features, that fits into [`memory`](Verify::memory). For each group it reads features once, and edges
/// once, and once more for each of `orig_eids.dgl`, the maps of edges and the features of edges that there is.
#[derive(Clone, Debug)]
pub struct Verify {
    memory: usize,
}

/// What was compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verified {
    /// Number of nodes of all types.
    pub nodes: usize,
    /// Number of edges of all types.
    pub edges: usize,
    /// Number of rows of features.
    pub rows: usize,
    /// Number of original ids beside the parts, of nodes and edges.
    pub original_ids: usize,
    /// Number of edges between parts that only the part of their target has: none, or all edges between parts, as DGL's
    /// dispatch leaves them. Out-degrees of DGL, and samples along edges out of nodes, are too low then.
    pub targets_only: usize,
}

/// Number of bytes of edges and features read at a time.
const BLOCK: usize = 1 << 20;
/// The largest number of parts in a group: each has two files open.
const MOST_PARTS: usize = 256;

/// A partition that is being compared, and the ids that its nodes must have.
struct Comparing<'a> {
    files: Files<'a>,
    ids: NewIds<'a>,
    /// `[type][part]`, if there are original ids of edges.
    orders: Option<Vec<Vec<Order>>>,
    /// A part that tells whether parts have edges from their nodes to other parts, and whether they do.
    outward: Option<(usize, bool)>,
    done: Verified,
}

impl Verify {
    /// Default options: 1 GiB.
    pub fn new() -> Self {
        Self { memory: 1 << 30 }
    }

    /// Approximate number of bytes of parts in memory, with their HALO (default: 1 GiB); a part that needs more is read
    /// alone.
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Self {
        self.memory = bytes;
        self
    }

    /// Compares all of a partition, given its JSON file, in which the graph must have its own name or that of the file.
    /// Types may have another order there. Without an assignment, the part of each node is taken from the original ids
    /// beside the parts, which must be there then.
    pub fn run(
        &self,
        graph: &ChunkedGraph,
        config: impl AsRef<Path>,
        assignment: Option<&Assignment>,
    ) -> Result<Verified, Error> {
        let path = config.as_ref();
        let parts = PartReader::open(path)?;
        let book = parts.config.book.clone();
        let (name, of_file) = (&parts.config.graph_name, path.file_stem().unwrap_or_default());
        if name != graph.name() && name.as_str() != of_file {
            return Err(differs(path, "graph_name", &format!("{:?}", graph.name()), &format!("{name:?}")));
        }
        if let Some(assignment) = assignment {
            assignment.check_types(graph.node_types().iter().map(|kind| (kind.name(), kind.nodes())))?;
            same(path, "num_parts", &assignment.parts(), &book.parts())?;
        }
        let sorted = graph.sorted_as(&book);
        let sorted_assignment = match (&sorted, assignment) {
            (Some(sorted), Some(assignment)) => {
                let types = graph.node_types().iter().map(ChunkedNodes::name).zip(assignment.owners());
                let owners: HashMap<_, _> = types.collect();
                let owners = sorted.node_types().iter().map(|kind| owners[kind.name()].clone());
                Some(Assignment::new(book.parts(), owners.collect())?)
            }
            _ => None,
        };
        let (graph, assignment) = (sorted.as_ref().unwrap_or(graph), sorted_assignment.as_ref().or(assignment));
        let names: Vec<&str> = graph.node_types().iter().map(|kind| kind.name()).collect();
        let found: Vec<&str> = book.node_types().iter().map(String::as_str).collect();
        same(path, "ntypes", &names, &found)?;
        let names: Vec<_> = graph.edge_types().iter().map(ChunkedEdges::name).collect();
        same(path, "etypes", &names, &book.edge_types().iter().collect())?;
        for (kind, nodes) in graph.node_types().iter().enumerate() {
            let found = book.nodes_of(kind);
            same(path, &format!("the number of nodes of type {:?}", nodes.name()), &nodes.nodes(), &found)?;
        }
        if parts.config.halo_hops == 0 {
            same(path, "halo_hops", "at least 1", "0")?;
        }
        let mut files = Files { parts, graph, has_ids: false };
        files.originals_of_all()?;
        let (nodes, orders) = (places::nodes(&files, assignment)?, places::edges(&files)?);
        files.has_ids = nodes.is_some() && orders.is_some();
        let found;
        let ids = match (nodes, assignment) {
            (Some((owners, within)), _) => {
                found = owners;
                NewIds::with(graph.node_types(), &found, || within)?
            }
            (None, Some(assignment)) => NewIds::new(graph.node_types(), assignment)?,
            (None, None) => {
                let expected = "node_map.npy, orig_nids.dgl in the folders of parts, or an assignment";
                let text = format!("{}: no original ids: expected {expected}", path.display());
                return Err(problem_in(path, ErrorKind::Format, text));
            }
        };
        for (kind, nodes) in graph.node_types().iter().enumerate() {
            for part in 0..book.parts() {
                let what = format!("node_map, type {:?} in part {part}", nodes.name());
                same(path, &what, &ids.book().node_range(kind, part), &book.node_range(kind, part))?;
            }
        }
        let mut comparing = Comparing { files, ids, orders, outward: None, done: Verified::default() };
        let mut start = 0;
        while start < book.parts() {
            let mut bytes = 0_u64;
            let fits = |&part: &usize| {
                // In memory a part, with its HALO, takes up to twice what its file does. One that cannot be read is
                // an error later.
                let path = comparing.files.parts.graph_path(part).unwrap_or_default();
                let file = fs::metadata(path).map_or(0, |file| file.len());
                bytes = bytes.saturating_add(file.saturating_mul(2));
                part == start || (bytes <= self.memory as u64 && part < start + MOST_PARTS)
            };
            let end = (start..book.parts()).take_while(fits).count() + start;
            comparing.group(start..end)?;
            start = end;
        }
        comparing.done.nodes = book.nodes();
        comparing.done.edges = book.edges();
        Ok(comparing.done)
    }
}

impl Default for Verify {
    fn default() -> Self {
        Self::new()
    }
}

impl Comparing<'_> {
    /// Compares some of the parts.
    fn group(&mut self, parts: Range<usize>) -> Result<(), Error> {
        self.edges(&parts)?;
        let graph = self.files.graph;
        let mut known = [Vec::new(), Vec::new()];
        for (kind, nodes) in graph.node_types().iter().enumerate() {
            let owners = self.ids.owners(kind);
            let places =
                || (0..nodes.nodes()).map(|node| Ok((usize::from(owners[node]), self.ids.within(kind, node) as usize)));
            let of = |row: usize| format!("node {row} of type {:?}", nodes.name());
            let mut compared = 0;
            for open in [Files::original_nodes, Files::node_map] {
                let columns = parts.clone().map(|part| open(&self.files, kind, part)).collect::<Result<Vec<_>, _>>()?;
                compared += originals(columns, &parts, places(), of)?;
            }
            self.done.original_ids += compared;
            for feature in nodes.features() {
                known[0].push(format!("{}/{}", nodes.name(), feature.name()));
                let rows = |part| self.files.book().node_range(kind, part).count();
                let columns = parts.clone().map(|part| self.files.feature(0, nodes.name(), feature, part, rows(part)));
                let columns = columns.collect::<Result<Vec<_>, _>>()?;
                self.done.rows += compare(columns, &parts, feature, places(), of)?;
            }
        }
        for (kind, edges) in graph.edge_types().iter().enumerate() {
            let name = edges.name().join(":");
            for feature in edges.features() {
                known[1].push(format!("{name}/{}", feature.name()));
                let rows = |part| self.files.book().edge_range(kind, part).count();
                let columns = parts.clone().map(|part| self.files.feature(1, &name, feature, part, rows(part)));
                let columns = columns.collect::<Result<Vec<_>, _>>()?;
                let of = |row: usize| format!("edge {row} of type {name:?}");
                self.done.rows += compare(columns, &parts, feature, self.places_of_edges(kind), of)?;
            }
        }
        for part in parts {
            (0..2).try_for_each(|level| self.files.only(level, part, &known[level]))?;
        }
        Ok(())
    }

    /// Types of sources and targets of a type of edges.
    fn ends(&self, kind: usize) -> [usize; 2] {
        self.files.graph.edge_types()[kind].ends()
    }

    /// Source and target of each edge of a type, in order.
    fn all(&self, kind: usize) -> impl Iterator<Item = Result<[usize; 2], Error>> {
        let edges = &self.files.graph.edge_types()[kind];
        (0..edges.chunks().len()).flat_map(move |chunk| edges.ranges(chunk, BLOCK / 16)).flat_map(|range| {
            let (edges, error) = match range {
                Ok(range) => (range.sources.into_iter().zip(range.targets).collect(), None),
                Err(error) => (Vec::new(), Some(Err(error))),
            };
            let edges = edges.into_iter().map(|(source, target)| Ok([source as usize, target as usize]));
            edges.chain(error)
        })
    }

    /// The row of an edge among those of its part and type, in whose original order it is at a position.
    fn row(&self, kind: usize, part: usize, position: usize) -> usize {
        let order = self.orders.as_ref().and_then(|orders| orders[kind][part].as_ref());
        order.and_then(|order| order.get(position)).map_or(position, |&row| row as usize)
    }

    /// The part of each edge of a type, and its row there, in order.
    fn places_of_edges(&self, kind: usize) -> impl Iterator<Item = Result<(usize, usize), Error>> {
        let owners = self.ids.owners(self.ends(kind)[1]);
        let mut positions = vec![0; self.files.book().parts()];
        self.all(kind).map(move |edge| {
            let part = usize::from(owners[edge?[1]]);
            positions[part] += 1;
            Ok((part, self.row(kind, part, positions[part] - 1)))
        })
    }

    /// Compares the original ids of edges, which say where these are, then edges and HALO.
    fn edges(&mut self, parts: &Range<usize>) -> Result<(), Error> {
        for (kind, edges) in self.files.graph.edge_types().iter().enumerate() {
            let name = edges.name().join(":");
            for open in [Files::original_edges, Files::edge_map] {
                let columns = parts.clone().map(|part| open(&self.files, kind, part)).collect::<Result<Vec<_>, _>>()?;
                let of = |row: usize| format!("edge {row} of type {name:?}");
                self.done.original_ids += originals(columns, parts, self.places_of_edges(kind), of)?;
            }
        }
        let mut loaded = parts.clone().map(|part| Loaded::read(&self.files, part)).collect::<Result<Vec<_>, _>>()?;
        let book = self.files.book();
        // Which parts must have all edges into a node, besides its owner.
        let mut around: HashMap<i64, Vec<usize>> = HashMap::new();
        for (at, loaded) in loaded.iter().enumerate() {
            loaded.inside().iter().for_each(|&node| around.entry(node).or_default().push(at));
        }
        for (kind, edges) in self.files.graph.edge_types().iter().enumerate() {
            let name = edges.name().join(":");
            let [from, to] = self.ends(kind);
            let mut positions = vec![0; book.parts()];
            for (edge, ends) in self.all(kind).enumerate() {
                let [source, target] = ends?;
                let of = || format!("edge {edge} of type {name:?}");
                let owner = usize::from(self.ids.owners(to)[target]);
                let from_part = usize::from(self.ids.owners(from)[source]);
                let ends = [self.ids.global(from, source), self.ids.global(to, target)];
                let ids = book.edge_range(kind, owner);
                let row = self.row(kind, owner, positions[owner]) as i64;
                if row >= ids.end - ids.start {
                    let what = format!("edge_map, type {name:?} in part {owner}");
                    return Err(differs(self.files.path(), &what, "more edges", &format!("{ids:?}")));
                }
                positions[owner] += 1;
                let id = ids.start + row;
                if parts.contains(&owner) {
                    loaded[owner - parts.start].owned((id - book.part_edges(owner).start) as usize, ends, of)?;
                }
                for &at in around.get(&ends[1]).into_iter().flatten() {
                    loaded[at].halo_edge(id, ends, of)?;
                }
                if from_part != owner && parts.contains(&from_part) {
                    loaded[from_part - parts.start].outward(id, ends, of)?;
                }
            }
            for (part, found) in positions.into_iter().enumerate() {
                let left = book.edge_range(kind, part).count() - found;
                let what = format!("edges of type {name:?} in part {part} that the graph lacks");
                same(self.files.path(), &what, &0, &left)?;
            }
        }
        self.done.targets_only += loaded.iter().map(|part| part.lacking).sum::<usize>();
        loaded.iter().try_for_each(|part| part.end(&mut self.outward))
    }
}

/// Compares original ids, where there are any, in the part and row of each node or edge.
fn originals(
    mut columns: Vec<Option<Column>>,
    parts: &Range<usize>,
    places: impl Iterator<Item = Result<(usize, usize), Error>>,
    of: impl Fn(usize) -> String,
) -> Result<usize, Error> {
    let mut compared = 0;
    if columns.iter().all(Option::is_none) {
        return Ok(0);
    }
    for (original, place) in places.enumerate() {
        let (owner, row) = place?;
        if let Some(Some(column)) = owner.checked_sub(parts.start).and_then(|at| columns.get_mut(at)) {
            column.compare(row, &(original as i64).to_le_bytes(), || of(original))?;
            compared += 1;
        }
    }
    columns.iter().flatten().try_for_each(Column::end)?;
    Ok(compared)
}

/// Compares a feature in the part and row of each node or edge.
fn compare(
    mut columns: Vec<Column>,
    parts: &Range<usize>,
    feature: &ChunkedFeature,
    mut places: impl Iterator<Item = Result<(usize, usize), Error>>,
    of: impl Fn(usize) -> String,
) -> Result<usize, Error> {
    let width = feature.row_bytes();
    let mut compared = 0;
    for range in feature.ranges((BLOCK / width.max(1)).max(1)) {
        let (originals, array) = range?;
        for (at, original) in originals.enumerate() {
            let Some((owner, row)) = places.next().transpose()? else { break };
            if let Some(column) = owner.checked_sub(parts.start).and_then(|at| columns.get_mut(at)) {
                column.compare(row, &array.bytes()[at * width..][..width], || of(original))?;
                compared += 1;
            }
        }
    }
    columns.iter().try_for_each(Column::end)?;
    Ok(compared)
}
