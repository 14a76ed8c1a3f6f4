//! Graphs with one type of nodes and of edges whose rows tell what they belong to.

use graphpack_loader::Random;
use graphpack_partition::{Array, ArrayType, Assignment, EdgeType, LargeGraph, NodeType};
use proptest::prelude::*;

/// Node features of four types whose rows tell their node, and edges that carry their id.
pub(crate) fn telling(nodes: usize, ends: &[[usize; 2]]) -> LargeGraph {
    let floats = (0..nodes).flat_map(|node| [node as f32, -(node as f32)]).flat_map(f32::to_le_bytes).collect();
    let mask = (0..nodes).map(|node| u8::from(node % 3 == 0)).collect();
    let small = (0..nodes).flat_map(|node| (2 * node as i32).to_le_bytes()).collect();
    let labels: Vec<i64> = (0..nodes as i64).map(|node| 5 * node).collect();
    let ids: Vec<i64> = (0..ends.len() as i64).collect();
    let array = |element, shape: &[usize], bytes| Array::new(element, shape.to_vec(), bytes).unwrap();
    let features = vec![
        ("x".to_owned(), array(ArrayType::F32, &[nodes, 2], floats)),
        ("train_mask".to_owned(), array(ArrayType::Bool, &[nodes], mask)),
        ("small".to_owned(), array(ArrayType::I32, &[nodes, 1, 1], small)),
        ("y".to_owned(), Array::of_i64(&labels)),
    ];
    let name = ["_N".into(), "_E".into(), "_N".into()];
    let edge = EdgeType {
        name,
        sources: ends.iter().map(|ends| ends[0] as i64).collect(),
        targets: ends.iter().map(|ends| ends[1] as i64).collect(),
        features: vec![("edge".into(), Array::of_i64(&ids))],
    };
    let node = NodeType { name: "_N".into(), nodes, features };
    LargeGraph { name: "g".into(), node_types: vec![node], edge_types: vec![edge] }
}

/// Loops and parallel edges among them; parts of any size, some empty.
pub(crate) fn telling_graphs() -> impl Strategy<Value = (LargeGraph, Assignment)> {
    let ends = proptest::collection::vec(any::<[u16; 2]>(), 0..150);
    (2..40_usize, ends, 1..7_usize, any::<u64>()).prop_map(|(nodes, ends, parts, seed)| {
        let ends: Vec<_> = ends.into_iter().map(|ends| ends.map(|end| usize::from(end) % nodes)).collect();
        let owners = (0..nodes).map(|node| ((seed >> (5 * node % 60)) as usize % 8 % parts) as u16).collect();
        (telling(nodes, &ends), Assignment::new(parts, vec![owners]).unwrap())
    })
}

/// A graph large enough for draws to differ: 600 nodes of degree 20.
pub(crate) fn larger() -> LargeGraph {
    let mut random = Random::new(3, 0);
    let mut end = || random.below(600) as usize;
    telling(600, &(0..12_000).map(|_| [end(), end()]).collect::<Vec<_>>())
}

/// A feature whose rows tell their number.
pub(crate) fn telling_features(rows: usize) -> BoxedStrategy<Vec<(String, Array)>> {
    Just(vec![("id".to_owned(), Array::of_i64(&(0..rows as i64).collect::<Vec<_>>()))]).boxed()
}
