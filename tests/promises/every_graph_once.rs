//! Promise 1: an epoch holds each graph exactly once, for any number of workers and packs; none is lost in silence.

use graphpack_core::Limits;
use graphpack_loader::{BuildError, Loader, Oversize, Subset, molecules};
use proptest::prelude::*;
use std::sync::Arc;
use test_common::{batches, batchings, graph_ids, sizes, store_of};

fn sorted(mut ids: Vec<i64>) -> Vec<i64> {
    ids.sort_unstable();
    ids
}

#[test]
fn for_any_number_of_workers() {
    let sizes: Vec<[u32; 2]> = (0..700).map(|graph| [1 + graph % 11, graph % 20]).collect();
    let data = Arc::new(store_of(&sizes));
    for workers in [0, 1, 2, 4] {
        for (batching, capacity) in batchings() {
            let options = Loader::new(data.clone()).batching(batching).capacity(capacity).shuffle(5);
            let loader = options.workers(workers).build().unwrap();
            for epoch in 0..3 {
                assert_eq!(sorted(graph_ids(loader.epoch(epoch))), (0..700).collect::<Vec<_>>(), "{workers} workers");
                assert_eq!(loader.epoch(epoch).count(), loader.batches(epoch), "the number of batches is known before");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn with_its_own_contents(
        sizes in sizes(), packs in 1..4_usize, workers in 0..4_usize, seed in any::<Option<u64>>(), epoch in 0..9_u64,
    ) {
        let store = Arc::new(store_of(&sizes));
        let limits = Limits::new([24, 40]).graphs(9);
        let mut options = Loader::new(store.clone()).limits(limits).packs_per_batch(packs).workers(workers);
        if let Some(seed) = seed {
            options = options.shuffle(seed);
        }
        let loader = options.build().unwrap();
        prop_assert_eq!(loader.plan::<2>().unwrap().graphs(), sizes.len() as u64);
        let mut seen = Vec::new();
        for batch in batches(loader.epoch(epoch)) {
            let (sources, targets) = batch.edge_index::<i64>().unwrap();
            let mut at = [0, 0];
            for (place, &id) in batch.graph_ids().iter().enumerate() {
                seen.push(id);
                let graph = id as usize;
                let [nodes, edges] = sizes[graph].map(|n| n as usize);
                let first: [usize; 2] = [0, 1].map(|k| sizes[..graph].iter().map(|size| size[k] as usize).sum());
                let x: Vec<f32> = (2 * first[0]..2 * (first[0] + nodes)).map(|i| i as f32 + 0.5).collect();
                prop_assert_eq!(&batch.get::<f32>("x").unwrap()[2 * at[0]..][..2 * nodes], x);
                let attr: Vec<i32> = (first[1]..first[1] + edges).map(|i| i as i32 + 1).collect();
                prop_assert_eq!(&batch.get::<i32>("edge_attr").unwrap()[at[1]..][..edges], attr);
                prop_assert_eq!(batch.get::<f64>("y").unwrap()[3 * place], 3.0 * graph as f64 + 1.0);
                prop_assert!(batch.get::<bool>("known").unwrap()[place]);
                let (from, to) = store.edges(graph);
                for edge in 0..edges {
                    prop_assert_eq!(sources[at[1] + edge], from[edge] + at[0] as i64);
                    prop_assert_eq!(targets[at[1] + edge], to[edge] + at[0] as i64);
                }
                prop_assert_eq!(batch.ptr::<i64>().unwrap()[place], at[0] as i64);
                let graphs = &batch.batch::<i64>().unwrap()[at[0]..at[0] + nodes];
                prop_assert!(graphs.iter().all(|&graph| graph == place as i64));
                at = [at[0] + nodes, at[1] + edges];
            }
        }
        prop_assert_eq!(sorted(seen), (0..sizes.len() as i64).collect::<Vec<_>>());
    }
}

#[test]
fn a_subset_keeps_the_numbers_of_the_data_set() {
    let data = Arc::new(molecules::generate(1, 50));
    let subset = Subset::new(data.clone(), vec![40, 7, 8]).unwrap();
    assert_eq!(sorted(graph_ids(Loader::new(subset).build().unwrap().epoch(0))), [7, 8, 40]);
    let error = Subset::new(data, vec![3, 50]).unwrap_err();
    assert_eq!(error.to_string(), "entry 1 of the subset is graph 50, but the source has 50 graphs");
}

#[test]
fn oversize_graphs_are_an_error_or_counted() {
    let data = Arc::new(store_of(&[[3, 4], [50, 10], [9, 99], [2, 2]]));
    let limits = Limits::new([16, 32]);
    let error = Loader::new(data.clone()).limits(limits).build().map(|_| ()).unwrap_err();
    assert!(matches!(error, BuildError::Oversize { graph: 1, others: 1, .. }));
    let message = "graph 1 has 50 nodes and 10 edges, the limits are 16 nodes and 32 edges (1 more graphs exceed them)";
    assert!(error.to_string().starts_with(message), "{error}");
    let loader = Loader::new(data).limits(limits).oversize(Oversize::Skip).build().unwrap();
    assert_eq!(loader.skipped(), 2);
    assert_eq!(sorted(graph_ids(loader.epoch(0))), [0, 3]);
}

#[test]
fn the_last_batch_may_hold_fewer_packs() {
    let loader = Loader::new(store_of(&[[4, 4]; 7])).limits(Limits::new([4, 4])).packs_per_batch(3).build().unwrap();
    let real: Vec<_> = batches(loader.epoch(0)).iter().map(|batch| batch.real().graphs()).collect();
    assert_eq!((real, loader.batches(0)), (vec![3, 3, 1], 3));
}
