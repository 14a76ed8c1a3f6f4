//! `Shapes::Few`: a few shapes in place of one; `Capacity::cheapest`: the limits that a budget of memory allows.

use graphpack_core::{Cost, Packer};
use graphpack_loader::{
    Batch, Capacity, Grouping, Level, Loader, Options, Order, Shape, Shapes, Shard, Weights, molecules,
};
use std::sync::Arc;
use test_common::{batches, graph_ids};

fn options(shapes: u8) -> Options {
    let options = Options::default().grouping(Packer::Demand);
    options.capacity(Capacity::graphs(3)).shapes(Shapes::Few(shapes)).order(Order::Shuffled).seed(4)
}

fn rows(shape: &Shape) -> usize {
    shape.sets().iter().sum()
}

#[test]
fn an_epoch_mixes_a_few_shapes_which_save_rows() {
    let data = Arc::new(molecules::generate(1, 1500));
    let mut before = usize::MAX;
    for shapes in [1, 2, 4] {
        let loader = Loader::new(data.clone(), options(shapes)).unwrap();
        let listed = loader.shapes(0).unwrap();
        assert!((1..=usize::from(shapes)).contains(&listed.len()) && (shapes == 1 || listed.len() > 1), "{listed:?}");
        assert_eq!(loader.plan().is_some(), listed.len() == 1);
        let found = batches(loader.epoch(0));
        assert_eq!(found.len(), loader.batches(0).unwrap());
        for batch in &found {
            assert!(listed.iter().any(|(shape, _)| *shape == batch.shape()));
            assert!((1..=3).contains(&batch.real().graphs()));
        }
        let largest = listed
            .iter()
            .fold(Shape::default(), |most, (shape, _)| if rows(shape) > rows(&most) { *shape } else { most });
        let within = |shape: &Shape| shape.sets().iter().zip(largest.sets()).all(|(rows, most)| rows <= most);
        assert!(listed.iter().all(|(shape, _)| within(shape)));
        let total: usize = found.iter().map(|batch| rows(&batch.shape())).sum();
        assert!(total < before || (shapes > 2 && total == before), "{shapes} shapes: {total} rows, {before} before");
        before = total;
        // Batches of a rarer shape come between others, in another order in each epoch.
        let changes = found.windows(2).filter(|pair| pair[0].shape() != pair[1].shape()).count() as u64;
        let rarer: u64 = listed.iter().map(|(_, batches)| batches).sum::<u64>()
            - listed.iter().map(|(_, batches)| *batches).max().unwrap_or(0);
        assert!(changes >= rarer, "{changes} changes with {rarer} batches of rarer shapes");
        assert_ne!(graph_ids(loader.epoch(0)), graph_ids(loader.epoch(1)));
    }
}

#[test]
fn ranks_have_one_of_the_shapes_in_each_step() {
    let data = Arc::new(molecules::generate(2, 701));
    let rank = |rank, world| Loader::new(data.clone(), options(3).shard(Shard::new(rank, world).unwrap())).unwrap();
    let ranks = [0, 1, 2].map(|number| rank(number, 3));
    let listed: Vec<Shape> =
        Loader::new(data.clone(), options(3)).unwrap().shapes(0).unwrap().iter().map(|(shape, _)| *shape).collect();
    let alike = |ranks: &[Vec<Batch>]| {
        for step in 0..ranks[0].len() {
            let shape = ranks[0][step].shape();
            assert!(listed.contains(&shape));
            assert!(ranks.iter().all(|rank| rank[step].shape() == shape), "step {step}");
        }
    };
    let found = ranks.each_ref().map(|loader| batches(loader.epoch(2)));
    alike(&found);
    // Few batches are in a larger shape than they need.
    let larger = found.iter().flatten().map(|batch| rows(&batch.shape())).sum::<usize>();
    let alone = batches(Loader::new(data.clone(), options(3)).unwrap().epoch(2))
        .iter()
        .map(|batch| rows(&batch.shape()))
        .sum::<usize>();
    assert!(larger as f64 <= 1.03 * alone as f64, "{larger} rows on three ranks, {alone} on one");
    // Two ranks go on.
    let state = found[1][6].state();
    alike(&[0, 1].map(|number| batches(rank(number, 2).resume(&state).unwrap())));
}

#[test]
fn few_shapes_go_with_other_options() {
    let data = Arc::new(molecules::generate(3, 400));
    // An incomplete batch of every shape is dropped.
    let loader = Loader::new(data.clone(), options(3).packs(4).drop_last(true)).unwrap();
    let found = batches(loader.epoch(0));
    assert_eq!(found.len(), loader.batches(0).unwrap());
    let graphs: usize = found.iter().map(|batch| batch.real().graphs()).sum();
    assert!((400 - 3 * 4 * 3..400).contains(&graphs), "{graphs} graphs");
    let weighted =
        Loader::new(data.clone(), options(3).weights(Weights::balanced(&vec![0; 400]).with_draws(900))).unwrap();
    assert_eq!(graph_ids(weighted.epoch(1)).len(), 900);
    assert!(weighted.shapes(1).unwrap().len() > 1);
}

#[test]
fn what_few_shapes_do_not_go_with_is_refused() {
    let data = Arc::new(molecules::generate(3, 100));
    let error = |options: Options| Loader::new(data.clone(), options).map(|_| ()).unwrap_err().to_string();
    assert_eq!(error(options(0)), "shapes must be at least 1");
    assert_eq!(error(options(2).capacity(Capacity::graphs(0))), "graphs per batch must be at least 1");
    assert_eq!(
        error(options(2).grouping(Grouping::InOrder)),
        "shapes few(2) and grouping in_order contradict each other: only graphs that a packer packs have few shapes"
    );
    assert_eq!(
        error(options(2).packs(60).drop_last(true)),
        "drop_last and packs 60 contradict each other: all graphs of one shape are fewer packs than a batch, and would \
         be left out"
    );
}

#[test]
fn the_cheapest_batches_are_within_the_budget() {
    let data = Arc::new(molecules::generate(3, 500));
    let memory = Cost::rows([400, 150]).graph(8);
    let of = |budget, packs, step| {
        let cost = Cost::rows([2, 5]).step(step);
        let capacity = Capacity::cheapest(cost, memory, budget);
        Options::default().grouping(Packer::Demand).capacity(capacity).packs(packs)
    };
    for (budget, packs) in [(100_000, 1), (300_000, 1), (300_000, 3), (u64::MAX, 1)] {
        let loader = Loader::new(data.clone(), of(budget, packs, 5000)).unwrap();
        let shape = loader.shape().unwrap();
        let bytes = 400 * shape.nodes() + 150 * shape.rows(Level::EDGE) + 8 * shape.graphs();
        assert!(bytes as u64 <= budget, "{bytes} bytes of {budget}");
        // With a cost for each step, most of the memory is used.
        assert!(budget == u64::MAX || bytes as u64 > budget / 2, "{bytes} bytes of {budget}");
        assert_eq!(graph_ids(loader.epoch(0)).len(), data.len());
    }
    let message = Loader::new(data.clone(), of(1000, 1, 0)).map(|_| ()).unwrap_err().to_string();
    assert!(message.ends_with("of memory, the budget is 1000"), "{message}");
}
