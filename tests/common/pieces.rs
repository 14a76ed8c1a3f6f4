//! Large graphs and their pieces as graphs of batches, for tests of both kinds of pieces.

#![allow(dead_code, reason = "each test file uses some of it")]

use super::common::batches;
use super::common::numbers::numbers;
use graphpack_loader::{Batch, Batching, Loader, Source};
use graphpack_partition::{
    Array, ArrayType, Assignment, ClusterOptions, Clusters, Cut, EdgeType, LargeGraph, NodeType,
};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Node features of four types whose rows tell their node, and edges that carry their id.
pub(crate) fn graph(nodes: usize, ends: &[[usize; 2]]) -> LargeGraph {
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
pub(crate) fn graphs() -> impl Strategy<Value = (LargeGraph, Assignment)> {
    let ends = proptest::collection::vec(any::<[u16; 2]>(), 0..150);
    (2..40_usize, ends, 1..7_usize, any::<u64>()).prop_map(|(nodes, ends, parts, seed)| {
        let ends: Vec<_> = ends.into_iter().map(|ends| ends.map(|end| usize::from(end) % nodes)).collect();
        let owners = (0..nodes).map(|node| ((seed >> (5 * node % 60)) as usize % 8 % parts) as u16).collect();
        (graph(nodes, &ends), Assignment::new(parts, vec![owners]).unwrap())
    })
}

pub(crate) fn clusters(cut: &Cut, halo: bool) -> Clusters {
    let options = ClusterOptions { halo, original_ids: Some(cut.node_map(0)), ..ClusterOptions::default() };
    Clusters::new(cut.book(), cut.parts(), &options).unwrap()
}

/// A graph of a batch: original ids of nodes, whether they are owned, and edges by id with original ids of their ends. Features are compared
/// with those of the large graph on the way.
pub(crate) struct Seen {
    pub(crate) number: i64,
    pub(crate) nodes: Vec<i64>,
    pub(crate) first: Vec<bool>,
    pub(crate) edges: Vec<(i64, [i64; 2])>,
}

pub(crate) fn seen(batch: &Batch, mask: &str) -> Vec<Seen> {
    let (ids, mask) = (batch.get::<i64>("node_id").unwrap(), batch.get::<bool>(mask).unwrap());
    let (ptr, of_node) = (batch.ptr::<i64>().unwrap(), batch.batch::<i64>().unwrap());
    let (sources, targets) = batch.edge_index::<i64>().unwrap();
    let edge_ids = batch.get::<i64>("edge").unwrap();
    let x = batch.get::<f32>("x").unwrap();
    let (small, train) = (batch.get::<i32>("small").unwrap(), batch.get::<bool>("train_mask").unwrap());
    for node in 0..batch.real().nodes() {
        let id = ids[node];
        assert_eq!(x[2 * node..2 * node + 2], [id as f32, -(id as f32)]);
        assert_eq!((small[node], train[node]), (2 * id as i32, id % 3 == 0));
    }
    assert!(mask[batch.real().nodes()..].iter().all(|counts| !counts), "padding does not count");
    let graphs = batch.graph_ids().iter().enumerate().map(|(graph, &number)| {
        let rows = ptr[graph] as usize..ptr[graph + 1] as usize;
        let edges = (0..batch.real().edges()).filter(|&edge| of_node[sources[edge] as usize] == graph as i64);
        let edges = edges.map(|edge| (edge_ids[edge], [sources[edge], targets[edge]].map(|node| ids[node as usize])));
        Seen { number, nodes: ids[rows.clone()].to_vec(), first: mask[rows].to_vec(), edges: edges.collect() }
    });
    graphs.collect()
}

/// A slow search: edges of the graph both of whose ends are accepted.
pub(crate) fn edges_between(graph: &LargeGraph, accept: impl Fn(i64, i64) -> bool) -> BTreeSet<(i64, [i64; 2])> {
    let edges = &graph.edge_types[0];
    let ends = edges.sources.iter().zip(&edges.targets).zip(0..);
    ends.filter(|((from, to), _)| accept(**from, **to)).map(|((from, to), id)| (id, [*from, *to])).collect()
}

pub(crate) fn set<T: Ord + Copy>(list: &[T]) -> BTreeSet<T> {
    let set: BTreeSet<T> = list.iter().copied().collect();
    assert_eq!(set.len(), list.len(), "nothing twice");
    set
}

/// A graph large enough for draws to differ: 600 nodes of degree 20.
pub(crate) fn larger() -> LargeGraph {
    let mut numbers = numbers(3);
    graph(600, &(0..12_000).map(|_| [numbers(600), numbers(600)]).collect::<Vec<_>>())
}

pub(crate) fn bytes<S: Source + 'static>(source: S, limits: graphpack_core::Limits<2>, workers: usize) -> Vec<Vec<u8>> {
    let loader = Loader::new(source).batching(Batching::Dynamic).limits(limits).shuffle(9).workers(workers);
    batches(loader.build().unwrap().epoch(1)).iter().map(|batch| batch.bytes().to_vec()).collect()
}
