//! What no change of the code may change in silence: the bytes of batches, and what saved states resume to.
//!
//! The files are in `tests/promises/unchanged/`. `GRAPHPACK_WRITE_UNCHANGED=1` overwrites them, which takes a note in
//! the changelog.

use graphpack_core::{Budget, Packer};
use graphpack_loader::schema::PaddingValue;
use graphpack_loader::{
    Batch, Capacity, Column, Data, Dtype, Edges, Estimate, Grouping, Level, Limits, Loader, Options, Order, Oversize,
    Padding, Shapes, Shard, State, Store, clusters,
};
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use test_common::{fnv, ptr};

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/promises/unchanged").join(name)
}

/// Compares with the file, or writes it.
fn compare(name: &str, found: &str) {
    if std::env::var_os("GRAPHPACK_WRITE_UNCHANGED").is_some() {
        fs::write(file(name), found).unwrap();
    }
    let expected = fs::read_to_string(file(name)).unwrap();
    let changed: Vec<_> = expected.lines().zip(found.lines()).filter(|(expected, found)| expected != found).collect();
    assert!(changed.is_empty(), "{name}: {changed:#?}");
    assert_eq!(expected.lines().count(), found.lines().count(), "{name}");
}

/// Generated clusters, with the fields in the order that the files were written with: `y` at the end.
fn data() -> Arc<Store> {
    let made = Data::from(clusters::generate(5, 300)).connect(Edges::FullyConnected).unwrap();
    let made = Store::collect(made).unwrap();
    let ptr = |set: usize| ptr((0..made.len()).map(|graph| made.size(graph).unwrap()[set]));
    let (sources, targets): (Vec<_>, Vec<_>) = (0..made.len()).map(|graph| made.edges(graph).unwrap()).unzip();
    let columns = vec![
        Column::new("z", Level::NODE, 1, made.values::<i64>("z").unwrap()),
        Column::new("pos", Level::NODE, 3, made.values::<f32>("pos").unwrap()).padded(PaddingValue::Positions),
        Column::new("distance", Level::EDGE, 1, made.values::<f32>("distance").unwrap()).padded(PaddingValue::Length),
        Column::new("y", Level::Graph, 1, made.values::<f32>("y").unwrap()),
    ];
    Arc::new(Store::of_columns(ptr(0), ptr(1), [sources.concat(), targets.concat()], columns).unwrap())
}

/// Every way of batching, by the name of the algorithm.
fn ways() -> Vec<(&'static str, Options)> {
    let in_order = |options: Options| options.grouping(Grouping::InOrder).order(Order::Shuffled).seed(11).workers(2);
    let exact = |most: &[_], graphs| in_order(Options::rows(most, graphs)).shapes(Shapes::Exact);
    let limits = Options::rows(&[("nodes", 160), ("edges", 3000)], 12);
    vec![
        ("packed", in_order(Options::graphs(9)).grouping(Packer::Auto(Budget::default()))),
        ("window", in_order(limits).grouping(Grouping::Window(8))),
        ("dynamic", in_order(Options::default().capacity(Capacity::estimate(Estimate::Jraph, 10)))),
        ("static-constant", in_order(Options::exactly(8))),
        ("static-64", in_order(Options::exactly(8)).shapes(Shapes::Multiple(64))),
        ("static-2^N", in_order(Options::exactly(8)).shapes(Shapes::PowerOfTwo)),
        ("node-budget", exact(&[("nodes", 150)], u32::MAX)),
        ("edge-budget", exact(&[("edges", 3000)], u32::MAX)),
        ("graphs-or-nodes", exact(&[("nodes", 150)], 8).oversize(Oversize::Alone)),
        ("trimmed", exact(&[("nodes", 9), ("edges", 50)], 8).oversize(Oversize::Trim)),
    ]
}

/// FNV-1a over names and bytes of all arrays, without the gaps between them.
fn hash(hash: u64, batch: &Batch) -> u64 {
    let arrays = batch.layout().arrays().iter();
    arrays.fold(hash, |hash, array| fnv(fnv(hash, array.name.as_bytes()), &batch.bytes()[array.range()]))
}

