//! Batches that are made ahead of the training are those of the loader, in order, and resumed after any of them; 64-bit
//! numbers become 32-bit ones only where they fit.

use burn_core::data::dataloader::DataLoader;
use burn_core::tensor::{DType, Device};
use graphpack_adapters::{BurnBatch, BurnLoader};
use graphpack_loader::{Batch, Column, Data, Level, Loader, Options, Order, Store, molecules};
use std::env;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn options() -> Options {
    Options::graphs(16).order(Order::Shuffled).seed(5).workers(2)
}

fn burn(ahead: usize) -> BurnLoader {
    BurnLoader::new(Loader::new(molecules::generate(3, 300), options()).unwrap(), Device::flex()).ahead(ahead)
}

fn batches(loader: &dyn DataLoader<BurnBatch>) -> Vec<BurnBatch> {
    loader.iter().map(|batch| batch.unwrap()).collect()
}

fn ids(batch: &BurnBatch) -> Vec<i64> {
    batch.int::<1>("graph_ids").unwrap().to_data().try_into_vec().unwrap()
}

/// 40 graphs of two nodes and two edges, with a value per graph.
fn with_values(long: Vec<i64>, double: Vec<f64>) -> Loader {
    let ptr: Vec<u64> = (0..=40).map(|graph| 2 * graph).collect();
    let edges = [(0..80).map(|node| node % 2).collect(), (0..80).map(|node| 1 - node % 2).collect()];
    let columns = vec![Column::new("long", Level::Graph, 1, long), Column::new("double", Level::Graph, 1, double)];
    Loader::new(Store::of_columns(ptr.clone(), ptr, edges, columns).unwrap(), Options::graphs(7)).unwrap()
}

#[test]
fn batches_made_ahead_are_those_of_the_loader() {
    let plain = Loader::new(molecules::generate(3, 300), options()).unwrap();
    for ahead in [0, 1, 2, 1000, usize::MAX] {
        let loader = burn(ahead);
        for epoch in 0..2 {
            // All at once: a batch that is held is not written again.
            let held = batches(&loader);
            let expected: Vec<Batch> = plain.epoch(epoch).map(Result::unwrap).collect();
            assert_eq!(held.len(), expected.len());
            for (held, expected) in held.iter().zip(&expected) {
                let x = held.int::<2>("x").unwrap().to_data();
                assert_eq!(x.as_slice::<i64>().unwrap(), expected.get::<i64>("x").unwrap());
                assert_eq!((held.epoch(), held.step()), (epoch, expected.step()));
                assert_eq!(held.state(), expected.state());
            }
        }
    }
}

#[test]
fn progress_counts_batches_that_were_given() {
    let loader = burn(5);
    let total = loader.num_items();
    let mut epoch = loader.iter();
    for done in 0..total {
        let progress = epoch.progress();
        assert_eq!((progress.items_processed, progress.items_total), (done, total));
        assert!(epoch.next().unwrap().is_ok());
    }
    assert!(epoch.next().is_none() && epoch.progress().is_completed());
}

#[test]
fn a_run_is_resumed_after_any_batch_that_was_given() {
    let all = burn(2).starting_at(1);
    let [first, second] = [batches(&all), batches(&all)];
    for (given, ahead) in [(0, 0), (4, 3), (first.len() - 1, 2)] {
        let interrupted = burn(ahead).starting_at(1);
        let last = interrupted.iter().nth(given).unwrap().unwrap();
        let resumed = burn(ahead).resume(&last.state()).unwrap();
        let rest = &first[given + 1..];
        assert_eq!(resumed.num_items(), first.len());
        let mut epoch = resumed.iter();
        assert_eq!(epoch.progress().items_processed, given + 1);
        let found: Vec<_> = epoch.by_ref().map(|batch| ids(&batch.unwrap())).collect();
        assert_eq!(found, rest.iter().map(ids).collect::<Vec<_>>());
        assert!(epoch.progress().is_completed());
        assert_eq!(resumed.num_items(), second.len());
        assert!(batches(&resumed).iter().map(ids).eq(second.iter().map(ids)));
    }
    let other = Loader::new(molecules::generate(4, 300), Options::graphs(16).order(Order::Shuffled).seed(5)).unwrap();
    assert!(BurnLoader::new(other, Device::flex()).resume(&first[0].state()).is_err());
}

