//! [`ClusterGroups`]: clusters drawn anew each epoch, several in one graph.

use super::{ClusterEpoch, Clusters};
use graphpack_core::{Limits, Size};
use graphpack_loader::{Draw, Random, Source};
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

impl ClusterGroups {
    /// Groups of at most `per_group` clusters, drawn by `seed`; without edges between them.
    pub fn new(clusters: Arc<Clusters>, per_group: usize, seed: u64) -> Result<Self, ClusterGroupsError> {
        if per_group == 0 || per_group > clusters.len() {
            return Err(ClusterGroupsError::PerGroup { per_group, clusters: clusters.len() });
        }
        if clusters.has_halo() {
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
        let count = self.clusters.len();
        let mut members: Vec<usize> = (0..count).collect();
        Random::of_draw(self.seed, epoch, u64::MAX).shuffle(&mut members);
        let groups = count.div_ceil(self.per_group);
        let starts: Vec<usize> = (0..=groups).map(|group| group * count / groups).collect();
        starts.windows(2).for_each(|range| members[range[0]..range[1]].sort_unstable());
        ClusterEpoch::new(self.clusters.clone(), self.between, members, starts, [self.seed, epoch])
    }

    /// Limits that hold for every group that can be drawn, and one group in a pack: the nodes of the largest clusters together; edges likewise,
    /// with each cluster's edges from those others that it has most from. METIS's parts have edges from few others, so that groups are
    /// rarely as full: [`limits_of`](Self::limits_of) is tighter.
    pub fn limits(&self) -> Limits<2> {
        let clusters = 0..self.clusters.len();
        let nodes = clusters.clone().map(|cluster| self.clusters.rows(cluster).len());
        let edges = clusters.map(|cluster| {
            let within = self.clusters.links().within(cluster).len();
            let others = self.clusters.links().towards(cluster).filter(|(from, _)| *from != cluster && self.between);
            within + largest(others.map(|(_, edges)| edges.len()).collect(), self.per_group - 1)
        });
        of([largest(nodes.collect(), self.per_group), largest(edges.collect(), self.per_group)])
    }

    /// The least limits that hold for every group of some epochs, such as all of a training, and one group in a pack. Takes as long as
    /// drawing them.
    pub fn limits_of(&self, epochs: Range<u64>) -> Limits<2> {
        let sizes = epochs.map(|epoch| self.epoch(epoch).largest());
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