const START: u64 = 0xCBF2_9CE4_8422_2325;

#[test]
fn all_bytes_of_two_epochs() {
    let data = data();
    let mut found = String::new();
    for (name, options) in ways() {
        for padding in [Padding::Jraph, Padding::SelfLoops, Padding::TwoNodes, Padding::Beyond] {
            for narrow in [false, true] {
                for rank in 0..2 {
                    let options = options.clone().padding(padding).shard(Shard::new(rank, 2).unwrap());
                    let options = if narrow { options.index(Dtype::I32) } else { options };
                    let loader = Loader::new(data.clone(), options).unwrap();
                    let width = if narrow { "int32" } else { "int64" };
                    write!(found, "{name} {padding:?} {width} rank {rank}:").unwrap();
                    for epoch in 0..2 {
                        let mut batches = 0;
                        let hash = loader.epoch(epoch).fold(START, |sum, batch| {
                            batches += 1;
                            hash(sum, &batch.unwrap())
                        });
                        write!(found, " {batches} {hash:016x}").unwrap();
                    }
                    found.push('\n');
                }
            }
        }
    }
    compare("batches.txt", &found);
}

#[test]
fn states_that_were_saved_resume() {
    let data = data();
    let (mut states, mut rests) = (String::new(), String::new());
    for (_, options) in ways() {
        let loader = Loader::new(data.clone(), options).unwrap();
        let state = loader.epoch(3).nth(4).unwrap().unwrap().state();
        writeln!(states, "{}", serde_json::to_string(&state).unwrap()).unwrap();
    }
    compare("states.jsonl", &states);
    for ((name, options), line) in ways().into_iter().zip(fs::read_to_string(file("states.jsonl")).unwrap().lines()) {
        let state: State = serde_json::from_str(line).unwrap();
        let loader = Loader::new(data.clone(), options).unwrap();
        let rest = |batches: &mut dyn Iterator<Item = _>| {
            batches.fold(START, |sum, batch: Result<Batch, _>| hash(sum, &batch.unwrap()))
        };
        let resumed = rest(&mut loader.resume(&state).unwrap());
        assert_eq!(resumed, rest(&mut loader.epoch(3).skip(5)), "{name}");
        writeln!(rests, "{name} {resumed:016x}").unwrap();
    }
    compare("rests.txt", &rests);
}

/// States of both ranks of batches that have several shapes, by which the order of ranks goes.
#[test]
fn states_of_ranks_resume_in_the_order_of_shapes_that_were_saved() {
    let data = data();
    let largest = (0..data.len()).map(|graph| data.size(graph).unwrap()[0]).max().unwrap();
    let limits = Limits::new([largest * 2 / 3, largest * largest / 2]).graphs(6);
    let shuffled =
        |capacity: Capacity| Options::default().capacity(capacity).order(Order::Shuffled).seed(11).workers(2);
    let alone = shuffled(limits.into()).oversize(Oversize::Alone);
    let ways = [
        ("dynamic Alone", alone.clone().grouping(Grouping::InOrder)),
        ("packed Alone", alone.grouping(Packer::Demand)),
        ("packed Error", shuffled(Capacity::graphs(9)).shapes(Shapes::Few(3)).grouping(Packer::Demand)),
    ];
    let (mut states, mut orders) = (String::new(), String::new());
    for (name, options) in ways {
        for rank in 0..2 {
            let build = || Loader::new(data.clone(), options.clone().shard(Shard::new(rank, 2).unwrap())).unwrap();
            let state = build().epoch(3).nth(4).unwrap().unwrap().state();
            let state = serde_json::to_string(&state).unwrap();
            let resumed = build().resume(&serde_json::from_str(&state).unwrap()).unwrap();
            let graphs: Vec<i64> = resumed.flat_map(|batch| batch.unwrap().graph_ids().to_vec()).collect();
            writeln!(states, "{state}").unwrap();
            writeln!(orders, "{name} rank {rank}: {graphs:?}").unwrap();
        }
    }
    compare("states_of_ranks.jsonl", &states);
    compare("orders_of_ranks.txt", &orders);
}
