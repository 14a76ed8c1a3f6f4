//! Sources and comparisons that several tests share.

#![allow(dead_code, reason = "each test file uses some of it")]

pub(crate) mod numbers;

use graphpack_core::Size;
use graphpack_loader::{Batch, Column, Epoch, Level, Schema, Slot, Source, SourceError, Store};
use proptest::prelude::*;
use std::path::{Path, PathBuf};

/// Graphs of given sizes whose fields tell which graph and row they belong to.
pub(crate) fn store_of(sizes: &[[u32; 2]]) -> Store {
    let offsets = |k: usize| {
        let mut sum = 0;
        std::iter::once(0)
            .chain(sizes.iter().map(move |size| {
                sum += u64::from(size[k]);
                sum
            }))
            .collect::<Vec<_>>()
    };
    let (node_ptr, edge_ptr) = (offsets(0), offsets(1));
    let edge = |k: usize| {
        sizes.iter().enumerate().flat_map(move |(graph, &[nodes, edges])| {
            (0..edges as usize).map(move |edge| ((edge * (k + 2) + graph) % nodes.max(1) as usize) as i64)
        })
    };
    let (nodes, edges) = (node_ptr[sizes.len()] as usize, edge_ptr[sizes.len()] as usize);
    let columns = vec![
        Column::new("x", Level::Node, 2, (0..2 * nodes).map(|i| i as f32 + 0.5).collect()),
        Column::new("kind", Level::Node, 1, (0..nodes).map(|i| (i % 251) as u8 + 1).collect()),
        Column::new("edge_attr", Level::Edge, 1, (0..edges).map(|i| i as i32 + 1).collect()),
        Column::new("y", Level::Graph, 3, (0..3 * sizes.len()).map(|i| i as f64 + 1.0).collect()),
        Column::new("known", Level::Graph, 1, vec![true; sizes.len()]),
    ];
    Store::new(node_ptr, edge_ptr, [edge(0).collect(), edge(1).collect()], columns).unwrap()
}

/// Sizes of random data sets: graphs without edges, of one node, and without anything are among them.
pub(crate) fn sizes() -> impl Strategy<Value = Vec<[u32; 2]>> {
    let size = (0..12_u32, 0..20_u32).prop_map(|(nodes, edges)| [nodes, if nodes == 0 { 0 } else { edges }]);
    proptest::collection::vec(size, 1..120)
}

/// All batches of an epoch; an error fails the test.
pub(crate) fn batches(epoch: Epoch) -> Vec<Batch> {
    epoch.collect::<Result<_, _>>().unwrap()
}

/// Numbers of all graphs of an epoch, in order.
pub(crate) fn graph_ids(epoch: Epoch) -> Vec<i64> {
    batches(epoch).iter().flat_map(|batch| batch.graph_ids().to_vec()).collect()
}

/// The data that only developers and CI have.
pub(crate) fn shared_data() -> Option<PathBuf> {
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data");
    let path = std::env::var_os("GRAPHPACK_DATA").map_or_else(default, PathBuf::from);
    if path.is_dir() {
        return Some(path);
    }
    eprintln!("skipped: no data at {} (set GRAPHPACK_DATA)", path.display());
    None
}

/// A source that does something else than writing when it comes to one graph.
pub(crate) struct Faulty<F> {
    pub(crate) inner: Store,
    pub(crate) graph: usize,
    pub(crate) fault: F,
}

impl<F: Fn() -> Result<(), SourceError> + Send + Sync> Source for Faulty<F> {
    fn schema(&self) -> &Schema {
        self.inner.schema()
    }

    fn len(&self) -> usize {
        self.inner.len()
    }

    fn size(&self, graph: usize) -> Size<2> {
        self.inner.size(graph)
    }

    fn write(&self, graph: usize, slot: &mut Slot<'_>) -> Result<(), SourceError> {
        if graph == self.graph {
            (self.fault)()?;
        }
        self.inner.write(graph, slot)
    }
}
