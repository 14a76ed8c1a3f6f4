//! [`NeighbourEpoch`]: the sampled neighbourhoods of one epoch.

use super::clusters::index;
use super::columns::copy_rows;
use super::neighbours::Shared;
use super::scratch::Scratch;
use super::walk::Walk;
use crate::Array;
use graphpack_core::Size;
use graphpack_loader::Random;
use graphpack_loader::fingerprint::mix;
use graphpack_loader::{Schema, Slot, Source, SourceError};
use std::sync::Arc;

/// The neighbourhoods of one epoch of [`Neighbours`](super::Neighbours); graph i is that of seed i.
#[derive(Debug)]
pub struct NeighbourEpoch {
    pub(super) shared: Arc<Shared>,
    pub(super) epoch: u64,
    pub(super) sizes: Vec<Size<2>>,
    pub(super) scratch: Scratch<Walk>,
}

impl NeighbourEpoch {
    pub(super) fn draw(&self, graph: usize, walk: &mut Walk) -> Size<2> {
        let (shared, root) = (&*self.shared, self.shared.seeds[graph]);
        let mut random = Random::of_draw(shared.options.seed, self.epoch, u64::from(root));
        walk.draw(&shared.in_edges, root, &shared.options.fan_outs, &mut random);
        Size([walk.nodes.len() as u32, walk.edges.len() as u32])
    }

    fn write_walk(&self, walk: &Walk, slot: &mut Slot<'_>) -> Result<(), SourceError> {
        let shared = &*self.shared;
        let nodes = &shared.graph.node_types[0].features;
        let none = Vec::new();
        let edges = shared.graph.edge_types.first().map_or(&none, |edges| &edges.features);
        let copy = |slot: &mut Slot<'_>, field: usize, array: &Array, rows: &[u32]| {
            let rows = rows.iter().map(|&row| row as usize);
            slot.rows_mut(field).map(|to| copy_rows(to, array.bytes(), array.row_bytes(), rows))
        };
        let mut field = 0;
        for &feature in &shared.features[0] {
            copy(slot, field, &nodes[feature].1, &walk.nodes)?;
            field += 1;
        }
        let mask = slot.rows_mut(field)?;
        mask.fill(0);
        mask[0] = 1;
        for (to, &node) in slot.rows_mut(field + 1)?.chunks_exact_mut(8).zip(&walk.nodes) {
            to.copy_from_slice(&i64::from(node).to_ne_bytes());
        }
        field += 2;
        for &feature in &shared.features[1] {
            copy(slot, field, &edges[feature].1, &walk.edges)?;
            field += 1;
        }
        for &feature in &shared.features[2] {
            copy(slot, field, &nodes[feature].1, &walk.nodes[..1])?;
            field += 1;
        }
        Ok(slot.write_edge_index(index(&walk.sources), index(&walk.targets))?)
    }
}

impl Source for NeighbourEpoch {
    fn schema(&self) -> &Schema {
        &self.shared.schema
    }

    fn len(&self) -> usize {
        self.sizes.len()
    }

    fn size(&self, graph: usize) -> Size<2> {
        self.sizes[graph]
    }

    fn write(&self, graph: usize, slot: &mut Slot<'_>) -> Result<(), SourceError> {
        self.scratch.with(|walk| {
            self.draw(graph, walk);
            self.write_walk(walk, slot)
        })
    }

    fn fingerprint(&self) -> u64 {
        let shared = &*self.shared;
        let hash = shared.seeds.iter().fold(self.sizes_fingerprint(), |hash, seed| mix(hash, u64::from(*seed)));
        let hash = shared.options.fan_outs.iter().fold(hash, |hash, fan_out| mix(hash, u64::from(*fan_out)));
        mix(mix(hash, shared.options.seed), self.epoch)
    }
}
