//! [`ClusterGroups`]: clusters drawn anew each epoch, several in one graph.

use super::Clusters;
use super::clusters::index;
use super::scratch::Scratch;
use graphpack_core::{Limits, Size};
use graphpack_loader::Random;
use graphpack_loader::fingerprint::mix;
use graphpack_loader::{Draw, Schema, Slot, Source, SourceError};
use std::ops::Range;
use std::sync::Arc;

/// The stochastic multiple partitions of Cluster-GCN (Chiang et al., arXiv 1905.07953, section 3.2): in each epoch every cluster is in one group of
/// at most `per_group`, drawn at random, and a group is one graph; with [`between`](Self::between), the edges between its clusters are in it.
///
/// Limits that hold for all epochs are [`limits`](Self::limits) and [`limits_of`](Self::limits_of):
///
/// ```
/// use graphpack_loader::DrawnLoader;
/// use graphpack_partition::{Assignment, ClusterGroups, ClusterOptions, Clusters, Cut, EdgeType, LargeGraph, NodeType};
/// use std::sync::Arc;
///
/// let node = NodeType { name: "_N".into(), nodes: 60, ..NodeType::default() };
/// let name = ["_N".into(), "_E".into(), "_N".into()];
/// let edge = EdgeType { name, sources: (0..59).collect(), targets: (1..60).collect(), features: Vec::new() };
/// let graph = LargeGraph { name: "path".into(), node_types: vec![node], edge_types: vec![edge] };
/// let cut = Cut::new(&graph, &Assignment::random(&graph, 6, 1)?, 1)?;
/// let clusters = Clusters::new(cut.book(), cut.parts(), &ClusterOptions::default())?;
///
/// let groups = ClusterGroups::new(Arc::new(clusters), 2, 7)?.between(true);
/// let limits = groups.limits();
/// let loader = DrawnLoader::new(groups).limits(limits).shuffle(7).build()?;
/// for epoch in 0..3 {
///     for batch in loader.epoch(epoch) {
///         assert_eq!(batch?.real().nodes(), 20);
///     }
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Fields are those of the [`Clusters`]. Where their number is not a multiple of `per_group`, groups differ by one cluster at most.
#[derive(Clone, Debug)]
pub struct ClusterGroups {
    clusters: Arc<Clusters>,
    per_group: usize,
    seed: u64,
    between: bool,
}

/// Clusters that cannot be grouped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ClusterGroupsError {
    /// Groups of no clusters, or of more than there are.
    #[error("{per_group} clusters in a group, expected 1 to {clusters}")]
    PerGroup {
        /// Clusters in a group.
        per_group: usize,
        /// Clusters that there are.
        clusters: usize,
    },
    /// Nodes of a HALO would be in a group twice.
    #[error("clusters with HALO cannot be grouped: make them without, `between` brings the edges back")]
    Halo,
}

/// The groups of one epoch of [`ClusterGroups`]: a graph each, numbered in the order in which they were drawn.
#[derive(Debug)]
pub struct ClusterEpoch {
    clusters: Arc<Clusters>,
    between: bool,
    /// Positions of clusters, ascending within each group.
    members: Vec<usize>,
    /// Where the members of each group start, and the end of the last.
    starts: Vec<usize>,
    sizes: Vec<Size<2>>,
    draw: [u64; 2],
    scratch: Scratch<[Vec<u32>; 2]>,
}

impl ClusterGroups {
    /// Groups of at most `per_group` clusters, drawn by `seed`; without edges between them.
    pub fn new(clusters: Arc<Clusters>, per_group: usize, seed: u64) -> Result<Self, ClusterGroupsError> {
        if per_group == 0 || per_group > clusters.len() {
            return Err(ClusterGroupsError::PerGroup { per_group, clusters: clusters.len() });
        }
        if clusters.halos.is_some() {
            return Err(ClusterGroupsError::Halo);
        }
        Ok(Self { clusters, per_group, seed, between: false })
    }

    /// Whether the edges between clusters of a group are in it, too (default: no).
    #[must_use]
    pub fn between(mut self, between: bool) -> Self {
        self.between = between;
        self
    }

    /// The clusters.
    pub fn clusters(&self) -> &Arc<Clusters> {
        &self.clusters
    }

    /// The groups of epoch `epoch`.
    pub fn epoch(&self, epoch: u64) -> ClusterEpoch {
        let (count, clusters) = (self.clusters.len(), self.clusters.clone());
        let mut members: Vec<usize> = (0..count).collect();
        Random::of_draw(self.seed, epoch, u64::MAX).shuffle(&mut members);
        let groups = count.div_ceil(self.per_group);
        let starts: Vec<usize> = (0..=groups).map(|group| group * count / groups).collect();
        starts.windows(2).for_each(|range| members[range[0]..range[1]].sort_unstable());
        let draw = [self.seed, epoch];
        let (between, scratch) = (self.between, Scratch::default());
        let mut this = ClusterEpoch { clusters, between, members, starts, sizes: Vec::new(), draw, scratch };
        this.sizes = (0..groups).map(|group| this.count(group)).collect();
        this
    }

