//! [`NeighbourEpoch`]: the sampled neighbourhoods of one epoch.

use super::neighbour_index::NeighbourIndex;
use super::walk::Walk;
use super::workspace::Workspace;
use graphpack_loader::fingerprint::mix;
use graphpack_loader::{Graphs, Schema, Size, Slot, Source, SourceError};
use std::sync::Arc;

/// The neighbourhoods of one epoch of [`Neighbours`](crate::Neighbours); graph i is that of root i.
#[derive(Debug)]
pub struct NeighbourEpoch {
    index: Arc<NeighbourIndex>,
    epoch: u64,
    sizes: Vec<Size>,
    workspace: Workspace<Walk>,
}

impl NeighbourEpoch {
    /// Draws each neighbourhood for its size.
    pub(super) fn new(index: Arc<NeighbourIndex>, epoch: u64) -> Self {
        let workspace = Workspace::<Walk>::default();
        let sizes = workspace.with(|walk| (0..index.roots()).map(|root| index.draw(root, epoch, walk)).collect());
        Self { index, epoch, sizes, workspace }
    }
}

impl Source for NeighbourEpoch {
    fn schema(&self) -> &Schema {
        self.index.schema()
    }

    fn len(&self) -> usize {
        self.sizes.len()
    }

    fn size(&self, graph: usize) -> Size {
        self.sizes[graph]
    }

    fn write(&self, graph: usize, slot: &mut Slot<'_>) -> Result<(), SourceError> {
        self.workspace.with(|walk| {
            self.index.draw(graph, self.epoch, walk);
            self.index.write(walk, slot)
        })
    }

    fn check(&self, _: Graphs<'_>) -> Result<(), SourceError> {
        self.index.check()
    }

    fn fingerprint(&self) -> u64 {
        mix(self.index.mix_into(self.sizes_fingerprint()), self.epoch)
    }
}
