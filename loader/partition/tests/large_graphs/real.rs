//! Graphs of the data folder.

use graphpack_partition::chunked::EdgeList;
use graphpack_partition::{Array, ArrayType, EdgeType, LargeGraph, NodeType};
use test_common::shared_data;

/// Both directions of each edge of a list; every seventh node is one to train on. `None` if there is no such file.
pub(crate) fn graph(name: &str) -> Option<LargeGraph> {
    let path = shared_data().join(format!("edge_lists/{name}.edges.csv.gz"));
    if !path.exists() {
        eprintln!("skipped: no {}", path.display());
        return None;
    }
    let (mut sources, mut targets) = (Vec::new(), Vec::new());
    for edge in EdgeList::open(path, None).unwrap() {
        let [source, target] = edge.unwrap();
        sources.extend([source, target]);
        targets.extend([target, source]);
    }
    let nodes = 1 + sources.iter().copied().max().unwrap() as usize;
    let mask = (0..nodes).map(|node| u8::from(node % 7 == 0)).collect();
    let mask = Array::new(ArrayType::Bool, vec![nodes], mask).unwrap();
    let node = NodeType { name: "_N".into(), nodes, features: vec![("train_mask".into(), mask)] };
    let name = ["_N".into(), "_E".into(), "_N".into()];
    let edge = EdgeType { name, sources, targets, features: Vec::new() };
    Some(LargeGraph { name: "graph".into(), node_types: vec![node], edge_types: vec![edge] })
}
