//! [`ClusterGroups`]: groups of clusters, drawn again each epoch; [`ClusterEpoch`]: those of one.

use super::Clusters;
use super::body::{Block, Body};
use crate::problem::problem;
use graphpack_loader::extend::mix;
use graphpack_loader::{BoxError, Data, Error, ErrorKind, Limits, Random, Schema, Size, Slot, Source, Worker};
use std::ops::Range;
use std::sync::Arc;

/// The stochastic multiple partitions of Cluster-GCN (Chiang et al., arXiv 1905.07953, section 3.2): each epoch divides
/// the clusters at random into groups of at most `per_group`, and each group is one graph. With
/// [`between`](Self::between) the graph has the edges between its clusters, too.
///
/// [`limits`](Self::limits) and [`limits_of`](Self::limits_of) return limits that hold in all epochs:
///
/// ```
/// use graphpack_loader::{Loader, Options, Order};
/// use graphpack_partition::pieces::ClusterOptions;
/// use graphpack_partition::{Assignment, ClusterGroups, Clusters, Cut, EdgeType, LargeGraph, NodeType};
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
/// let loader = Loader::new(groups, Options::default().capacity(limits).order(Order::Shuffled).seed(7))?;
/// for epoch in 0..3 {
///     for batch in loader.epoch(epoch) {
///         assert_eq!(batch?.real().nodes(), 20);
///     }
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Fields are those of the [`Clusters`]. If the number of clusters is not a multiple of `per_group`, groups differ by
/// at most one cluster.
#[derive(Clone, Debug)]
pub struct ClusterGroups {
    clusters: Arc<Clusters>,
    per_group: usize,
    seed: u64,
    between: bool,
}

impl ClusterGroups {
    /// Draws groups of at most `per_group` clusters from the random seed `seed`, without edges between clusters.
    pub fn new(clusters: Arc<Clusters>, per_group: usize, seed: u64) -> Result<Self, Error> {
        if per_group == 0 || per_group > clusters.len() {
            let text = format!("{per_group} clusters in a group, expected 1 to {}", clusters.len());
            return Err(problem(ErrorKind::Options, text));
        }
        if clusters.halo {
            let text = "clusters with HALO cannot be grouped: make them without, `between` brings the edges back";
            return Err(problem(ErrorKind::Options, text));
        }
        let groups = Self { clusters, per_group, seed, between: true };
        let sets = &groups.clusters.tables.sets;
        if let Some((set, &rows)) = groups.most().iter().enumerate().find(|(_, rows)| **rows > i32::MAX as usize) {
            let (set, most) = (sets.name(set), i32::MAX);
            let text = format!("{per_group} clusters may have {rows} {set}, at most {most} can be in a group");
            return Err(problem(ErrorKind::Options, text));
        }
        Ok(groups.between(false))
    }

    /// Whether a group has the edges between its clusters (default: false).
    #[must_use]
    pub fn between(mut self, between: bool) -> Self {
        self.between = between;
        self
    }

    /// Draws the groups of epoch `epoch`.
    pub fn epoch(&self, epoch: u64) -> ClusterEpoch {
        let count = self.clusters.len();
        let mut members: Vec<usize> = (0..count).collect();
        Random::of_draw(self.seed, epoch, u64::MAX).shuffle(&mut members);
        let groups = count.div_ceil(self.per_group);
        let starts: Vec<usize> = (0..=groups).map(|group| group * count / groups).collect();
        starts.windows(2).for_each(|range| members[range[0]..range[1]].sort_unstable());
        let (clusters, between, draw) = (self.clusters.clone(), self.between, [self.seed, epoch]);
        let mut drawn = ClusterEpoch { clusters, between, members, starts, sizes: Vec::new(), draw };
        drawn.sizes = (0..groups).map(|group| drawn.count(group)).collect();
        drawn
    }

    /// Limits for one group in a pack that hold for every possible group: the nodes of the largest clusters, and the
    /// edges of the clusters that can have most, each with the edges from those other clusters that it has most edges
    /// from. Parts by METIS have edges from few others, so real groups are smaller: [`limits_of`](Self::limits_of) is
    /// tighter.
    pub fn limits(&self) -> Limits {
        self.of(self.most())
    }

