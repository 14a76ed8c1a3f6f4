//! [`Verify`]: compares a partition with the graph that it was cut from.

use super::columns::{Column, Files, differs, owners, same};
use super::loaded::Loaded;
use crate::assign::Assignment;
use crate::chunked::{ChunkedEdges, ChunkedFeature, ChunkedGraph};
use crate::dgl::PartReader;
use crate::dispatch::NewIds;
use graphpack_loader::Error;
use std::collections::HashMap;
use std::fs;
use std::ops::Range;
use std::path::Path;

/// Compares every node, edge, feature and owner of a partition with the graph that it was cut from, as
/// [`Cut`](crate::Cut) and [`Dispatch`](crate::Dispatch) write it: with nodes and edges of a part and type in their
/// original order.
///
/// It keeps 6 bytes per node in memory, and as many parts, without features, as [`memory`](Verify::memory) allows. For
/// each such group of parts it reads features once, and edges once and again for each of `orig_eids.dgl`, the maps of
/// edges, and the features of edges.
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
    /// Number of edges between parts that only the part of their target has. It is 0 or that of all of them, as in
    /// parts of DGL's dispatch, where DGL's out-degrees and sampling along edges out of nodes are too low.
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

    /// Compares all of a partition, given its JSON file. Without an assignment, the part of each node is taken from
    /// the original ids beside the parts, which must be there then.
    pub fn run(
        &self,
        graph: &ChunkedGraph,
        config: impl AsRef<Path>,
        assignment: Option<&Assignment>,
    ) -> Result<Verified, Error> {
        let path = config.as_ref();
        let parts = PartReader::open(path)?;
        let book = parts.config.book.clone();
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
        let files = Files { parts, graph };
        files.originals_of_all()?;
        let read;
        let assignment = match assignment {
            Some(assignment) => assignment,
            None => {
                read = owners(&files)?;
                &read
            }
        };
        assignment.check_types(graph.node_types().iter().map(|kind| (kind.name(), kind.nodes())))?;
        same(path, "num_parts", &assignment.parts(), &book.parts())?;
        let ids = NewIds::new(graph.node_types(), assignment)?;
        for (kind, nodes) in graph.node_types().iter().enumerate() {
            for part in 0..book.parts() {
                let what = format!("node_map, type {:?} in part {part}", nodes.name());
                same(path, &what, &ids.book().node_range(kind, part), &book.node_range(kind, part))?;
            }
        }
        let mut comparing = Comparing { files, ids, outward: None, done: Verified::default() };
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
            let ids = || (0..nodes.nodes()).map(|node| Ok(usize::from(self.ids.owners(kind)[node])));
            let of = |row: usize| format!("node {row} of type {:?}", nodes.name());
            let mut compared = 0;
            for open in [Files::original_nodes, Files::node_map] {
                let columns = parts.clone().map(|part| open(&self.files, kind, part)).collect::<Result<Vec<_>, _>>()?;
                compared += originals(columns, &parts, ids(), of)?;
            }
            self.done.original_ids += compared;
            for feature in nodes.features() {
                known[0].push(format!("{}/{}", nodes.name(), feature.name()));
                let rows = |part| self.files.book().node_range(kind, part).count();
                let columns = parts.clone().map(|part| self.files.feature(0, nodes.name(), feature, part, rows(part)));
                let columns = columns.collect::<Result<Vec<_>, _>>()?;
                self.done.rows += compare(columns, &parts, feature, ids(), of)?;
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
                self.done.rows += compare(columns, &parts, feature, self.owners_of_edges(kind), of)?;
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

    /// The part of each edge of a type, in order.
    fn owners_of_edges(&self, kind: usize) -> impl Iterator<Item = Result<usize, Error>> {
        let owners = self.ids.owners(self.ends(kind)[1]);
        self.all(kind).map(move |edge| edge.map(|[_, target]| usize::from(owners[target])))
    }

    /// Compares edges and HALO, and the original ids of edges.
    fn edges(&mut self, parts: &Range<usize>) -> Result<(), Error> {
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
            let mut next: Vec<Range<i64>> = (0..book.parts()).map(|part| book.edge_range(kind, part)).collect();
            for (edge, ends) in self.all(kind).enumerate() {
                let [source, target] = ends?;
                let of = || format!("edge {edge} of type {name:?}");
                let owner = usize::from(self.ids.owners(to)[target]);
                let from_part = usize::from(self.ids.owners(from)[source]);
                let ends = [self.ids.global(from, source), self.ids.global(to, target)];
                let Some(id) = next[owner].next() else {
                    let what = format!("edge_map, type {name:?} in part {owner}");
                    let found = format!("{:?}", book.edge_range(kind, owner));
                    return Err(differs(self.files.path(), &what, "more edges", &found));
                };
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
            for (part, left) in next.into_iter().enumerate() {
                same(
                    self.files.path(),
                    &format!("edges of type {name:?} in part {part} that the graph lacks"),
                    &0,
                    &left.count(),
                )?;
            }
            for open in [Files::original_edges, Files::edge_map] {
                let columns = parts.clone().map(|part| open(&self.files, kind, part)).collect::<Result<Vec<_>, _>>()?;
                let of = |row: usize| format!("edge {row} of type {name:?}");
                self.done.original_ids += originals(columns, parts, self.owners_of_edges(kind), of)?;
            }
        }
        self.done.targets_only += loaded.iter().map(|part| part.lacking).sum::<usize>();
        loaded.iter().try_for_each(|part| part.end(&mut self.outward))
    }
}

/// Compares original ids, where there are any, with the rows that each part must have.
fn originals(
    columns: Vec<Option<Column>>,
    parts: &Range<usize>,
    owners: impl Iterator<Item = Result<usize, Error>>,
    of: impl Fn(usize) -> String,
) -> Result<usize, Error> {
    let mut columns = columns;
    let mut compared = 0;
    if columns.iter().all(Option::is_none) {
        return Ok(0);
    }
    for (row, owner) in owners.enumerate() {
        let owner = owner?;
        if let Some(Some(column)) = owner.checked_sub(parts.start).and_then(|at| columns.get_mut(at)) {
            column.compare(&(row as i64).to_le_bytes(), || of(row))?;
            compared += 1;
        }
    }
    columns.iter().flatten().try_for_each(Column::end)?;
    Ok(compared)
}

/// Compares the rows of a feature.
fn compare(
    mut columns: Vec<Column>,
    parts: &Range<usize>,
    feature: &ChunkedFeature,
    mut owners: impl Iterator<Item = Result<usize, Error>>,
    of: impl Fn(usize) -> String,
) -> Result<usize, Error> {
    let width = feature.row_bytes();
    let mut compared = 0;
    for range in feature.ranges((BLOCK / width.max(1)).max(1)) {
        let (rows, array) = range?;
        for (at, row) in rows.enumerate() {
            let Some(owner) = owners.next().transpose()? else { break };
            if let Some(column) = owner.checked_sub(parts.start).and_then(|at| columns.get_mut(at)) {
                column.compare(&array.bytes()[at * width..][..width], || of(row))?;
                compared += 1;
            }
        }
    }
    columns.iter().try_for_each(Column::end)?;
    Ok(compared)
}
