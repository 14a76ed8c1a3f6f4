//! Graphs that are alone, drawn by weight, changed on the way, or shuffled in blocks.

mod common;

use common::{batches, graph_ids, store_of};
use graphpack_core::{Limits, Packer};
use graphpack_loader::{
    Batching, Edges, LoadError, Loader, Oversize, Shape, Stats, Structures, Verdict, Weights, molecules,
};
use rand_core::Rng;
use std::sync::Arc;

#[test]
fn oversize_graphs_can_be_batches_of_their_own() {
    let data = Arc::new(store_of(&[[3, 4], [50, 10], [9, 99], [2, 2], [16, 32]]));
    for batching in [Batching::Packed(Packer::Demand), Batching::Dynamic, Batching::Window { open: 2 }] {
        let options = Loader::new(data.clone()).limits(Limits::new([16, 32])).batching(batching).shuffle(1);
        let loader = options.oversize(Oversize::Alone).workers(2).build().unwrap();
        assert_eq!((loader.alone(), loader.skipped(), loader.shape()), (2, 0, None));
        let shapes = [(17, 32, 257), (51, 99, 2)].map(|(nodes, edges, graphs)| Shape { nodes, edges, graphs });
        assert_eq!(loader.shapes(0).unwrap(), [(shapes[0], 2), (shapes[1], 2)]);
        for epoch in 0..4 {
            let all = batches(loader.epoch(epoch));
            assert_eq!(all.len(), loader.batches(epoch));
            let mut ids: Vec<i64> = all.iter().flat_map(|batch| batch.graph_ids().to_vec()).collect();
            ids.sort_unstable();
            assert_eq!(ids, [0, 1, 2, 3, 4]);
            for batch in all {
                let large = batch.graph_ids().iter().any(|id| [1, 2].contains(id));
                assert_eq!(batch.shape(), shapes[usize::from(large)], "{batching}");
                assert!(!large || batch.real().graphs == 1);
            }
        }
        let first: Vec<_> = (0..20).map(|epoch| batches(loader.epoch(epoch))[0].real().nodes > 16).collect();
        assert!(first.contains(&true) && first.contains(&false), "they come anywhere in the epoch");
    }
    let only = Loader::new(data).limits(Limits::new([1, 1])).oversize(Oversize::Alone).build().unwrap();
    assert_eq!((only.alone(), batches(only.epoch(0)).len()), (5, 5));
}

#[test]
fn weights_decide_how_often_graphs_come() {
    let data = Arc::new(molecules::generate(1, 400));
    let labels = data.values::<i64>("y").unwrap();
    let ones = labels.iter().filter(|&&label| label == 1).count();
    let rare: Vec<i64> = labels.iter().enumerate().map(|(graph, _)| i64::from(graph % 10 == 0)).collect();
    assert!(ones > 0);
    for batching in [Batching::Packed(Packer::Demand), Batching::Dynamic, Batching::Static64] {
        let build = |weights: Weights| {
            let options = Loader::new(data.clone()).batching(batching).batch_graphs(16).shuffle(3).weighted(weights);
            options.workers(2).build().unwrap()
        };
        let loader = build(Weights::balanced(&rare).with_draws(4000));
        let ids = graph_ids(loader.epoch(0));
        assert_eq!(ids.len(), 4000);
        assert_eq!(loader.epoch(0).count(), loader.batches(0));
        let share = ids.iter().filter(|&&id| id % 10 == 0).count() as f64 / 4000.0;
        // Four standard deviations.
        assert!((share - 0.5).abs() < 0.032, "{batching}: a tenth of the graphs makes {share} of what is drawn");
        assert_ne!(ids, graph_ids(loader.epoch(1)));
        assert_eq!(ids, graph_ids(loader.epoch(0)));
        let mut weights = vec![0.0; 400];
        weights[7] = 2.0;
        assert_eq!(graph_ids(build(Weights::new(&weights).unwrap()).epoch(0)), vec![7; 400]);
    }
    let error = |weights: &[f64]| Weights::new(weights).unwrap_err().to_string();
    assert_eq!(error(&[1.0, -2.0]), "graph 1 has weight -2, expected a finite number of at least 0");
    assert_eq!(error(&[0.0, 0.0]), "the weights sum to 0, expected more than 0");
    let mut heavy = vec![0.0; 400];
    heavy[0] = 1.0;
    let skipping = |weights: Weights| {
        let options =
            Loader::new(data.clone()).limits(Limits::new([20, 40])).oversize(Oversize::Skip).weighted(weights);
        options.build().map(|_| ()).unwrap_err().to_string()
    };
    assert!(graphpack_loader::Source::size(&data, 0).0[0] > 20);
    let message = skipping(Weights::new(&heavy).unwrap());
    assert!(message.starts_with("no graph that fits the limits has a weight; "), "{message}");
    assert_eq!(skipping(Weights::balanced(&rare).with_draws(0)), "draws must be at least 1");
    let few = Loader::new(data).weighted(Weights::new(&[1.0]).unwrap()).build().map(|_| ()).unwrap_err();
    assert_eq!(few.to_string(), "1 weights for a data set of 400 graphs");
}

