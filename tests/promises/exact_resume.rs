//! Promise 4: a run resumed in the middle of an epoch sees exactly the batches the unbroken run would have seen.

use graphpack_core::{Heuristic, Limits, Packer};
use graphpack_loader::{
    Batch, ErrorKind, Grouping, Loader, Options, Order, Oversize, Padding, Shapes, Shard, Source, State, Store,
    Weights, molecules,
};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use test_common::{Faulty, PADDINGS, batches, batchings, data_sets, ptr};

fn shuffled(options: &Options) -> Options {
    options.clone().order(Order::Shuffled).seed(11)
}

/// Writes and reads a state, as if it went to another process.
fn sent(state: &State) -> State {
    serde_json::from_str(&serde_json::to_string(state).unwrap()).unwrap()
}

fn contents(batches: &[Batch]) -> Vec<(u64, u64, Vec<u8>)> {
    batches.iter().map(|batch| (batch.epoch(), batch.step(), batch.bytes().to_vec())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn resumed_is_unbroken(
        drawn in data_sets(), way in any::<Index>(), epoch in 0..5_u64, at in any::<Index>(),
        (workers, others) in ((0..4_usize, 0..6_usize), (0..4_usize, 0..6_usize)),
        blocks in prop::option::of(1..20_usize), weighted in any::<bool>(),
    ) {
        let data = Arc::new(drawn.store());
        let way = way.get(&batchings(&data)).clone();
        let options = |(workers, prefetch): (usize, usize)| {
            let mut options = shuffled(&way).workers(workers).prefetch(prefetch);
            if let Some(block) = blocks {
                options = options.order(Order::Blocks(block)).seed(11);
            }
            if weighted {
                options = options.weights(Weights::new(&vec![0.5; data.len()]).unwrap());
            }
            Loader::new(data.clone(), options).unwrap()
        };
        let (first, second) = (options(workers), options(others));
        let unbroken = batches(first.epoch(epoch));
        let place = at.index(unbroken.len());
        let resumed = batches(second.resume(&sent(&unbroken[place].state())).unwrap());
        prop_assert_eq!(contents(&resumed), contents(&unbroken)[place + 1..].to_vec());
        prop_assert_eq!(contents(&batches(second.resume(&first.state(epoch).unwrap()).unwrap())), contents(&unbroken));
    }

    /// A run that fails, tries again, and goes on with other numbers of ranks sees each graph once.
    #[test]
    fn through_errors_and_on_other_numbers_of_ranks(
        drawn in data_sets(), way in any::<Index>(),
        padding in select(PADDINGS.to_vec()),
        turns in prop::collection::vec((1..4_u32, 0..4_usize), 1..5),
        failing in prop::collection::vec(any::<Index>(), 0..6), workers in 0..3_usize,
    ) {
        let store = drawn.store();
        let options = shuffled(way.get(&batchings(&store))).padding(padding).workers(workers);
        let graphs = store.len();
        let failing: BTreeSet<usize> = failing.iter().map(|graph| graph.index(graphs)).collect();
        let failing = Mutex::new(failing);
        let data: Arc<dyn Source> = Arc::new(Faulty::new(store, move |store, graph, slot| {
            if failing.lock().unwrap().remove(&graph) {
                return Err("unreadable, but only once".into());
            }
            store.write(graph, slot)
        }));
        let loader = |rank, world| {
            Loader::new(data.clone(), options.clone().shard(Shard::new(rank, world).unwrap())).unwrap()
        };
        let mut seen: Vec<i64> = Vec::new();
        let mut state = loader(0, turns[0].0).state(2).unwrap();
        let to_the_end = std::iter::repeat_n((turns[0].0, usize::MAX), 1 + 6);
        for (world, steps) in turns.into_iter().chain(to_the_end) {
            let (mut made, mut reached) = (Vec::new(), Vec::new());
            for rank in 0..world {
                let mut last = state.clone();
                for batch in loader(rank, world).resume(&sent(&state)).unwrap().take(steps) {
                    match batch {
                        Ok(batch) => {
                            prop_assert_eq!(batch.step(), last.steps_done());
                            last = batch.state();
                            made.push(batch);
                        }
                        Err(error) => {
                            prop_assert_eq!(error.step(), Some(last.steps_done() as usize));
                            prop_assert_eq!(error.before(), Some(&last));
                        }
                    }
                }
                reached.push(last);
            }
            // Where a rank failed, all go on with the step that it lacks.
            state = reached.into_iter().min_by_key(State::steps_done).unwrap();
            let kept = made.iter().filter(|batch| batch.step() < state.steps_done());
            seen.extend(kept.flat_map(|batch| batch.graph_ids()));
        }
        prop_assert_eq!(loader(0, 3).batches_after(&state).unwrap(), 0);
        seen.sort_unstable();
        prop_assert_eq!(seen, (0..graphs as i64).collect::<Vec<_>>());
    }
}

#[test]
fn states_of_anything_else_are_refused_each_with_its_message() {
    let data = Arc::new(molecules::generate(1, 200));
    let base = || Options::default().capacity(Limits::new([300, 700])).order(Order::Shuffled).seed(3);
    let build = |options: Options| Loader::new(data.clone(), options).unwrap();
    let base_of = |data: &Arc<Store>| Loader::new(data.clone(), base()).unwrap();
    let loader = build(base());
    let state = loader.epoch(1).nth(1).unwrap().unwrap().state();
    assert_eq!((state.epoch(), state.batches_done()), (1, 2));
    let refused = |loader: Loader, expected: &str| {
        let error = loader.resume(&state).map(|_| ()).unwrap_err();
        assert!(error.to_string().starts_with(expected), "{error}");
        error
    };
    let other = Arc::new(molecules::generate(2, 200));
    assert_eq!(refused(base_of(&other), "the state belongs to other data: its fingerprint").kind(), ErrorKind::Resume);
    // The same sizes, with one value changed.
    let mut y = data.values::<i64>("y").unwrap();
    y[77] += 1;
    let edges = |k: usize| {
        let (sources, targets): (Vec<_>, Vec<_>) = (0..200).map(|graph| data.edges(graph).unwrap()).unzip();
        [sources, targets][k].concat()
    };
    let same_sizes = |y: Vec<i64>| {
        let ptr = |k: usize| ptr((0..200).map(|graph| data.size(graph).unwrap()[k]));
        let column = graphpack_loader::Column::new;
        let columns = vec![
            column("x", graphpack_loader::Level::NODE, 9, data.values::<i64>("x").unwrap()),
            column("edge_attr", graphpack_loader::Level::EDGE, 3, data.values::<i64>("edge_attr").unwrap()),
            column("y", graphpack_loader::Level::Graph, 1, y),
        ];
        Arc::new(Store::of_columns(ptr(0), ptr(1), [edges(0), edges(1)], columns).unwrap())
    };
    base_of(&same_sizes(data.values("y").unwrap())).resume(&state).map(|_| ()).unwrap();
    refused(base_of(&same_sizes(y)), "the state belongs to other data");
    refused(
        build(base().capacity(Limits::new([310, 700]))),
        "the state was saved with another capacity: expected (310, 700) with at most 256 graphs, found (300, 700) ",
    );
    refused(build(base().packs(2)), "the state was saved with another packs: expected 2, found 1");
    refused(build(base().shapes(Shapes::Exact)), "the state was saved with another shapes: expected exact, found one");
    refused(
        build(base().grouping(Grouping::InOrder)),
        "the state was saved with another grouping: expected in_order, found packed(auto(",
    );
    refused(
        build(base().oversize(Oversize::Skip)),
        "the state was saved with another oversize: expected skip, found error",
    );
    refused(build(base().order(Order::Shuffled).seed(4)), "the state was saved with another seed: expected 4, found 3");
    refused(
        build(base().order(Order::Blocks(16)).seed(3)),
        "the state was saved with another order: expected blocks(16), found shuffled",
    );
    let weights = Weights::new(&[1.0; 200]).unwrap();
    refused(build(base().weights(weights)), "the state was saved with another weights: expected fingerprint ");
    refused(
        build(base().padding(Padding::TwoNodes)),
        "the state was saved with another padding: expected two_nodes, found self_loops",
    );
    // Padding is spread as far as those graphs need, which decides the room of packs, too.
    refused(build(base().sized_for(data.clone())), "the state was saved with another sized_for: expected fingerprint ");
    // Graphs of the same sizes, but another number of each.
    let sized = |graphs: &[u32]| {
        let deciding = graphpack_loader::Data::from(data.clone()).subset(graphs).unwrap();
        build(base().sized_for(&deciding))
    };
    let [one, other] = [sized(&[0, 1, 2, 3]), sized(&[0, 1, 2, 3, 3, 3])];
    let error = other.resume(&one.state(1).unwrap()).map(|_| ()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Resume);
    // More steps than batches, which no run makes.
    let mut forged = serde_json::to_value(&state).unwrap();
    forged["steps"] = u64::MAX.into();
    let forged: State = serde_json::from_value(forged).unwrap();
    let error = loader.resume(&forged).map(|_| ()).unwrap_err();
    assert!(
        error.to_string().starts_with("the state was taken after batch 2 and 18446744073709551615 steps"),
        "{error}"
    );
    // The same graphs in one file and in several are the same data.
    let folder = tempfile::tempdir().unwrap();
    data.save(folder.path().join("store.safetensors")).unwrap();
    let file = Arc::new(Store::open(folder.path().join("store.safetensors")).unwrap());
    base_of(&file).resume(&state).map(|_| ()).unwrap();
    let mut writer = graphpack_loader::store::StoreFilesWriter::create(folder.path().join("files")).unwrap();
    [0..70, 70..200].into_iter().for_each(|part| writer.push(&data.part(part).unwrap()).unwrap());
    writer.finish().unwrap();
    let files = graphpack_loader::StoreFiles::open(folder.path().join("files")).unwrap();
    let loader_of_files =
        Loader::new(files, Options::default().capacity(Limits::new([300, 700])).order(Order::Shuffled).seed(3))
            .unwrap();
    let rest = |epoch| contents(&batches(epoch)).into_iter().map(|(_, step, bytes)| (step, bytes)).collect::<Vec<_>>();
    assert!(rest(loader_of_files.resume(&state).unwrap()) == rest(loader.resume(&state).unwrap()));
    let text = serde_json::to_string(&state).unwrap();
    let changed = |from: &str, to: &str| serde_json::from_str::<State>(&text.replacen(from, to, 1));
    let older = changed("\"version\":1", "\"version\":0").unwrap_err().to_string();
    // Another version may have fields that are not known here.
    let newer = changed("\"version\":1", "\"version\":9,\"later\":[0]").unwrap_err().to_string();
    for (error, version) in [(older, 0), (newer, 9)] {
        let expected = format!("the state has version {version} of the epoch order, this library writes version 1: ");
        assert!(error.starts_with(&expected), "{error}");
    }
    // Another plan for the same sizes and limits, as a file may have it.
    let histogram = loader.plan().unwrap().histogram();
    let plan = Packer::FirstFit(Heuristic::Sum).pack(&histogram, &Limits::new([300, 700])).unwrap();
    refused(build(base().grouping(plan)), "the state belongs to a plan of ");
    // A plan of the same packer, limits and number of packs, as another release may make it.
    let mut other_plan = serde_json::to_value(&state).unwrap();
    other_plan["key"]["plan"]["hash"] = 1.into();
    let error = loader.resume(&serde_json::from_value(other_plan.clone()).unwrap()).map(|_| ()).unwrap_err();
    assert!(error.to_string().starts_with("the state belongs to a plan of "), "{error}");
    // Packs of a release whose packers are others.
    let mut packed_otherwise = other_plan;
    packed_otherwise["key"]["packing"] = 99.into();
    let error = loader.resume(&serde_json::from_value(packed_otherwise).unwrap()).map(|_| ()).unwrap_err();
    let expected = "the state was saved with another version of the packers: expected 1, found 99";
    assert_eq!(error.to_string(), expected);
    let beyond = changed("\"done\":2", "\"done\":99999").unwrap();
    let error = loader.resume(&beyond).map(|_| ()).unwrap_err().to_string();
    assert!(error.starts_with("the state was taken after batch 99999, but epoch 1 has only "), "{error}");
    assert!(changed("\"done\":2", "\"done\":-2").is_err() && changed("\"seed\"", "\"sed\"").is_err());
}