    /// The most rows of each set that a group may have.
    fn most(&self) -> Vec<usize> {
        let (sets, clusters) = (&self.clusters.tables.sets, 0..self.clusters.len());
        let mut there: Vec<usize> = clusters.clone().map(|cluster| self.clusters.part(cluster)).collect();
        there.sort_unstable();
        let there = |block: &&&Block| there.binary_search(&block.from).is_ok() && self.between;
        let of_set = |set: usize| {
            let Some(kind) = set.checked_sub(sets.node_types()) else {
                return largest(
                    clusters.clone().map(|cluster| self.clusters.own(cluster, set)).collect(),
                    self.per_group,
                );
            };
            let edges = clusters.clone().map(|cluster| {
                let part = self.clusters.part(cluster);
                let blocks = self.clusters.blocks(cluster).iter().filter(|block| block.kind == kind);
                let (within, others): (Vec<_>, Vec<_>) = blocks.partition(|block| block.from == part);
                let others = others.iter().filter(there).map(|block| block.edges.len());
                largest(others.collect(), self.per_group - 1)
                    + within.iter().map(|block| block.edges.len()).sum::<usize>()
            });
            largest(edges.collect(), self.per_group)
        };
        (0..sets.len()).map(of_set).collect()
    }

    /// The smallest limits for one group in a pack that hold for every group of some epochs, such as all epochs of a
    /// training. Takes as long as drawing these epochs.
    pub fn limits_of(&self, epochs: Range<u64>) -> Limits {
        let mut most = vec![0; self.clusters.tables.sets.len()];
        for size in epochs.flat_map(|epoch| self.epoch(epoch).sizes) {
            most.iter_mut().zip(size.as_slice()).for_each(|(most, &rows)| *most = rows.max(*most as u32) as usize);
        }
        self.of(most)
    }

    /// Limits for one graph; all are at least 1, as limits must be, even without edges.
    fn of(&self, most: Vec<usize>) -> Limits {
        // `new` refused more.
        Limits::new(self.clusters.tables.sets.size(|set| most[set].max(1))).graphs(1)
    }
}

/// The groups of each epoch, drawn [again for each](Data::each_epoch).
impl From<ClusterGroups> for Data {
    fn from(groups: ClusterGroups) -> Self {
        Self::each_epoch(move |epoch| Ok(groups.epoch(epoch).into()))
    }
}

/// The sum of the `count` largest.
fn largest(mut numbers: Vec<usize>, count: usize) -> usize {
    numbers.sort_unstable_by(|a, b| b.cmp(a));
    numbers.iter().take(count).sum()
}

/// The groups of one epoch of [`ClusterGroups`], each a graph, numbered in the order in which
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
    /// The seed and the epoch, from which members and starts follow.
    draw: [u64; 2],
}

impl ClusterEpoch {
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
        let sets = &self.clusters.tables.sets;
        let mut edges = vec![0; sets.len()];
        self.blocks(group).for_each(|(_, block)| edges[sets.of_edges(block.kind)] += block.edges.len());
        sets.size(|set| {
            let nodes = self.members(group).iter().map(|&cluster| self.clusters.own(cluster, set));
            if set < sets.node_types() { nodes.sum() } else { edges[set] }
        })
    }

    fn write_bodies(
        &self,
        graph: usize,
        bodies: &[Arc<Body>],
        slot: &mut Slot<'_>,
        [sources, targets]: &mut [Vec<u32>; 2],
    ) -> Result<(), BoxError> {
        let (clusters, members) = (&*self.clusters, self.members(graph));
        let tables = &clusters.tables;
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
    }

    /// Errors if a file with rows of a group changed.
    fn check(&self, group: usize) -> Result<(), BoxError> {
        self.members(group).iter().try_for_each(|&cluster| self.clusters.check_cluster(cluster))
    }
}

impl Source for ClusterEpoch {
    fn schema(&self) -> &Schema {
        self.clusters.schema()
    }

    fn len(&self) -> usize {
        self.sizes.len()
    }

    fn size(&self, graph: usize) -> Result<Size, BoxError> {
        Ok(self.sizes[graph])
    }

    fn write(&self, graph: usize, slot: &mut Slot<'_>, worker: &mut Worker) -> Result<(), BoxError> {
        let bodies = self.members(graph).iter().map(|&cluster| self.clusters.body(cluster));
        let bodies = bodies.collect::<Result<Vec<_>, _>>()?;
        self.write_bodies(graph, &bodies, slot, worker.state(|| Ok(Default::default()))?)?;
        self.check(graph)
    }

    fn prepare(&self, graphs: &[usize], _: &mut Worker) -> Result<(), BoxError> {
        graphs.iter().try_for_each(|&graph| self.check(graph))
    }

    fn fingerprint(&self, sizes: u64) -> u64 {
        let start = mix(Data::from(self.clusters.clone()).fingerprint(), sizes);
        self.draw.iter().chain([&u64::from(self.between)]).fold(start, |hash, number| mix(hash, *number))
    }
}
