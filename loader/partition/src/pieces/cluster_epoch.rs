//! [`ClusterEpoch`]: the groups of clusters of one epoch.

use super::Clusters;
use super::body::{Block, Body};
use super::workspace::Workspace;
use graphpack_loader::fingerprint::mix;
use graphpack_loader::{Graphs, Schema, Size, Slot, Source, SourceError};
use std::sync::Arc;

/// The groups of one epoch of [`ClusterGroups`](crate::ClusterGroups), each a graph, numbered in the order in which
/// they were drawn.
#[derive(Debug)]
pub struct ClusterEpoch {
    clusters: Arc<Clusters>,
    between: bool,
    /// Clusters, ascending within each group.
    members: Vec<usize>,
    /// First member of each group, and the end of the last.
    starts: Vec<usize>,
    sizes: Vec<Size>,
    draw: [u64; 2],
    workspace: Workspace<[Vec<u32>; 2]>,
}

impl ClusterEpoch {
    /// `draw` are the seed and the epoch, from which members and starts follow.
    pub(super) fn new(
        clusters: Arc<Clusters>,
        between: bool,
        members: Vec<usize>,
        starts: Vec<usize>,
        draw: [u64; 2],
    ) -> Self {
        let groups = starts.len() - 1;
        let mut this =
            Self { clusters, between, members, starts, sizes: Vec::new(), draw, workspace: Workspace::default() };
        this.sizes = (0..groups).map(|group| this.count(group)).collect();
        this
    }

    /// The most rows of each set in a group.
    pub(super) fn largest(&self) -> Size {
        let none = self.clusters.tables().sets.size(|_| 0);
        self.sizes.iter().fold(none, |most, size| most.max_each(size))
    }

    /// Numbers of the parts in group `group`, in the order of the clusters; `None` if there is no such group.
    pub fn parts(&self, group: usize) -> Option<Vec<usize>> {
        let members = (group < self.len()).then(|| self.members(group))?;
        Some(members.iter().map(|&cluster| self.clusters.part(cluster)).collect())
    }

    fn members(&self, group: usize) -> &[usize] {
        &self.members[self.starts[group]..self.starts[group + 1]]
    }

    /// The edges of a group in blocks, with the positions of both clusters among the members.
    fn blocks(&self, group: usize) -> impl Iterator<Item = ([usize; 2], &Block)> {
        let members = self.members(group);
        // Members ascend, but not their parts.
        let mut parts: Vec<(usize, usize)> =
            members.iter().map(|&member| self.clusters.part(member)).zip(0..).collect();
        parts.sort_unstable();
        let parts = Arc::new(parts);
        members.iter().enumerate().flat_map(move |(to, &cluster)| {
            let parts = parts.clone();
            self.clusters.blocks(cluster).iter().filter_map(move |block| {
                let at = parts.binary_search_by_key(&block.from, |&(part, _)| part).ok()?;
                let from = parts[at].1;
                (self.between || from == to).then_some(([from, to], block))
            })
        })
    }

    fn count(&self, group: usize) -> Size {
        let sets = &self.clusters.tables().sets;
        let mut edges = vec![0; sets.len()];
        self.blocks(group).for_each(|(_, block)| edges[sets.of_edges(block.kind)] += block.edges.len());
        sets.size(|set| {
            let nodes = self.members(group).iter().map(|&cluster| self.clusters.own(cluster, set));
            if set < sets.node_types() { nodes.sum() } else { edges[set] }
        })
    }

    fn write_bodies(&self, graph: usize, bodies: &[Arc<Body>], slot: &mut Slot<'_>) -> Result<(), SourceError> {
        let (clusters, members) = (&*self.clusters, self.members(graph));
        let tables = clusters.tables();
        // The first row of each member, for each type of nodes.
        let mut firsts = Vec::with_capacity(tables.sets.node_types());
        for kind in 0..tables.sets.node_types() {
            let ranges: Vec<_> =
                members.iter().map(|&cluster| (clusters.part(cluster), 0..clusters.own(cluster, kind))).collect();
            tables.write(slot, kind, false, &ranges, &[])?;
            let field = tables.fields.own[kind];
            let name = &slot.schema().fields()[field].name;
            slot.bytes(name)?.fill(1);
            let places = ranges.iter().flat_map(|(part, rows)| rows.clone().map(|row| [*part as u32, row as u32]));
            tables.write_ids(slot, field + 1, kind, places)?;
            let first = ranges.iter().scan(0, |next, (_, rows)| {
                *next += rows.len() as u32;
                Some(*next - rows.len() as u32)
            });
            firsts.push(first.collect::<Vec<u32>>());
        }
        self.workspace.with(|[sources, targets]| {
            for (kind, &[of_sources, of_targets]) in tables.sets.ends().iter().enumerate() {
                let (mut rows, blocks) = (Vec::new(), self.blocks(graph).filter(|(_, block)| block.kind == kind));
                sources.clear();
                targets.clear();
                for ([from, to], block) in blocks {
                    let (ends, range) = (&bodies[to].edges[kind], block.edges.clone());
                    let (first, second) = (firsts[of_sources][from], firsts[of_targets][to]);
                    sources.extend(ends.sources[range.clone()].iter().map(|node| node + first));
                    targets.extend(ends.targets[range.clone()].iter().map(|node| node + second));
                    rows.extend_from_slice(ends.rows.get(range).unwrap_or_default());
                }
                tables.write(slot, tables.sets.of_edges(kind), false, &[], &rows)?;
                slot.set_index(&slot.schema().indices()[kind].name, &[sources, targets])?;
            }
            Ok(())
        })
    }
}

impl Source for ClusterEpoch {
    fn schema(&self) -> &Schema {
        self.clusters.schema()
    }

    fn len(&self) -> usize {
        self.sizes.len()
    }

    fn size(&self, graph: usize) -> Size {
        self.sizes[graph]
    }

    fn write(&self, graph: usize, slot: &mut Slot<'_>) -> Result<(), SourceError> {
        let bodies = self.members(graph).iter().map(|&cluster| self.clusters.body(cluster));
        self.write_bodies(graph, &bodies.collect::<Result<Vec<_>, _>>()?, slot)
    }

    fn check(&self, graphs: Graphs<'_>) -> Result<(), SourceError> {
        let mut result = Ok(());
        graphs(&mut |graph| {
            for &cluster in self.members(graph) {
                if result.is_ok() {
                    result = self.clusters.check_cluster(cluster);
                }
            }
        });
        result
    }

    fn fingerprint(&self) -> u64 {
        let start = mix(self.clusters.fingerprint(), self.sizes_fingerprint());
        self.draw.iter().chain([&u64::from(self.between)]).fold(start, |hash, number| mix(hash, *number))
    }
}
