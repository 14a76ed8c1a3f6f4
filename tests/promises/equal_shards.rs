//! Promise 5: all ranks make the same number of steps; the remainder is padded with empty batches or dropped, as asked.

use graphpack_core::Limits;
use graphpack_loader::{Batch, Level, Loader, Options, Order, Oversize, Remainder, Shape, Shapes, Shard, molecules};
use proptest::prelude::*;
use proptest::sample::Index;
use std::sync::Arc;
use test_common::{Shaped, assert_naive, assert_naive_in, batches, batchings, data_sets, store_of};

fn shuffled(options: &Options) -> Options {
    options.clone().order(Order::Shuffled).seed(5)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]

    #[test]
    fn equal_steps_and_every_graph_once(
        drawn in data_sets(), way in any::<Index>(), world in 1..6_u32, drop in any::<bool>(), epoch in 0..3_u64,
        equal in any::<bool>(),
    ) {
        let data = Arc::new(drawn.store());
        let way = way.get(&batchings(&data)).clone();
        let all = Loader::new(data.clone(), shuffled(&way)).unwrap().batches(epoch).unwrap();
        let remainder = if drop { Remainder::Drop } else { Remainder::Pad };
        let shaped = match way.capacity.to_string().starts_with("shape") {
            true => Shaped::Given(1),
            false if equal => Shaped::Step,
            false => Shaped::Own,
        };
        let loader = |rank| {
            let shard = Shard::new(rank, world).unwrap().remainder(remainder);
            let options = shuffled(&way).shard(shard).workers(2);
            Loader::new(data.clone(), options.equal_shapes(equal)).unwrap()
        };
        if drop && (1..world as usize).contains(&all) {
            for rank in 0..world {
                prop_assert!(loader(rank).batches(epoch).is_err(), "no rank would have a step");
                prop_assert!(loader(rank).epoch(epoch).next().unwrap().is_err());
            }
            return Ok(());
        }
        let (mut seen, mut steps, mut shapes) = (Vec::new(), Vec::new(), Vec::new());
        for rank in 0..world {
            let loader = loader(rank);
            let mine = batches(loader.epoch(epoch));
            prop_assert_eq!(mine.len(), loader.batches(epoch).unwrap());
            steps.push(mine.len());
            shapes.push(mine.iter().map(|batch| batch.shape()).collect::<Vec<_>>());
            for batch in &mine {
                seen.extend_from_slice(batch.graph_ids());
                // An empty batch is all padding.
                assert_naive_in(shaped, batch, &data, data.schema().usual_padding());
            }
        }
        prop_assert!(!equal || shapes.iter().all(|of_rank| *of_rank == shapes[0]), "{:?}", shapes);
        let expected = if drop { all / world as usize } else { all.div_ceil(world as usize) };
        prop_assert_eq!(steps, vec![expected; world as usize]);
        seen.sort_unstable();
        if drop {
            // Each at most once; less than one step of batches is missing.
            prop_assert!(seen.windows(2).all(|pair| pair[0] < pair[1]));
            let whole = batches(Loader::new(data.clone(), shuffled(&way)).unwrap().epoch(epoch));
            let most = whole.iter().map(|batch| batch.real().graphs()).max().unwrap_or(0);
            prop_assert!(data.len() - seen.len() <= (world as usize - 1) * most);
        } else {
            prop_assert_eq!(seen, (0..data.len() as i64).collect::<Vec<_>>());
        }
    }
}

#[test]
fn ranks_see_the_batches_that_one_process_sees() {
    let data = Arc::new(molecules::generate(1, 600));
    let loader = |rank, world| {
        let options = Options::graphs(16).order(Order::Shuffled).seed(2);
        Loader::new(data.clone(), options.shard(Shard::new(rank, world).unwrap())).unwrap()
    };
    let alone = batches(loader(0, 1).epoch(3));
    for rank in 0..3 {
        for batch in batches(loader(rank, 3).epoch(3)) {
            let place = batch.step() as usize * 3 + rank as usize;
            match alone.get(place) {
                Some(same) => assert!(same.bytes() == batch.bytes(), "rank {rank}, step {}", batch.step()),
                None => assert_eq!(batch.real().graphs(), 0),
            }
        }
    }
}

/// Where batches have several shapes, those of one step are alike: sizes spread much less within a step than over all
/// steps.
#[test]
fn ranks_get_batches_of_like_size_in_a_step() {
    let data = Arc::new(molecules::generate(1, 3000));
    let loader = |rank| {
        let options = Options::exactly(8).shapes(Shapes::Multiple(64)).order(Order::Shuffled).seed(2);
        batches(Loader::new(data.clone(), options.shard(Shard::new(rank, 4).unwrap())).unwrap().epoch(0))
    };
    let ranks: Vec<Vec<usize>> =
        (0..4).map(|rank| loader(rank).iter().map(|batch| batch.shape().edges()).collect()).collect();
    let steps = ranks[0].len() - 1;
    let spread = |edges: &mut dyn Iterator<Item = usize>| {
        let (low, high) = edges.fold((usize::MAX, 0), |(low, high), edges| (low.min(edges), high.max(edges)));
        high - low
    };
    let within: usize = (0..steps).map(|step| spread(&mut ranks.iter().map(|rank| rank[step]))).sum();
    let over_all = spread(&mut ranks.iter().flat_map(|rank| rank[..steps].iter().copied()));
    assert!(
        over_all > 300 && within as f64 / steps as f64 <= 0.1 * over_all as f64,
        "{within} in {steps} steps, {over_all}"
    );
    // The order of steps is random all the same.
    assert!(!ranks[0][..steps].is_sorted());
}