#[test]
fn transforms_are_a_function_of_seed_epoch_and_graph() {
    let data = Arc::new(Structures::generate(1, 120).connect(Edges::Nearest(4)).unwrap());
    let plain = data.values::<f32>("y").unwrap();
    let run = |workers, seed, epoch| {
        let options = Loader::new(data.clone()).batch_graphs(10).shuffle(seed).workers(workers);
        let loader = options.transform(|graph| {
            let noise = graph.rng().next_u32() as f32;
            graph.rows::<f32>("y")?[0] += noise;
            Ok(())
        });
        let mut found = vec![f32::NAN; 120];
        for batch in batches(loader.build().unwrap().epoch(epoch)) {
            for (&id, &y) in batch.graph_ids().iter().zip(batch.get::<f32>("y").unwrap()) {
                found[id as usize] = y;
            }
            assert!(batch.get::<f32>("y").unwrap()[batch.real().graphs..].iter().all(|y| *y == 0.0));
        }
        found
    };
    let expected = run(0, 1, 0);
    assert!(expected.iter().zip(&plain).all(|(changed, plain)| changed != plain));
    assert_eq!(run(3, 1, 0), expected);
    assert_ne!(run(0, 1, 1), expected);
    assert_ne!(run(0, 2, 0), expected);

    let loader = Loader::new(data.clone()).batch_graphs(10).transform(|graph| match graph.number() {
        70 => Err("no such angle".into()),
        _ => graph.rows::<f32>("pos").map(|_| ()).map_err(Into::into),
    });
    let error = loader.build().unwrap().epoch(0).find_map(Result::err).unwrap();
    assert!(matches!(&error, LoadError::Source { graph: 70, .. }) && error.to_string().ends_with("no such angle"));
    let wrong = Loader::new(data).transform(|graph| graph.rows::<i64>("pos").map(|_| ()).map_err(Into::into));
    let error = wrong.build().unwrap().epoch(0).next().unwrap().unwrap_err();
    assert!(error.to_string().ends_with("array \"pos\" has dtype float32, asked for int64"), "{error}");
}

#[test]
fn blocks_are_shuffled_so_that_neighbours_stay_near() {
    let data = Arc::new(molecules::generate(1, 4000));
    for batching in [Batching::Packed(Packer::Demand), Batching::Window { open: 8 }] {
        let options = Loader::new(data.clone()).batch_graphs(16).batching(batching);
        let loader = options.shuffle_blocks(4, 50).build().unwrap();
        let ids = graph_ids(loader.epoch(0));
        let mut sorted = ids.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..4000).collect::<Vec<_>>());
        assert_ne!(ids, graph_ids(loader.epoch(1)));
        // Graphs that come near each other are from few blocks: of 400 in a row, a full shuffle takes from all 80.
        let blocks = |ids: &[i64]| ids.iter().map(|id| id / 50).collect::<std::collections::HashSet<_>>().len();
        let mean = ids.chunks(400).map(blocks).sum::<usize>() as f64 / 10.0;
        // A plan takes what it needs of each size, in this order: rare sizes run ahead.
        let most = if matches!(batching, Batching::Packed(_)) { 68.0 } else { 30.0 };
        assert!(mean <= most, "{batching}: {mean} blocks in 400 graphs");
    }
}

#[test]
fn statistics_say_what_holds_the_training_up() {
    let loader = Loader::new(molecules::generate(1, 400)).batch_graphs(8).workers(1).build().unwrap();
    let mut epoch = loader.epoch(0);
    assert_eq!(epoch.stats().verdict(), Verdict::Unknown);
    epoch.by_ref().take(8).for_each(|batch| drop(batch.unwrap()));
    let stats = epoch.stats();
    assert!(
        stats.bytes == 8 * loader.layout().unwrap().bytes() as u64 && stats.workers == 1 && !stats.collating.is_zero()
    );

    let of = |waited: u64, collating: u64, workers: usize| {
        let mut stats = Stats::default();
        let milliseconds = std::time::Duration::from_millis;
        (stats.batches, stats.workers) = (10, workers);
        (stats.elapsed, stats.waited, stats.collating) =
            (milliseconds(1000), milliseconds(waited), milliseconds(collating));
        stats.verdict().to_string()
    };
    assert_eq!(of(3, 900, 1), "the step is the bottleneck: 0.3 % of the time was spent waiting for data");
    let loader = "the loader is the bottleneck: 60.0 % of the time was spent waiting for data; ";
    assert_eq!(of(600, 990, 1), format!("{loader}2 more workers would help"));
    assert_eq!(of(600, 790, 1), format!("{loader}1 more worker would help"));
    assert_eq!(of(600, 300, 1), format!("{loader}the workers keep up, so it is the start of the epoch"));
}
