//! Groups of parts and neighbourhoods, drawn: the same for the same seed.

use super::seen::{bytes, clusters};
use crate::generated::larger;
use graphpack_loader::{Data, Grouping, Loader, Options};
use graphpack_partition::pieces::NeighbourOptions;
use graphpack_partition::{Assignment, ClusterGroups, Cut, Neighbours};
use std::sync::Arc;
use test_common::batches;

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
    let drawn = |epoch| [groups(1).epoch(epoch).into(), Data::from(neighbours(1).epoch(epoch))];
    let fingerprints = [0, 1].map(|epoch| drawn(epoch).map(|data| data.fingerprint()));
    assert!((0..2).all(|k| fingerprints[0][k] != fingerprints[1][k]));
    // Three more roots to a batch than fit on average would be a shape too large by as much.
    let limits = neighbours(1).limits(64);
    let loader =
        Loader::new(neighbours(1).epoch(7), Options::default().grouping(Grouping::InOrder).capacity(limits)).unwrap();
    let sizes: Vec<usize> = batches(loader.epoch(7)).iter().map(|batch| batch.real().graphs()).collect();
    assert_eq!(sizes, [64, 64, 64, 8], "the number of roots is what ends a batch");
}