/// Nobody has memory for the stack that the variable names, not even the test's own thread: it runs on the first one.
#[cfg(target_os = "linux")]
#[test]
fn a_thread_that_cannot_start_is_the_only_item() {
    const STACK: &str = "RUST_MIN_STACK";
    if env::var_os(STACK).is_none() {
        let mut alone = Command::new(env::current_exe().unwrap());
        alone.args(["a_thread_that_cannot_start_is_the_only_item", "--exact", "--test-threads=1"]);
        let output = alone.env(STACK, (1_u64 << 60).to_string()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        return;
    }
    let items: Vec<_> =
        BurnLoader::new(Loader::new(molecules::generate(3, 300), options().workers(0)).unwrap(), Device::flex())
            .iter()
            .collect();
    let error = items[0].as_ref().unwrap_err().to_string();
    assert!(items.len() == 1 && error.starts_with("cannot start the thread that makes tensors: "), "{error}");
}

#[test]
fn dropping_an_epoch_at_any_moment_ends_its_threads() {
    for taken in [0, 1, 4] {
        let seen = Arc::new(AtomicUsize::new(0));
        let count = seen.clone();
        let counting = Data::from(molecules::generate(3, 300)).map("count", move |_| {
            count.fetch_add(1, Ordering::Relaxed);
            Ok(())
        });
        let loader = BurnLoader::new(Loader::new(counting, options()).unwrap(), Device::flex()).ahead(2);
        assert_eq!(loader.iter().take(taken).filter(Result::is_ok).count(), taken);
        drop(loader);
        assert_eq!(Arc::strong_count(&seen), 1);
        assert!(seen.load(Ordering::Relaxed) < 300, "all graphs were loaded for {taken} batches");
    }
}

#[test]
fn narrow_batches_have_32_bits_where_values_fit() {
    let long: Vec<i64> = (0..40).map(|i| i - 20).collect();
    let double: Vec<f64> = (0..40).map(|i| f64::from(i) / 7.0).collect();
    let plain = with_values(long.clone(), double.clone());
    let narrow = BurnLoader::new(with_values(long.clone(), double), Device::flex()).narrow();
    for (batch, narrow) in plain.epoch(0).zip(narrow.iter()) {
        let (batch, narrow) = (batch.unwrap(), narrow.unwrap());
        let indices = narrow.int::<2>("edge_index").unwrap().to_data();
        assert_eq!(indices.dtype(), DType::I32);
        let expected: Vec<i32> = batch.get::<i64>("edge_index").unwrap().iter().map(|&node| node as i32).collect();
        assert_eq!(indices.try_into_vec::<i32>().unwrap(), expected);
        let rounded: Vec<f32> = batch.get::<f64>("double").unwrap().iter().map(|&value| value as f32).collect();
        assert_eq!(narrow.float::<2>("double").unwrap().into_data().try_into_vec::<f32>().unwrap(), rounded);
        assert_eq!(narrow.bool::<1>("graph_mask").unwrap().dims(), [batch.shape().graphs()]);
    }
    for (graph, value, fits) in
        [(20, i64::from(i32::MIN) - 1, false), (20, i64::from(i32::MIN), true), (39, i64::MAX, false)]
    {
        let mut long = long.clone();
        long[graph] = value;
        let loader = BurnLoader::new(with_values(long, vec![0.0; 40]), Device::flex()).narrow();
        let items: Vec<_> = loader.iter().collect();
        let errors: Vec<String> = items.iter().filter_map(|item| Some(item.as_ref().err()?.to_string())).collect();
        if fits {
            assert_eq!((errors.len(), items.len()), (0, plain.batches(0).unwrap()));
            continue;
        }
        let place = |batch: Batch| batch.graph_ids().iter().position(|&id| id == graph as i64);
        let places = plain.epoch(0).map(|batch| place(batch.unwrap()));
        let (step, element) = places.enumerate().find_map(|(step, element)| Some((step, element?))).unwrap();
        let expected = "array \"long\": expected values of int32, its dtype on the device";
        assert_eq!(errors, [format!("{expected}, found {value} at element {element}")]);
        // The batches before it come first, and none after it.
        assert_eq!(items.len(), step + 1);
    }
    let mut double = vec![0.0; 40];
    double[8] = 1e300;
    let loader = BurnLoader::new(with_values(long, double), Device::flex()).narrow();
    let error = loader.iter().find_map(Result::err).unwrap().to_string();
    assert!(error.contains("array \"double\": expected values of float32"), "{error}");
}