/// Chance, not size, decides which batches are dropped: every graph comes in some epoch, even one that is always a
/// batch of its own.
#[test]
fn what_is_dropped_differs_from_epoch_to_epoch() {
    let mut sizes = vec![[4, 4]; 20];
    sizes.push([50, 90]);
    let data = Arc::new(store_of(&sizes));
    let seen = |epoch| -> Vec<i64> {
        let mine = |rank| {
            let shard = Shard::new(rank, 2).unwrap().remainder(Remainder::Drop);
            let options = Options::default().capacity(Limits::new([4, 4])).oversize(Oversize::Alone);
            batches(
                Loader::new(data.clone(), options.order(Order::Shuffled).seed(1).shard(shard)).unwrap().epoch(epoch),
            )
        };
        (0..2)
            .flat_map(|rank| mine(rank).iter().flat_map(|batch| batch.graph_ids().to_vec()).collect::<Vec<_>>())
            .collect()
    };
    let mut ever: Vec<i64> = (0..40).flat_map(seen).collect();
    assert!((0..5).all(|epoch| seen(epoch).len() == 20));
    ever.sort_unstable();
    ever.dedup();
    assert_eq!(ever, (0..21).collect::<Vec<_>>());
}

#[test]
fn ranks_get_equal_shapes_where_they_ask_for_them() {
    let data = Arc::new(molecules::generate(5, 203));
    let rank = |rank| {
        let shard = Shard::new(rank, 3).unwrap();
        let options = shuffled(&Options::exactly(10).shapes(Shapes::Multiple(64))).shard(shard);
        (
            Loader::new(data.clone(), options.clone()).unwrap(),
            Loader::new(data.clone(), options.equal_shapes(true)).unwrap(),
        )
    };
    let ranks = [0, 1, 2].map(rank);
    let steps = ranks[0].0.batches(0).unwrap();
    let at = |loader: &Loader, step| loader.epoch_from(&loader.state(0).unwrap(), step).unwrap();
    for step in 0..steps {
        let own = ranks.each_ref().map(|(own, _)| at(own, step).next().unwrap().unwrap());
        let equal = ranks.each_ref().map(|(_, equal)| at(equal, step).next().unwrap().unwrap());
        let rows = |level| own.iter().map(|batch| batch.shape().rows(level)).max().unwrap();
        let largest = Shape::new([rows(Level::NODE), rows(Level::EDGE)], rows(Level::Graph));
        for (own, equal) in own.iter().zip(&equal) {
            // Rows that keep degrees of padding low come on top.
            assert!([Level::NODE, Level::EDGE].iter().all(|&level| equal.shape().rows(level) >= largest.rows(level)));
            assert_eq!((equal.shape().edges(), equal.shape().graphs()), (largest.edges(), largest.graphs()));
            assert_eq!(equal.graph_ids(), own.graph_ids());
            assert_naive(equal, &data, data.schema().usual_padding());
        }
    }
    let shapes: u64 = ranks[0].1.shapes(0).unwrap().iter().map(|(_, batches)| batches).sum();
    assert_eq!(shapes, 21);
    // Two ranks resume, and agree on shapes from there on.
    let state = ranks[2].1.epoch(0).nth(2).unwrap().unwrap().state();
    let resumed = [0, 1].map(|rank| {
        let options = shuffled(&Options::exactly(10).shapes(Shapes::Multiple(64))).shard(Shard::new(rank, 2).unwrap());
        batches(Loader::new(data.clone(), options.equal_shapes(true)).unwrap().resume(&state).unwrap())
    });
    assert!(resumed[0].iter().zip(&resumed[1]).all(|(a, b)| a.shape() == b.shape()));
    let graphs = |batches: &[Batch]| batches.iter().map(|batch| batch.real().graphs()).sum::<usize>();
    let before = ranks.each_ref().map(|(_, equal)| graphs(&batches(equal.epoch(0))[..3]));
    assert_eq!(before.iter().sum::<usize>() + resumed.iter().map(|rest| graphs(rest)).sum::<usize>(), 203);
}

#[test]
fn an_epoch_of_which_no_rank_would_get_a_batch_is_an_error() {
    let data = Arc::new(molecules::generate(1, 40));
    let of = |drop: Remainder| {
        let shard = Shard::new(2, 64).unwrap().remainder(drop);
        Loader::new(data.clone(), Options::graphs(8).shard(shard)).unwrap()
    };
    let error = of(Remainder::Drop).epoch(3).next().unwrap().unwrap_err().to_string();
    assert!(error.starts_with("epoch 3 has ") && error.contains(" batches for 64 ranks"), "{error}");
    assert_eq!(batches(of(Remainder::Pad).epoch(3)).len(), 1);
    let dropped = of(Remainder::Drop);
    let begun = dropped.resume(&dropped.state(3).unwrap()).unwrap().next().unwrap().map(|_| ());
    assert_eq!(begun.unwrap_err().to_string(), error);
    let few = Loader::new(data, Options::exactly(41).drop_last(true)).unwrap();
    let error = few.epoch(0).next().unwrap().unwrap_err().to_string();
    assert_eq!(error, "epoch 0 has no batch: drop_last leaves out what is incomplete, and nothing else is left");
}
