//! [`ClusterGroups`]: groups of clusters, drawn again each epoch.

use super::{ClusterEpoch, Clusters};
use graphpack_core::{Limits, Size};
use graphpack_loader::{Draw, Random, Source};
use std::ops::Range;
use std::sync::Arc;

/// The stochastic multiple partitions of Cluster-GCN (Chiang et al., arXiv 1905.07953, section 3.2): each epoch divides
/// the clusters at random into groups of at most `per_group`, and each group is one graph. With
/// [`between`](Self::between) the graph has the edges between its clusters, too.
///
/// [`limits`](Self::limits) and [`limits_of`](Self::limits_of) return limits that hold in all epochs:
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
/// Fields are those of the [`Clusters`]. If the number of clusters is not a multiple of `per_group`, groups differ by
/// at most one cluster.
#[derive(Clone, Debug)]
pub struct ClusterGroups {
    clusters: Arc<Clusters>,
    per_group: usize,
    seed: u64,
    between: bool,
}

/// Clusters that cannot be grouped.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ClusterGroupsError {
    /// A group would have no clusters, or more than there are.
    #[error("{per_group} clusters in a group, expected 1 to {clusters}")]
    PerGroup {
        /// Number of clusters in a group.
        per_group: usize,
        /// Number of clusters.
        clusters: usize,
    },
    /// A group could have the nodes of a HALO twice.
    #[error("clusters with HALO cannot be grouped: make them without, `between` brings the edges back")]
    Halo,
}

graphpack_core::debug_is_display!(ClusterGroupsError);

impl ClusterGroups {
    /// Draws groups of at most `per_group` clusters from the random seed `seed`, without edges between clusters.
    pub fn new(clusters: Arc<Clusters>, per_group: usize, seed: u64) -> Result<Self, ClusterGroupsError> {
        if per_group == 0 || per_group > clusters.len() {
            return Err(ClusterGroupsError::PerGroup { per_group, clusters: clusters.len() });
        }
        if clusters.has_halo() {
            return Err(ClusterGroupsError::Halo);
        }
        Ok(Self { clusters, per_group, seed, between: false })
    }

    /// Whether a group has the edges between its clusters (default: false).
    #[must_use]
    pub fn between(mut self, between: bool) -> Self {
        self.between = between;
        self
    }

    /// The clusters.
    pub fn clusters(&self) -> &Arc<Clusters> {
        &self.clusters
    }

    /// Draws the groups of epoch `epoch`.
    pub fn epoch(&self, epoch: u64) -> ClusterEpoch {
        let count = self.clusters.len();
        let mut members: Vec<usize> = (0..count).collect();
        Random::of_draw(self.seed, epoch, u64::MAX).shuffle(&mut members);
        let groups = count.div_ceil(self.per_group);
        let starts: Vec<usize> = (0..=groups).map(|group| group * count / groups).collect();
        starts.windows(2).for_each(|range| members[range[0]..range[1]].sort_unstable());
        ClusterEpoch::new(self.clusters.clone(), self.between, members, starts, [self.seed, epoch])
    }

    /// Limits for one group in a pack that hold for every possible group: the nodes of the largest clusters, and the
    /// edges of the clusters that have most, counting the edges from the other clusters that they have most from. Parts
    /// by METIS have edges from few others, so real groups are smaller: [`limits_of`](Self::limits_of) is tighter.
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

    /// The smallest limits for one group in a pack that hold for every group of some epochs, such as all epochs of a
    /// training. Takes as long as drawing these epochs.
    pub fn limits_of(&self, epochs: Range<u64>) -> Limits<2> {
        let sizes = epochs.map(|epoch| self.epoch(epoch).largest());
        of(sizes.fold(Size([0; 2]), |most, size| most.max_each(&size.exact())).0.map(|most| most as usize))
    }
}

impl Draw for ClusterGroups {
    type Graphs = ClusterEpoch;

    fn draw(&self, epoch: u64) -> ClusterEpoch {
        self.epoch(epoch)
    }
}

/// Limits for one graph; both are at least 1, as limits must be, even without edges.
fn of(size: [usize; 2]) -> Limits<2> {
    Limits::new(size.map(|most| u32::try_from(most).unwrap_or(u32::MAX).max(1))).graphs(1)
}

/// The sum of the `count` largest.
fn largest(mut numbers: Vec<usize>, count: usize) -> usize {
    numbers.sort_unstable_by(|a, b| b.cmp(a));
    numbers.iter().take(count).sum()
}
