//! Batches of equal cost: no batch exceeds the limit of cost, each rank has a batch in each step, each graph occurs
//! once, also after a resume on another number of ranks; and what all ranks have in a step is known to each.

use graphpack_core::Cost;
use graphpack_formats::histogram_csv;
use graphpack_loader::{
    Batch, Budget, Grouping, Limits, Loader, Options, Order, Oversize, Packer, SavedPlan, Shape, Shapes, Shard, Size,
    State, Store, Weights, molecules,
};
use proptest::collection::vec;
use proptest::prelude::*;
use std::sync::Arc;
use test_common::{batches, sizes, store_of, test_data};

const PACKER: Packer = Packer::Auto(Budget::steps(1_000_000));

fn of_rank(options: &Options, data: &Arc<Store>, rank: u32, world: u32) -> Loader {
    Loader::new(data.clone(), options.clone().shard(Shard::new(rank, world).unwrap())).unwrap()
}

/// What `graphs` graphs with these rows cost, without the step.
fn cost_of(cost: &Cost, rows: &[usize], graphs: usize) -> u128 {
    let size = Size::of(rows.len(), |set| rows[set] as u32);
    cost.step(0).of(&Limits { size, graphs: graphs as u32 })
}

fn costs() -> impl Strategy<Value = Cost> {
    let unit = prop_oneof![Just(1), Just(1_000_000_007_u64)];
    ([0..30_u64, 0..30], 1..10_u64, 0..100_u64, unit)
        .prop_map(|(rows, graph, step, unit)| Cost::rows(rows).graph(graph).step(step).times(unit))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn no_batch_exceeds_the_limit_and_ranks_share_each_step(
        sizes in sizes(), cost in costs(), graphs in 1..9_u32, world in 1..6_u32, fewer in 1..6_u32, epoch in 0..3_u64,
        shapes in prop_oneof![Just(Shapes::Exact), Just(Shapes::Multiple(16))], shuffled in any::<bool>(),
    ) {
        let data = Arc::new(store_of(&sizes));
        let order = if shuffled { Order::Shuffled } else { Order::Given };
        let options = Options::graphs(graphs).grouping(PACKER).shapes(shapes).order(order).seed(3).equal_cost(cost);
        let first = of_rank(&options, &data, 0, world);
        let limit = first.plan().unwrap().limits().size[2];
        // The unit in which a plan counts costs.
        let each = |&[nodes, edges]: &[u32; 2]| cost_of(&cost, &[nodes as usize, edges as usize], 1);
        let unit = sizes.iter().map(each).max().unwrap().div_ceil(1 << 18).max(1);

        let ranks: Vec<_> = (0..world).map(|rank| batches(of_rank(&options, &data, rank, world).epoch(epoch))).collect();
        let steps = ranks[0].len();
        let mut seen = Vec::new();
        for step in 0..steps {
            let step: Vec<_> = ranks.iter().map(|batches| &batches[step]).collect();
            let sum = |set: usize| step.iter().map(|batch| batch.real().sets()[set]).sum();
            let all = Shape::new([sum(0), sum(1)], step.iter().map(|batch| batch.real().graphs()).sum());
            for batch in step {
                prop_assert!(cost_of(&cost, batch.real().sets(), batch.real().graphs()) <= u128::from(limit) * unit);
                prop_assert_eq!(batch.real_of_step(), all);
                seen.extend_from_slice(batch.graph_ids());
            }
        }
        prop_assert!(ranks.iter().all(|batches| batches.len() == steps));
        let full = ranks.iter().flatten().filter(|batch| batch.real().graphs() > 0).count();
        prop_assert_eq!(full, sizes.len().min(steps * world as usize));
        seen.sort_unstable();
        prop_assert_eq!(seen, (0..sizes.len() as i64).collect::<Vec<_>>());

        // Other ranks go on with the batches that are left, in their order.
        let done = steps / 2;
        if done > 0 {
            let state = ranks[0][done - 1].state();
            for rank in 0..fewer {
                let loader = of_rank(&options, &data, rank, fewer);
                let rest = batches(loader.resume(&state).unwrap());
                prop_assert_eq!(loader.batches_after(&state).unwrap(), rest.len());
                for (step, batch) in rest.iter().enumerate() {
                    let place = done * world as usize + step * fewer as usize + rank as usize;
                    let unbroken = ranks[place % world as usize].get(place / world as usize);
                    prop_assert_eq!(batch.graph_ids(), unbroken.map_or(&[][..], |batch| batch.graph_ids()));
                }
            }
        }

        // A file has the costs, too.
        let plan = SavedPlan::from(first.plan().unwrap().clone()).of_sets(["nodes", "edges", "cost"]);
        let given = of_rank(&options.clone().grouping(plan), &data, 0, world);
        let found = batches(given.epoch(epoch));
        prop_assert!(found.iter().map(|batch| batch.graph_ids()).eq(ranks[0].iter().map(|batch| batch.graph_ids())));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn ranks_of_any_speeds_get_each_graph_once(
        sizes in sizes(), cost in costs(), graphs in 1..9_u32, speeds in vec(1..4_u32, 1..6),
        others in vec(1..3_u32, 0..4), epoch in 0..3_u64, shuffled in any::<bool>(),
    ) {
        let data = Arc::new(store_of(&sizes));
        let order = if shuffled { Order::Shuffled } else { Order::Given };
        let options = Options::graphs(graphs).grouping(PACKER).shapes(Shapes::Exact).order(order).equal_cost(cost);
        let of = |speeds: &[u32], state: Option<&State>| -> Vec<Vec<Batch>> {
            let world = speeds.len().max(1) as u32;
            let of_rank = |rank| {
                let loader = of_rank(&options.clone().speeds(speeds.to_vec()), &data, rank, world);
                batches(state.map_or_else(|| loader.epoch(epoch), |state| loader.resume(state).unwrap()))
            };
            (0..world).map(of_rank).collect()
        };
        let seen = |ranks: &[Vec<Batch>], steps: usize| -> Vec<i64> {
            let taken = ranks.iter().flat_map(|batches| &batches[..steps]);
            taken.flat_map(|batch| batch.graph_ids().to_vec()).collect()
        };
        let ranks = of(&speeds, None);
        let steps = ranks[0].len();
        prop_assert!(ranks.iter().all(|batches| batches.len() == steps));
        let mut all = seen(&ranks, steps);
        all.sort_unstable();
        prop_assert_eq!(&all, &(0..sizes.len() as i64).collect::<Vec<_>>());
        let done = steps / 2;
        if done > 0 {
            let rest = of(&others, Some(&ranks[0][done - 1].state()));
            let mut all = [seen(&ranks, done), seen(&rest, rest[0].len())].concat();
            all.sort_unstable();
            prop_assert_eq!(&all, &(0..sizes.len() as i64).collect::<Vec<_>>());
        }
    }
}

/// Real sizes: ranks wait for less than a hundredth of the time, in steps that are as few as without equal cost.
#[test]
fn ranks_with_real_sizes_hardly_wait() {
    // IMDB has 16 batches, and a graph with a fifth of the edges of one.
    for (name, graphs, part, most) in
        [("molhiv_all", 32, 2, 0.01), ("qm9_bonds", 64, 8, 0.01), ("tu_imdb_binary", 64, 1, 0.02)]
    {
        let file = test_data().join(format!("histograms/{name}.hist.csv"));
        let histogram = histogram_csv::read(file).unwrap();
        let entries = histogram.histogram().entries().iter();
        let sizes = entries.flat_map(|(size, count)| vec![size.first(); count.div_ceil(part) as usize]);
        let data = Arc::new(store_of(&sizes.collect::<Vec<_>>()));
        let cost = Cost::rows([1, 20]).graph(5).step(100);
        for world in [4, 64].into_iter().filter(|&world| world == 4 || name != "tu_imdb_binary") {
            let usual = Options::graphs(graphs).grouping(PACKER).shapes(Shapes::Exact).order(Order::Shuffled);
            let equal = of_rank(&usual.clone().equal_cost(cost), &data, 0, world);
            let usual = of_rank(&usual, &data, 0, world);
            let [idle, before] = [&equal, &usual].map(|loader| loader.idle_share(1, &cost).unwrap());
            assert!(idle < most, "{name} on {world} ranks: {idle}, {before} without equal_cost");
            assert!(idle < before, "{name} on {world} ranks: {idle}, {before} without equal_cost");
            assert_eq!(equal.batches(1).unwrap(), usual.batches(1).unwrap(), "{name} on {world} ranks");
            // Every second rank is half as fast.
            let speeds = (0..world).map(|rank| 2 - rank % 2);
            let options = Options::graphs(graphs).grouping(PACKER).shapes(Shapes::Exact).order(Order::Shuffled);
            let of_speeds = of_rank(&options.equal_cost(cost).speeds(speeds), &data, 0, world);
            let idle = of_speeds.idle_share(1, &cost).unwrap();
            assert!(idle < 2.0 * most, "{name} on {world} ranks of two speeds: {idle}");
        }
    }
}

/// The share is what one counts from the shapes of all ranks.
#[test]
fn the_idle_share_is_that_of_the_batches() {
    let data = Arc::new(molecules::generate(1, 300));
    let cost = Cost::rows([3, 7]).graph(2).step(50);
    for options in [Options::graphs(8).shapes(Shapes::Exact), Options::exactly(16), Options::graphs(20)] {
        let ranks: Vec<_> = (0..7).map(|rank| batches(of_rank(&options, &data, rank, 7).epoch(0))).collect();
        let (mut used, mut given) = (0, 0);
        for step in 0..ranks[0].len() {
            let full = ranks.iter().map(|batches| &batches[step]).filter(|batch| batch.real().graphs() > 0);
            let costs = full.map(|batch| {
                let shape = batch.shape();
                cost_of(&cost, shape.sets(), shape.graphs()) + 50
            });
            let costs: Vec<u128> = costs.collect();
            used += costs.iter().sum::<u128>();
            given += 7 * costs.iter().max().unwrap();
        }
        let expected = 1.0 - used as f64 / given as f64;
        assert_eq!(of_rank(&options, &data, 0, 7).idle_share(0, &cost).unwrap(), expected);
    }
}

#[test]
fn what_has_no_limit_of_cost_is_refused_by_name() {
    let data = Arc::new(molecules::generate(1, 50));
    let exact = Options::graphs(8).shapes(Shapes::Exact).equal_cost(Cost::ROWS);
    let refused = |options: Options| Loader::new(data.clone(), options).map(|_| ()).unwrap_err().to_string();
    for (options, message) in [
        (exact.clone().shapes(Shapes::One), "equal_cost and shapes one contradict each other"),
        (exact.clone().shapes(Shapes::Few(2)), "equal_cost and shapes few(2) contradict each other"),
        (exact.clone().grouping(Grouping::InOrder), "equal_cost and grouping in_order contradict each other"),
        (exact.clone().packs(2), "equal_cost and packs 2 contradict each other"),
        (exact.clone().oversize(Oversize::Alone), "equal_cost and oversize alone contradict each other"),
        (exact.clone().speeds([1, 2]), "expected a speed for each of the 1 ranks, found 2 speeds"),
        (exact.clone().speeds([0]), "the speed of each rank must be at least 1"),
        (Options::default().speeds([1]), "speeds and equal_cost none contradict each other"),
        (
            exact.clone().equal_cost(Cost::rows([0, 0]).step(9)),
            "equal_cost: expected a cost above 0 of at least one graph, found 0 of all",
        ),
    ] {
        let found = refused(options);
        assert!(found.starts_with(message), "{found}");
    }
    let other = Loader::new(data.clone(), exact.clone().equal_cost(Cost::rows([1, 20]))).unwrap();
    let state = other.epoch(0).next().unwrap().unwrap().state();
    let found = Loader::new(data.clone(), exact.clone()).unwrap().resume(&state).map(|_| ()).unwrap_err().to_string();
    assert!(found.starts_with("the state was saved with another equal_cost: expected (1, 1"), "{found}");
    assert!(found.contains("found (1, 20) for the rows of sets, 0 for a graph, 0 for a step"), "{found}");
    // A plan of other costs, and one without.
    let found = refused(exact.clone().grouping(other.plan().unwrap().clone()));
    let (planned, found) = found.split_once(" cost, the data have ").unwrap_or((&found, ""));
    assert!(planned.starts_with("the plan has "), "{planned}");
    assert!(found.ends_with("; plan again for these data and this equal_cost"), "{found}");
    let usual = Loader::new(data.clone(), Options::graphs(8).shapes(Shapes::Exact)).unwrap();
    let found = refused(exact.grouping(usual.plan().unwrap().clone()));
    assert_eq!(found, r#"the plan is for 2 sets, expected ["nodes", "edges", "cost"]"#);
}

/// Where graphs are drawn, each epoch is packed by itself: for the ranks that it began on, also after a resume.
#[test]
fn drawn_graphs_are_balanced_and_resume_on_other_ranks() {
    let data = Arc::new(molecules::generate(1, 300));
    let weights: Vec<f64> = (0..300).map(|graph| 1.0 + f64::from(graph % 7)).collect();
    let cost = Cost::rows([1, 20]);
    let options = Options::graphs(8).grouping(PACKER).shapes(Shapes::Exact).order(Order::Shuffled).equal_cost(cost);
    for speeds in [vec![], vec![2, 1, 2]] {
        let options = options.clone().weights(Weights::new(&weights).unwrap());
        let before = options.clone().speeds(speeds);
        assert!(of_rank(&before, &data, 0, 3).idle_share(2, &cost).unwrap() < 0.1);
        let ranks: Vec<_> = (0..3).map(|rank| batches(of_rank(&before, &data, rank, 3).epoch(2))).collect();
        let state = ranks[0][3].state();
        let rest: Vec<_> =
            (0..2).map(|rank| batches(of_rank(&options, &data, rank, 2).resume(&state).unwrap())).collect();
        let seen = |ranks: &[Vec<Batch>], from: usize| {
            let batches = ranks.iter().flat_map(|batches| &batches[from..]);
            let mut graphs: Vec<i64> = batches.flat_map(|batch| batch.graph_ids().to_vec()).collect();
            graphs.sort_unstable();
            graphs
        };
        assert_eq!(seen(&ranks, 0).len(), 300);
        assert_eq!(seen(&rest, 0), seen(&ranks, 4));
    }
}

#[test]
fn a_damaged_list_of_speeds_is_refused() {
    let data = Arc::new(molecules::generate(1, 100));
    let options = Options::graphs(8).shapes(Shapes::Exact).equal_cost(Cost::ROWS).speeds([1, 3]);
    let loader = of_rank(&options, &data, 0, 2);
    let saved = serde_json::to_string(&loader.epoch(0).next().unwrap().unwrap().state()).unwrap();
    for damaged in ["[1]", "[1,0]", "[1,1,1]"] {
        let state: State = serde_json::from_str(&saved.replace("[1,3]", damaged)).unwrap();
        let error = loader.resume(&state).map(|_| ()).unwrap_err().to_string();
        let expected = "the state was saved with another list of speeds: expected 2 numbers of at least 1, found [1";
        assert!(error.starts_with(expected), "{error}");
    }
}
