//! `stats` and `report`: whether the loader or the step is the bottleneck, and what batches were like.

use graphpack_loader::extend::report_of;
use graphpack_loader::report::{Report, Stats, Verdict};
use graphpack_loader::{Data, Loader, Options, Order, Schema, Shape, Shapes, Shard, Store, molecules};
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

/// Two authors and one paper per graph, and what else `sets` has, one row each.
fn authors(sets: &[&str]) -> Store {
    let mut data = Store::new(Schema::of(sets).index("writes_index", sets[2], &[sets[0], sets[1]]));
    for _ in 0..20 {
        let rows = [&[2, 1][..], &vec![1; sets.len() - 2]].concat();
        data.push(&rows, |to| Ok(to.set_index("writes_index", &[&[1_u8], &[0]])?)).unwrap();
    }
    data
}

#[test]
fn rows_are_those_of_sets_by_name() {
    let batch_of = |sets: &[&str]| {
        let loader = Loader::new(authors(sets), Options::graphs(10)).unwrap();
        let mut epoch = loader.epoch(0);
        let batch = epoch.next().unwrap().unwrap();
        assert_eq!(loader.shape(), Some(batch.shape()));
        let all = [loader.shape().unwrap(), loader.shapes(0).unwrap()[0].0, batch.layout().shape(), batch.shape()];
        assert!(all.iter().all(|shape| (shape.nodes(), shape.edges()) == (all[0].nodes(), all[0].edges())));
        let stats = epoch.stats();
        assert_eq!((stats.real.nodes(), stats.real.edges()), (batch.real().nodes(), batch.real().edges()));
        batch
    };
    let batch = batch_of(&["author", "paper", "writes"]);
    let graphs = batch.real().graphs();
    assert_eq!((batch.real().nodes(), batch.real().edges()), (0, 0));
    assert_eq!((batch.shape().nodes(), batch.shape().edges()), (0, 0));
    let rows = |name: &str| batch.real_rows(name).map_err(|error| error.to_string());
    assert_eq!(["author", "paper", "writes"].map(rows), [2 * graphs, graphs, graphs].map(Ok));
    assert_eq!(rows("edges").unwrap_err(), "there is no set \"edges\"; there are author, paper, writes");
    // In other places than most data have them.
    let batch = batch_of(&["author", "edges", "writes", "nodes"]);
    let graphs = batch.real().graphs();
    assert_eq!((batch.real().nodes(), batch.real().edges()), (graphs, graphs));
    assert_eq!(batch.shape().nodes(), batch.shape().sets()[3]);
    // Shapes are compared by their rows.
    assert_eq!(batch.real(), Shape::new([2 * graphs, graphs, graphs, graphs], graphs));
}

#[test]
fn reports_of_single_batches_add_up_to_that_of_the_epoch() {
    let [a, b] = [(1, 300), (2, 100)].map(|(seed, graphs)| molecules::generate(seed, graphs).into());
    let data = Data::mix(&[("a", &a), ("b", &b)]).unwrap();
    let loader =
        Loader::new(data, Options::exactly(7).shapes(Shapes::Multiple(64)).order(Order::Shuffled).seed(1)).unwrap();
    let (mut epoch, mut sum) = (loader.epoch(0), Report::default());
    while let Some(batch) = epoch.next() {
        sum += report_of(epoch.report(), &batch.unwrap());
    }
    let whole = epoch.report();
    assert!(whole.shapes().len() > 2 && whole.graphs_per_batch().len() == 8);
    assert_eq!((sum.shapes(), sum.graphs_per_batch()), (whole.shapes(), whole.graphs_per_batch()));
    assert_eq!((sum.graphs_per_data_set(), sum.graphs_per_data_set()[1].1), (whole.graphs_per_data_set(), 100));
    assert_eq!(sum.to_string(), whole.to_string());
}

#[test]
fn steps_are_the_graphs_of_the_batches() {
    for rank in 0..3 {
        let options =
            Options::graphs(7).shapes(Shapes::Exact).order(Order::Shuffled).shard(Shard::new(rank, 3).unwrap());
        let loader = Loader::new(molecules::generate(3, 100), options).unwrap();
        for epoch in [0, 4] {
            let places = loader.epoch(epoch).map(|batch| batch.unwrap().places().to_vec());
            assert_eq!(loader.steps(epoch).unwrap(), places.collect::<Vec<_>>());
        }
    }
}
