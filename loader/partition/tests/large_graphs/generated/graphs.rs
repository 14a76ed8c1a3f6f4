//! Any graph: types, loops, parallel edges, features.

use graphpack_partition::{Array, ArrayType, Assignment, EdgeType, LargeGraph, NodeType};
use proptest::prelude::*;

/// Draws features with this number of rows.
pub(crate) type Features = fn(usize) -> BoxedStrategy<Vec<(String, Array)>>;

/// An array whose bytes follow from a seed; any are numbers, but a bool is 0 or 1.
pub(crate) fn array(element: ArrayType, shape: Vec<usize>, seed: u8) -> Array {
    let bytes = shape.iter().product::<usize>() * element.bytes();
    let byte = |at: usize| (at as u8).wrapping_mul(37).wrapping_add(seed);
    let bytes = (0..bytes).map(|at| if element == ArrayType::Bool { byte(at) & 1 } else { byte(at) });
    Array::new(element, shape, bytes.collect()).unwrap()
}

/// One to three types of nodes, none to four of edges, features of all. Relations are called `relation` and their
/// number.
pub(crate) fn graphs(
    name: &'static str,
    relation: &'static str,
    features: Features,
) -> impl Strategy<Value = LargeGraph> {
    proptest::collection::vec(0..40_usize, 1..4).prop_flat_map(move |nodes| {
        let node_types: Vec<_> = nodes.iter().map(|&nodes| features(nodes)).collect();
        let (kinds, counts) = (nodes.len(), nodes.clone());
        let edge_types = proptest::collection::vec((0..kinds, 0..kinds, 0..150_usize, any::<u64>()), 0..5);
        let edge_types = edge_types.prop_flat_map(move |types| {
            let types = types.into_iter().enumerate().map(|(number, (from, to, edges, seed))| {
                let edges = if counts[from] == 0 || counts[to] == 0 { 0 } else { edges as u64 };
                let mix = |edge: u64, step: u64| (edge ^ seed).wrapping_mul(step) >> 33;
                let ids = |nodes: usize, step| (0..edges).map(move |edge| (mix(edge, step) % nodes as u64) as i64);
                let sources: Vec<i64> = ids(counts[from], 0x9E37_79B9_7F4A_7C15).collect();
                let targets: Vec<i64> = ids(counts[to], 0xC2B2_AE3D_27D4_EB4F).collect();
                let name = [format!("n{from}"), format!("{relation}{number}"), format!("n{to}")];
                features(edges as usize).prop_map(move |features| {
                    let (sources, targets) = (sources.clone(), targets.clone());
                    EdgeType { name: name.clone(), sources, targets, features }
                })
            });
            types.collect::<Vec<_>>()
        });
        (node_types, edge_types).prop_map(move |(features, edge_types)| {
            let node_types = nodes.iter().zip(features).enumerate();
            let node_types = node_types
                .map(|(number, (&nodes, features))| NodeType { name: format!("n{number}"), nodes, features })
                .collect();
            LargeGraph { name: name.into(), node_types, edge_types }
        })
    })
}

/// The same, assigned to at most five parts, which need not be equal.
pub(crate) fn assigned(features: Features) -> impl Strategy<Value = (LargeGraph, Assignment)> {
    (graphs("any", "r", features), 1..6_usize).prop_flat_map(|(graph, parts)| {
        let owners: Vec<_> =
            graph.node_types.iter().map(|kind| proptest::collection::vec(0..parts as u16, kind.nodes)).collect();
        owners.prop_map(move |owners| (graph.clone(), Assignment::new(parts, owners).unwrap()))
    })
}
