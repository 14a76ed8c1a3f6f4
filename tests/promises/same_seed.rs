//! Promise 3: the same seed gives the same batches, bit for bit, for any number of workers and on every platform.

use graphpack_core::{Heuristic, Packer};
use graphpack_loader::{Batch, Loader, Options, Order, Shapes, Store, molecules};
use proptest::prelude::*;
use proptest::sample::Index;
use std::sync::Arc;
use test_common::{batches, batchings, data_sets, graph_ids};

fn loader(data: &Arc<Store>, seed: u64, workers: usize, prefetch: usize) -> Loader {
    Loader::new(data.clone(), Options::graphs(24).order(Order::Shuffled).seed(seed).workers(workers).prefetch(prefetch))
        .unwrap()
}

#[test]
fn for_any_number_of_workers_and_any_prefetch() {
    let data = Arc::new(molecules::generate(2, 500));
    let bytes = |workers, prefetch| -> Vec<Vec<u8>> {
        batches(loader(&data, 9, workers, prefetch).epoch(4)).iter().map(|batch| batch.bytes().to_vec()).collect()
    };
    let expected = bytes(0, 0);
    for (workers, prefetch) in [(1, 0), (1, 1), (2, 1), (2, 7), (4, 3), (8, 16)] {
        assert!(bytes(workers, prefetch) == expected, "{workers} workers, prefetch {prefetch}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn for_any_data_and_way_of_batching(
        drawn in data_sets(), way in any::<Index>(), seed in any::<u64>(),
        workers in 1..5_usize, prefetch in 0..6_usize,
    ) {
        let data = Arc::new(drawn.store());
        let way = way.get(&batchings(&data)).clone();
        let bytes = |workers, prefetch| -> Vec<Vec<u8>> {
            let options = way.clone().order(Order::Shuffled).seed(seed);
            let loader = Loader::new(data.clone(), options.workers(workers).prefetch(prefetch)).unwrap();
            batches(loader.epoch(3)).iter().map(|batch| batch.bytes().to_vec()).collect()
        };
        prop_assert!(bytes(workers, prefetch) == bytes(0, 0));
    }
}

/// The bytes between arrays, too, where batches of several shapes take the same memory one after the other.
#[test]
fn for_memory_that_other_shapes_had() {
    let data = Arc::new(molecules::generate(2, 500));
    for shapes in [Shapes::Exact, Shapes::Multiple(8), Shapes::PowerOfTwo, Shapes::Few(3)] {
        for workers in [0, 2] {
            let options = Options::graphs(4).shapes(shapes).order(Order::Shuffled).seed(9).workers(workers);
            let loader = Loader::new(data.clone(), options).unwrap();
            // Each batch has memory of its own while all are kept.
            let kept = batches(loader.epoch(1));
            assert!(kept.iter().any(|batch| batch.shape() != kept[0].shape()));
            let bytes = |batch: Result<Batch, _>| batch.unwrap().bytes().to_vec();
            for (recycled, kept) in loader.epoch(1).map(bytes).zip(&kept) {
                assert!(recycled == kept.bytes(), "{shapes}, {kept:?}");
            }
            let mut arrays: Vec<_> = kept[0].layout().arrays().iter().map(|array| array.range()).collect();
            arrays.sort_by_key(|range| range.start);
            let ends = [0].into_iter().chain(arrays.iter().map(|range| range.end));
            let starts = arrays.iter().map(|range| range.start).chain([kept[0].bytes().len()]);
            let mut gaps = ends.zip(starts).map(|(end, start)| &kept[0].bytes()[end..start]);
            assert!(gaps.all(|gap| gap.iter().all(|&byte| byte == 0)));
        }
    }
}

#[test]
fn epochs_and_seeds_differ() {
    let data = Arc::new(molecules::generate(2, 500));
    let ids = |seed, epoch| graph_ids(loader(&data, seed, 1, 2).epoch(epoch));
    assert_eq!(ids(9, 4), ids(9, 4));
    assert_ne!(ids(9, 4), ids(9, 5));
    assert_ne!(ids(9, 4), ids(8, 4));
}

#[test]
fn an_epoch_can_start_anywhere() {
    let data = Arc::new(molecules::generate(2, 500));
    let loader = loader(&data, 9, 3, 2);
    let all: Vec<_> = batches(loader.epoch(1)).iter().map(|batch| (batch.step(), batch.bytes().to_vec())).collect();
    let from = |start| loader.epoch_from(&loader.state(1).unwrap(), start).unwrap();
    for start in [0, 1, all.len() - 1, all.len()] {
        let rest: Vec<_> = batches(from(start)).iter().map(|batch| (batch.step(), batch.bytes().to_vec())).collect();
        assert!(rest == all[start..], "from batch {start}");
    }
    let error = from(all.len() + 1).next().unwrap().unwrap_err();
    assert_eq!(error.to_string(), format!("cannot skip {} steps: this rank has {} left", all.len() + 1, all.len()));
}

/// These graph numbers may change only on purpose, with a note in the changelog.
#[test]
fn the_order_is_the_one_written_down() {
    let data = molecules::generate(2, 60);
    let packer = Packer::BestFit(Heuristic::Maximum);
    let loader = Loader::new(data, Options::graphs(24).grouping(packer).order(Order::Shuffled).seed(9)).unwrap();
    assert_eq!(graph_ids(loader.epoch(0))[..12], [38, 48, 12, 49, 1, 32, 51, 28, 36, 6, 58, 5]);
}
