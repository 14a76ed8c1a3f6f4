//! Groups of parts and neighbourhoods, drawn: the same for the same seed, and how long that takes.

mod common;
#[path = "common/pieces.rs"]
mod pieces;

use common::batches;
use common::numbers::numbers;
use graphpack_loader::{Batching, Loader, Source};
use graphpack_partition::{Array, ArrayType, Assignment, ClusterGroups, Cut, NeighbourOptions, Neighbours};
use pieces::{bytes, clusters, graph, larger};
use std::sync::Arc;
use std::time::Instant;

#[test]
fn same_seed_same_batches_for_any_number_of_workers() {
    let graph = Arc::new(larger());
    let cut = Cut::new(&graph, &Assignment::random(&graph, 12, 5).unwrap(), 1).unwrap();
    let all = Arc::new(clusters(&cut, false));
    let groups = |seed| ClusterGroups::new(all.clone(), 3, seed).unwrap().between(true);
    let neighbours = |seed| {
        let options = NeighbourOptions { fan_outs: vec![4, 3], seed, ..NeighbourOptions::default() };
        Neighbours::new(graph.clone(), &(0..200).collect::<Vec<_>>(), options).unwrap()
    };
    let groups_of = |seed, epoch, workers| bytes(groups(seed).epoch(epoch), groups(1).limits(), workers);
    let neighbours_of = |seed, epoch, workers| bytes(neighbours(seed).epoch(epoch), neighbours(1).limits(16), workers);
    let (first, second) = (groups_of(1, 0, 0), neighbours_of(1, 0, 0));
    for workers in [1, 3] {
        assert!(groups_of(1, 0, workers) == first && neighbours_of(1, 0, workers) == second);
    }
    assert!(groups_of(1, 1, 1) != first && neighbours_of(1, 1, 1) != second, "epochs differ");
    assert!(groups_of(2, 0, 1) != first && neighbours_of(2, 0, 1) != second, "seeds differ");
    // A state belongs to its epoch.
    let fingerprints =
        [0, 1].map(|epoch| [groups(1).epoch(epoch).fingerprint(), neighbours(1).epoch(epoch).fingerprint()]);
    assert!((0..2).all(|k| fingerprints[0][k] != fingerprints[1][k]));
    // Three more seeds to a batch than fit on average would be a shape too large by as much.
    let limits = neighbours(1).limits(64);
    let loader = Loader::new(neighbours(1).epoch(7)).batching(Batching::Dynamic).limits(limits).build().unwrap();
    let sizes: Vec<usize> = batches(loader.epoch(7)).iter().map(|batch| batch.real().graphs()).collect();
    assert_eq!(sizes, [64, 64, 64, 8], "the number of seeds is what ends a batch");
}

/// `cargo test --release --test pieces_drawn -- --ignored --nocapture`
#[test]
#[ignore = "a measurement"]
fn seconds_per_epoch() {
    const NODES: usize = 200_000;
    let mut numbers = numbers(3);
    let ends: Vec<_> = (0..2_000_000).map(|_| [numbers(NODES), numbers(NODES)]).collect();
    let mut graph = graph(NODES, &ends);
    let x = Array::new(ArrayType::F32, vec![NODES, 32], vec![0; 128 * NODES]).unwrap();
    graph.node_types[0].features = vec![("x".into(), x)];
    let graph = Arc::new(graph);
    let cut = Cut::new(&graph, &Assignment::random(&graph, 200, 1).unwrap(), 1).unwrap();
    let timed = |what: &str, work: &mut dyn FnMut()| {
        let start = Instant::now();
        work();
        println!("| {what} | {:.3} s |", start.elapsed().as_secs_f64());
    };
    let mut all = None;
    timed("`Cut::parts`, `Clusters::new`", &mut || all = Some(Arc::new(clusters(&cut, false))));
    let groups = ClusterGroups::new(all.unwrap(), 10, 1).unwrap().between(true);
    timed("`ClusterGroups::epoch`", &mut || assert_eq!(groups.epoch(0).len(), 20));
    let epoch = |source: Arc<dyn Source>, limits| {
        let loader = Loader::new(source).batching(Batching::Dynamic).limits(limits).shuffle(1).workers(0);
        let batches = loader.build().unwrap().epoch(0).inspect(|batch| assert!(batch.is_ok()));
        batches.count()
    };
    let limits = groups.limits_of(0..1);
    timed("its 20 batches", &mut || assert_eq!(epoch(Arc::new(groups.epoch(0)), limits), 20));
    let seeds: Vec<i64> = (0..40_000).collect();
    for fan_outs in [vec![10, 5], vec![15, 10, 5]] {
        let name = format!("{fan_outs:?}");
        let options = NeighbourOptions { fan_outs, ..NeighbourOptions::default() };
        let mut neighbours = None;
        timed(&format!("`Neighbours::new`, {name}"), &mut || {
            neighbours = Neighbours::new(graph.clone(), &seeds, options.clone()).ok();
        });
        let neighbours = neighbours.unwrap();
        let mut drawn = None;
        timed("`epoch`, 40,000 seeds", &mut || drawn = Some(Arc::new(neighbours.epoch(0))));
        let drawn = drawn.unwrap();
        let nodes: u64 = (0..drawn.len()).map(|graph| u64::from(drawn.size(graph).0[0])).sum();
        timed(&format!("its batches of 512, {nodes} nodes"), &mut || {
            assert!(epoch(drawn.clone(), neighbours.limits(512)) >= 79);
        });
    }
}
