//! [`ClusterNodes`]: the nodes of each cluster, and the ids that batches show.

use std::ops::Range;

/// Nodes of all clusters, one cluster after the other. Features have a row for each in this order.
#[derive(Debug)]
pub(super) struct ClusterNodes {
    /// First row of each cluster, and the end of the last.
    starts: Vec<usize>,
    ids: Vec<i64>,
}

impl ClusterNodes {
    pub(super) fn new() -> Self {
        Self { starts: vec![0], ids: Vec::new() }
    }

    /// Adds a cluster.
    pub(super) fn push(&mut self, ids: impl IntoIterator<Item = i64>) {
        self.ids.extend(ids);
        self.starts.push(self.ids.len());
    }

    /// Rows of a cluster.
    pub(super) fn rows(&self, cluster: usize) -> Range<usize> {
        self.starts[cluster]..self.starts[cluster + 1]
    }

    /// Ids of all nodes.
    pub(super) fn ids(&self) -> &[i64] {
        &self.ids
    }
}
