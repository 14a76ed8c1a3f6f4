//! `stats` and `report`: whether the loader or the step is the bottleneck, and what batches were like.

use graphpack_loader::report::{Report, Stats, Verdict};
use graphpack_loader::{Data, Loader, Options, Order, Shapes, molecules};
use std::time::Duration;

#[test]
fn the_verdict_names_the_bottleneck() {
    let loader = Loader::new(molecules::generate(1, 400), Options::graphs(8).workers(1)).unwrap();
    let mut epoch = loader.epoch(0);
    assert_eq!(epoch.stats().verdict(), Verdict::Unknown);
    epoch.by_ref().take(8).for_each(|batch| drop(batch.unwrap()));
    let stats = epoch.stats();
    assert!(
        stats.bytes == 8 * loader.layout().unwrap().bytes() as u64 && stats.workers == 1 && !stats.collating.is_zero()
    );

    let of = |waited: u64, collating: u64, workers: usize| {
        let mut stats = Stats::default();
        let milliseconds = Duration::from_millis;
        (stats.batches, stats.workers) = (10, workers);
        (stats.elapsed, stats.waited, stats.collating) =
            (milliseconds(1000), milliseconds(waited), milliseconds(collating));
        stats.verdict().to_string()
    };
    assert_eq!(of(3, 900, 1), "the step is the bottleneck: 0.3 % of the time was spent waiting for data");
    let loader = "the loader is the bottleneck: 60.0 % of the time was spent waiting for data; ";
    assert_eq!(of(600, 990, 1), format!("{loader}2 more workers would help"));
    assert_eq!(of(600, 790, 1), format!("{loader}1 more worker would help"));
    assert_eq!(of(600, 300, 1), format!("{loader}there are enough workers, the wait was the start of the epoch"));
}

#[test]
fn reports_of_single_batches_add_up_to_that_of_the_epoch() {
    let [a, b] = [(1, 300), (2, 100)].map(|(seed, graphs)| molecules::generate(seed, graphs).into());
    let data = Data::mix(&[("a", &a), ("b", &b)]).unwrap();
    let loader =
        Loader::new(data, Options::exactly(7).shapes(Shapes::Multiple(64)).order(Order::Shuffled).seed(1)).unwrap();
    let (mut epoch, mut sum) = (loader.epoch(0), Report::default());
    while let Some(batch) = epoch.next() {
        sum += epoch.report().of_batch(&batch.unwrap());
    }
    let whole = epoch.report();
    assert!(whole.shapes().len() > 2 && whole.graphs_per_batch().len() == 8);
    assert_eq!((sum.shapes(), sum.graphs_per_batch()), (whole.shapes(), whole.graphs_per_batch()));
    assert_eq!((sum.drawn(), sum.drawn()[1].1), (whole.drawn(), 100));
    assert_eq!(sum.to_string(), whole.to_string());
}
