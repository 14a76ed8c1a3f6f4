//! [`ClusterEpoch`]: the groups of clusters of one epoch.

use super::Clusters;
use super::rows::{copy_pieces, index};
use super::scratch::Scratch;
use graphpack_loader::fingerprint::mix;
use graphpack_loader::{Index, Schema, Size, Slot, Source, SourceError};
use std::ops::Range;
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
    scratch: Scratch<[Vec<u32>; 2]>,
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
            Self { clusters, between, members, starts, sizes: Vec::new(), draw, scratch: Scratch::default() };
        this.sizes = (0..groups).map(|group| this.count(group)).collect();
        this
    }

    /// The most nodes and the most edges of a group.
    pub(super) fn largest(&self) -> Size {
        self.sizes.iter().fold(Size::new([0; 2]), |most, size| most.max_each(size))
    }

    /// Numbers of the parts in group `group`, in the order of the clusters; `None` if there is no such group.
    pub fn parts(&self, group: usize) -> Option<Vec<usize>> {
        let members = (group < self.len()).then(|| self.members(group))?;
        Some(members.iter().map(|&cluster| self.clusters.part(cluster)).collect())
    }

    fn members(&self, group: usize) -> &[usize] {
        &self.members[self.starts[group]..self.starts[group + 1]]
    }

    /// The edges of a group in blocks: the positions of both clusters among the members, and the range of edges.
    fn blocks(&self, group: usize) -> impl Iterator<Item = ([usize; 2], Range<usize>)> + '_ {
        let members = self.members(group);
        members.iter().enumerate().flat_map(move |(to, &cluster)| {
            let blocks =
                self.clusters.links().towards(cluster).filter(move |(from, _)| self.between || *from == cluster);
            blocks.filter_map(move |(from, edges)| Some(([members.binary_search(&from).ok()?, to], edges)))
        })
    }

    fn count(&self, group: usize) -> Size {
        let nodes: usize = self.members(group).iter().map(|&cluster| self.clusters.rows(cluster).len()).sum();
        let edges: usize = self.blocks(group).map(|(_, edges)| edges.len()).sum();
        // All clusters together have less than 2^31 of both.
        Size::new([nodes as u32, edges as u32])
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
        let clusters = &*self.clusters;
        let members = self.members(graph);
        for (field, table) in clusters.node_tables() {
            copy_pieces(slot.rows_mut(field)?, members.iter().map(|&cluster| table.rows(clusters.rows(cluster))));
        }
        let [owned, ids] = clusters.own_fields();
        slot.rows_mut(owned)?.fill(1);
        let numbers = members.iter().map(|&cluster| clusters.node_ids(clusters.rows(cluster)));
        copy_pieces(slot.rows_mut(ids)?, numbers.map(bytemuck::cast_slice));
        for (field, table) in clusters.edge_tables() {
            copy_pieces(slot.rows_mut(field)?, self.blocks(graph).map(|(_, edges)| table.rows(edges)));
        }
        self.scratch.with(|[sources, targets]| {
            let mut offsets = Vec::with_capacity(members.len());
            let mut offset = 0;
            for &cluster in members {
                offsets.push(offset);
                offset += clusters.rows(cluster).len() as u32;
            }
            sources.clear();
            targets.clear();
            for ([from, to], edges) in self.blocks(graph) {
                let [block_sources, block_targets] = clusters.links().ends(edges);
                sources.extend(block_sources.iter().map(|node| node + offsets[from]));
                targets.extend(block_targets.iter().map(|node| node + offsets[to]));
            }
            Ok(slot.write_index(Index::EDGE_INDEX, &[index(sources), index(targets)])?)
        })
    }

    fn fingerprint(&self) -> u64 {
        let start = mix(self.clusters.fingerprint(), self.sizes_fingerprint());
        self.draw.iter().chain([&u64::from(self.between)]).fold(start, |hash, number| mix(hash, *number))
    }
}
