//! Graphs of a batch, told in original ids; and the slow way to what they should be.

use graphpack_loader::{Batch, Data, Grouping, Limits, Loader, Options, Order};
use graphpack_partition::pieces::{ClusterOptions, NodeIds};
use graphpack_partition::{Clusters, Cut, LargeGraph};
use std::collections::BTreeSet;
use test_common::batches;

pub(crate) fn clusters(cut: &Cut, halo: bool) -> Clusters {
    let options =
        ClusterOptions { halo, node_ids: NodeIds::Original([cut.node_map(0)].into()), ..ClusterOptions::default() };
    Clusters::new(cut.book(), cut.parts(), &options).unwrap()
}

/// A graph of a batch: original ids of nodes, whether they are owned, and edges by id with original ids of their ends.
/// Features are compared with those of the large graph on the way.
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

pub(crate) fn bytes(data: impl Into<Data>, limits: Limits, workers: usize) -> Vec<Vec<u8>> {
    let options =
        Options::default().grouping(Grouping::InOrder).capacity(limits).order(Order::Shuffled).seed(9).workers(workers);
    batches(Loader::new(data, options).unwrap().epoch(1)).iter().map(|batch| batch.bytes().to_vec()).collect()
}
