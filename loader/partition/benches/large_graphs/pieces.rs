//! Drawing groups of clusters and neighbourhoods, and loading them, on one thread.

use graphpack_loader::{Data, Grouping, Loader, Options, Order, Random, Source};
use graphpack_partition::pieces::{ClusterOptions, NeighbourOptions};
use graphpack_partition::{
    Array, ArrayType, Assignment, ClusterGroups, Clusters, Cut, EdgeType, LargeGraph, Neighbours, NodeType,
};
use std::sync::Arc;
use std::time::Instant;

pub(crate) fn table() {
    const NODES: usize = 200_000;
    let mut random = Random::new(3, 0);
    let mut end = || i64::from(random.below(NODES as u32));
    let (sources, targets) = (0..2_000_000).map(|_| (end(), end())).unzip();
    let x = Array::new(ArrayType::F32, vec![NODES, 32], vec![0; 128 * NODES]).unwrap();
    let node = NodeType { name: "_N".into(), nodes: NODES, features: vec![("x".into(), x)] };
    let edge = EdgeType { name: ["_N", "_E", "_N"].map(String::from), sources, targets, features: Vec::new() };
    let graph = Arc::new(LargeGraph { name: "g".into(), node_types: vec![node], edge_types: vec![edge] });
    let cut = Cut::new(&graph, &Assignment::random(&graph, 200, 1).unwrap(), 1).unwrap();
    println!("| | seconds |");
    println!("|---|---|");
    let timed = |what: &str, work: &mut dyn FnMut()| {
        let start = Instant::now();
        work();
        println!("| {what} | {:.3} s |", start.elapsed().as_secs_f64());
    };
    let mut all = None;
    timed("`Cut::parts`, `Clusters::new`", &mut || {
        all = Clusters::new(cut.book(), cut.parts(), &ClusterOptions::default()).ok();
    });
    let groups = ClusterGroups::new(Arc::new(all.unwrap()), 10, 1).unwrap().between(true);
    timed("`ClusterGroups::epoch`", &mut || assert_eq!(groups.epoch(0).len(), 20));
    let epoch = |data: Data, limits| {
        let options =
            Options::default().grouping(Grouping::InOrder).capacity(limits).order(Order::Shuffled).seed(1).workers(0);
        let batches = Loader::new(data, options).unwrap().epoch(0).inspect(|batch| assert!(batch.is_ok()));
        batches.count()
    };
    let limits = groups.limits_of(0..1);
    timed("its 20 batches", &mut || assert_eq!(epoch(groups.epoch(0).into(), limits), 20));
    let roots: Vec<i64> = (0..40_000).collect();
    for fan_outs in [vec![10, 5], vec![15, 10, 5]] {
        let name = format!("{fan_outs:?}");
        let options = NeighbourOptions { fan_outs, ..NeighbourOptions::default() };
        let mut neighbours = None;
        timed(&format!("`Neighbours::new`, {name}"), &mut || {
            neighbours = Neighbours::new(graph.clone(), &roots, options.clone()).ok();
        });
        let neighbours = neighbours.unwrap();
        let mut drawn = None;
        timed("`epoch`, 40,000 roots", &mut || drawn = Some(Data::from(neighbours.epoch(0))));
        let drawn = drawn.unwrap();
        let nodes: u64 = drawn.sizes().unwrap().map(|size| u64::from(size[0])).sum();
        timed(&format!("its batches of 512, {nodes} nodes"), &mut || {
            assert!(epoch(drawn.clone(), neighbours.limits(512)) >= 79);
        });
    }
}
