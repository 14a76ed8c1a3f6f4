//! Promise 1: an epoch holds each graph exactly once, for any number of workers and packs; none is lost in silence.

use graphpack_loader::{Data, ErrorKind, Grouping, Limits, Loader, Options, Order, Oversize, Packer, Size, molecules};
use proptest::prelude::*;
use proptest::sample::Index;
use std::sync::Arc;
use test_common::{assert_naive, batches, batchings, data_sets, graph_ids, store_of};

fn sorted(mut ids: Vec<i64>) -> Vec<i64> {
    ids.sort_unstable();
    ids
}

#[test]
fn for_any_number_of_workers() {
    let sizes: Vec<[u32; 2]> = (0..700).map(|graph| [1 + graph % 11, graph % 20]).collect();
    let data = Arc::new(store_of(&sizes));
    for workers in [0, 1, 2, 4] {
        for options in batchings(&data) {
            let options = options.order(Order::Shuffled).seed(5);
            let loader = Loader::new(data.clone(), options.workers(workers)).unwrap();
            for epoch in 0..3 {
                assert_eq!(sorted(graph_ids(loader.epoch(epoch))), (0..700).collect::<Vec<_>>(), "{workers} workers");
                assert_eq!(
                    loader.epoch(epoch).count(),
                    loader.batches(epoch).unwrap(),
                    "the number of batches is known before"
                );
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn with_its_own_contents(
        drawn in data_sets(), packs in 1..4_usize, workers in 0..4_usize, seed in any::<Option<u64>>(),
        epoch in 0..9_u64,
    ) {
        let store = Arc::new(drawn.store());
        let mut options = batchings(&store)[0].clone().packs(packs);
        if let Some(seed) = seed {
            options = options.order(Order::Shuffled).seed(seed);
        }
        let loader = Loader::new(store.clone(), options.workers(workers)).unwrap();
        prop_assert_eq!(loader.plan().unwrap().graphs(), store.len() as u64);
        let batches = batches(loader.epoch(epoch));
        batches.iter().for_each(|batch| assert_naive(batch, &store, store.schema().usual_padding()));
        let seen = batches.iter().flat_map(|batch| batch.graph_ids().to_vec()).collect();
        prop_assert_eq!(sorted(seen), (0..store.len() as i64).collect::<Vec<_>>());
    }

    /// Graphs that exceed the limits of any set come once, too, or are counted.
    #[test]
    fn whatever_exceeds_the_limits(drawn in data_sets(), of in any::<Index>(), way in 0..3_usize) {
        let store = Arc::new(drawn.store());
        let limits = Limits::new(store.size(of.index(store.len())).unwrap()).graphs(3);
        let limits = Limits { size: limits.size.max_each(&Size::of(limits.size.sets(), |_| 1)), ..limits };
        let grouping = [Grouping::Packed(Packer::Demand), Grouping::Window(3), Grouping::InOrder][way].clone();
        let fits = |graph: &i64| store.size(*graph as usize).unwrap().fits(&limits.size);
        let all = 0..store.len() as i64;
        let build = |oversize| {
            let options = Options::default().grouping(grouping.clone()).capacity(limits).oversize(oversize);
            Loader::new(store.clone(), options.order(Order::Shuffled).seed(2))
        };
        let skipping = build(Oversize::Skip).unwrap();
        prop_assert_eq!(sorted(graph_ids(skipping.epoch(0))), all.clone().filter(fits).collect::<Vec<_>>());
        prop_assert_eq!(skipping.skipped(), all.clone().filter(|graph| !fits(graph)).count());
        let alone = build(Oversize::Alone).unwrap();
        let batches = batches(alone.epoch(0));
        batches.iter().for_each(|batch| assert_naive(batch, &store, store.schema().usual_padding()));
        prop_assert!(batches.iter().all(|batch| batch.real().graphs() == 1 || batch.graph_ids().iter().all(fits)));
        let seen = batches.iter().flat_map(|batch| batch.graph_ids().to_vec()).collect();
        prop_assert_eq!(sorted(seen), all.clone().collect::<Vec<_>>());
        let trimming = build(Oversize::Trim).unwrap();
        prop_assert_eq!(trimming.trimmed(), skipping.skipped());
        match trimming.epoch(0).collect::<Result<Vec<_>, _>>() {
            Ok(batches) => {
                let graphs = || batches.iter().flat_map(|batch| batch.graphs());
                let seen = graphs().map(|graph| graph.number()).collect();
                prop_assert_eq!(sorted(seen), all.clone().collect::<Vec<_>>());
                for graph in graphs() {
                    prop_assert!(graph.size().fits(&limits.size));
                    prop_assert!(!fits(&graph.number()) || graph.size() == store.size(graph.number() as usize).unwrap());
                }
            }
            // An entry of the graph itself cannot go.
            Err(error) => prop_assert!(error.to_string().ends_with(", which is dropped"), "{error}"),
        }
        let first = all.into_iter().find(|graph| !fits(graph));
        match (build(Oversize::Error), first) {
            (Ok(_), None) => {}
            (Err(error), Some(first)) => prop_assert_eq!(error.graph(), Some(first as u64)),
            (found, expected) => panic!("{:?} in place of {expected:?}", found.err()),
        }
    }
}

#[test]
fn a_subset_keeps_the_numbers_of_the_data_set() {
    let data = Arc::new(molecules::generate(1, 50));
    let subset = Data::from(data.clone()).subset(vec![40, 7, 8]).unwrap();
    assert_eq!(sorted(graph_ids(Loader::new(subset, Options::default()).unwrap().epoch(0))), [7, 8, 40]);
    let error = Data::from(data).subset(vec![3, 50]).unwrap_err();
    assert_eq!(error.to_string(), "entry 1 of the subset is graph 50, but the data have 50 graphs");
}

#[test]
fn oversize_graphs_are_an_error_or_counted() {
    let data = Arc::new(store_of(&[[3, 4], [50, 10], [9, 99], [2, 2]]));
    let limits = Limits::new([16, 32]);
    let error = Loader::new(data.clone(), Options::default().capacity(limits)).map(|_| ()).unwrap_err();
    assert_eq!((error.kind(), error.graph()), (ErrorKind::Options, Some(1)));
    let message = "graph 1 has 50 nodes and 10 edges, the limits are 16 nodes and 32 edges (1 more graphs exceed them)";
    assert!(error.to_string().starts_with(message), "{error}");
    let loader = Loader::new(data, Options::default().capacity(limits).oversize(Oversize::Skip)).unwrap();
    assert_eq!(loader.skipped(), 2);
    assert_eq!(sorted(graph_ids(loader.epoch(0))), [0, 3]);
}

#[test]
fn the_last_batch_may_hold_fewer_packs() {
    let loader =
        Loader::new(store_of(&[[4, 4]; 7]), Options::default().capacity(Limits::new([4, 4])).packs(3)).unwrap();
    let real: Vec<_> = batches(loader.epoch(0)).iter().map(|batch| batch.real().graphs()).collect();
    assert_eq!((real, loader.batches(0).unwrap()), (vec![3, 3, 1], 3));
}
