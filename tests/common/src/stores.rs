//! [`store_of`]: stores of graphs of given sizes, and random [`sizes`]; [`ptr`]: where the rows of each graph begin.

use graphpack_loader::{Column, Level, Store};
use proptest::prelude::*;

/// Makes graphs of the given sizes (nodes, edges); the values of their fields tell their graph and row.
pub fn store_of(sizes: &[[u32; 2]]) -> Store {
    let [node_ptr, edge_ptr] = [0, 1].map(|set| ptr(sizes.iter().map(|size| size[set])));
    let edge = |k: usize| {
        sizes.iter().enumerate().flat_map(move |(graph, &[nodes, edges])| {
            (0..edges as usize).map(move |edge| ((edge * (k + 2) + graph) % nodes.max(1) as usize) as i64)
        })
    };
    let (nodes, edges) = (node_ptr[sizes.len()] as usize, edge_ptr[sizes.len()] as usize);
    let columns = vec![
        Column::new("x", Level::NODE, 2, (0..2 * nodes).map(|i| i as f32 + 0.5).collect()),
        Column::new("kind", Level::NODE, 1, (0..nodes).map(|i| (i % 251) as u8 + 1).collect()),
        Column::new("edge_attr", Level::EDGE, 1, (0..edges).map(|i| i as i32 + 1).collect()),
        Column::new("y", Level::Graph, 3, (0..3 * sizes.len()).map(|i| i as f64 + 1.0).collect()),
        Column::new("known", Level::Graph, 1, vec![true; sizes.len()]),
    ];
    Store::of_columns(node_ptr, edge_ptr, [edge(0).collect(), edge(1).collect()], columns).unwrap()
}

/// Returns the sums of `rows` before each graph and after the last, as [`Store::of_sets`] takes them.
pub fn ptr(rows: impl Iterator<Item: Into<u64>>) -> Vec<u64> {
    let mut sum = 0;
    let ends = rows.map(|rows| {
        sum += rows.into();
        sum
    });
    std::iter::once(0).chain(ends).collect()
}

/// Sizes of any small data set, with graphs without edges, of one node, and of nothing at all among them.
pub fn sizes() -> impl Strategy<Value = Vec<[u32; 2]>> {
    let size = (0..12_u32, 0..20_u32).prop_map(|(nodes, edges)| [nodes, if nodes == 0 { 0 } else { edges }]);
    proptest::collection::vec(size, 1..120)
}