    /// Limits that hold for every group that can be drawn, and one group in a pack: the nodes of the largest clusters together; edges likewise,
    /// with each cluster's edges from those others that it has most from. METIS's parts have edges from few others, so that groups are
    /// rarely as full: [`limits_of`](Self::limits_of) is tighter.
    pub fn limits(&self) -> Limits<2> {
        let clusters = 0..self.clusters.len();
        let nodes = clusters.clone().map(|cluster| self.clusters.starts[cluster + 1] - self.clusters.starts[cluster]);
        let edges = clusters.map(|cluster| {
            let within = self.clusters.links.within(cluster).len();
            let others = self.clusters.links.towards(cluster).filter(|(from, _)| *from != cluster && self.between);
            within + largest(others.map(|(_, edges)| edges.len()).collect(), self.per_group - 1)
        });
        of([largest(nodes.collect(), self.per_group), largest(edges.collect(), self.per_group)])
    }

    /// The least limits that hold for every group of some epochs, such as all of a training, and one group in a pack. Takes as long as
    /// drawing them.
    pub fn limits_of(&self, epochs: Range<u64>) -> Limits<2> {
        let sizes = epochs.flat_map(|epoch| self.epoch(epoch).sizes);
        of(sizes.fold(Size([0; 2]), |most, size| most.max_each(&size)).0.map(|most| most as usize))
    }
}

impl Draw for ClusterGroups {
    type Graphs = ClusterEpoch;

    fn draw(&self, epoch: u64) -> ClusterEpoch {
        self.epoch(epoch)
    }
}

/// Limits of one graph; a graph without edges is no mistake.
fn of(size: [usize; 2]) -> Limits<2> {
    Limits::new(size.map(|most| u32::try_from(most).unwrap_or(u32::MAX).max(1))).graphs(1)
}

/// The sum of the `count` largest.
fn largest(mut numbers: Vec<usize>, count: usize) -> usize {
    numbers.sort_unstable_by(|a, b| b.cmp(a));
    numbers.iter().take(count).sum()
}

impl ClusterEpoch {
    /// Numbers of the parts in group `group`, ascending as the clusters are; none if there is no such group.
    pub fn parts(&self, group: usize) -> Option<Vec<usize>> {
        let members = (group < self.len()).then(|| self.members(group))?;
        Some(members.iter().map(|&cluster| self.clusters.parts[cluster]).collect())
    }

    fn members(&self, group: usize) -> &[usize] {
        &self.members[self.starts[group]..self.starts[group + 1]]
    }

    /// The edges of a group, in blocks: positions of both clusters among the members, and rows.
    fn blocks(&self, group: usize) -> impl Iterator<Item = ([usize; 2], Range<usize>)> + '_ {
        let members = self.members(group);
        members.iter().enumerate().flat_map(move |(to, &cluster)| {
            let blocks = self.clusters.links.towards(cluster).filter(move |(from, _)| self.between || *from == cluster);
            blocks.filter_map(move |(from, edges)| Some(([members.binary_search(&from).ok()?, to], edges)))
        })
    }

    fn rows(&self, cluster: usize) -> Range<usize> {
        self.clusters.starts[cluster]..self.clusters.starts[cluster + 1]
    }

    fn count(&self, group: usize) -> Size<2> {
        let nodes: usize = self.members(group).iter().map(|&cluster| self.rows(cluster).len()).sum();
        let edges: usize = self.blocks(group).map(|(_, edges)| edges.len()).sum();
        // All clusters together are numbered in 31 bits.
        Size([nodes as u32, edges as u32])
    }
}

impl Source for ClusterEpoch {
    fn schema(&self) -> &Schema {
        &self.clusters.schema
    }

    fn len(&self) -> usize {
        self.sizes.len()
    }

    fn size(&self, graph: usize) -> Size<2> {
        self.sizes[graph]
    }

    fn write(&self, graph: usize, slot: &mut Slot<'_>) -> Result<(), SourceError> {
        let clusters = &*self.clusters;
        let [owned, ids] = clusters.own_fields();
        for (field, table) in clusters.nodes.iter().enumerate() {
            fill(slot.rows_mut(field)?, self.members(graph).iter().map(|&cluster| table.rows(self.rows(cluster))));
        }
        slot.rows_mut(owned)?.fill(1);
        let numbers = self.members(graph).iter().map(|&cluster| &clusters.node_ids[self.rows(cluster)]);
        fill(slot.rows_mut(ids)?, numbers.map(bytemuck::cast_slice));
        for (field, table) in (ids + 1..).zip(&clusters.edges) {
            fill(slot.rows_mut(field)?, self.blocks(graph).map(|(_, edges)| table.rows(edges)));
        }
        self.scratch.with(|[sources, targets]| {
            let mut offsets = Vec::with_capacity(self.members(graph).len());
            let mut offset = 0;
            for &cluster in self.members(graph) {
                offsets.push(offset);
                offset += self.rows(cluster).len() as u32;
            }
            sources.clear();
            targets.clear();
            for ([from, to], edges) in self.blocks(graph) {
                sources.extend(clusters.links.sources[edges.clone()].iter().map(|node| node + offsets[from]));
                targets.extend(clusters.links.targets[edges].iter().map(|node| node + offsets[to]));
            }
            Ok(slot.write_edge_index(index(sources), index(targets))?)
        })
    }

    fn fingerprint(&self) -> u64 {
        let start = mix(self.clusters.fingerprint, self.sizes_fingerprint());
        self.draw.iter().chain([&u64::from(self.between)]).fold(start, |hash, number| mix(hash, *number))
    }
}

/// Fills with pieces that are exactly as long together.
fn fill<'a>(mut to: &mut [u8], pieces: impl Iterator<Item = &'a [u8]>) {
    for piece in pieces {
        let (head, rest) = std::mem::take(&mut to).split_at_mut(piece.len());
        head.copy_from_slice(piece);
        to = rest;
    }
}
