//! What no change of the code may change in silence: the bytes of batches, and what saved states resume to.
//!
//! The files are in `tests/promises/unchanged/`. `GRAPHPACK_WRITE_UNCHANGED=1` overwrites them, which takes a note in
//! the changelog.

use graphpack_core::{Effort, Packer};
use graphpack_loader::{
    Batch, Batching, Capacity, Column, Connected, Edges, Level, Limits, Loader, LoaderBuilder, LoaderState, Oversize,
    Padding, ResumeError, Shard, Source, Store, clusters,
};
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

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
    let made = Connected::new(clusters::generate(5, 300), Edges::FullyConnected).unwrap();
    let made = Store::collect(&made).unwrap();
    let ptr = |set: usize| {
        let ends = (0..made.len()).scan(0, |sum, graph| {
            *sum += u64::from(made.size(graph)[set]);
            Some(*sum)
        });
        [0].into_iter().chain(ends).collect()
    };
    let (sources, targets): (Vec<_>, Vec<_>) = (0..made.len()).map(|graph| made.edges(graph)).unzip();
    let columns = vec![
        Column::new("z", Level::NODE, 1, made.values::<i64>("z").unwrap()),
        Column::new("pos", Level::NODE, 3, made.values::<f32>("pos").unwrap()),
        Column::new("distance", Level::EDGE, 1, made.values::<f32>("distance").unwrap()),
        Column::new("y", Level::Graph, 1, made.values::<f32>("y").unwrap()),
    ];
    Arc::new(Store::of_columns(ptr(0), ptr(1), [sources.concat(), targets.concat()], columns).unwrap())
}

/// Every way of batching, with a capacity that it takes.
fn batchings() -> [(Batching, Capacity); 9] {
    let limits = Capacity::Limits(Limits::new([160, 3000]).graphs(12));
    [
        (Batching::Packed(Packer::Auto(Effort::default())), Capacity::Graphs(9)),
        (Batching::Window { open: 8 }, limits),
        (Batching::Dynamic, Capacity::Dynamic { batch_size: 10 }),
        (Batching::StaticConstant, Capacity::Graphs(8)),
        (Batching::Static64, Capacity::Graphs(8)),
        (Batching::StaticPow2, Capacity::Graphs(8)),
        (Batching::NodeBudget { nodes: 150 }, Capacity::Graphs(8)),
        (Batching::EdgeBudget { edges: 3000 }, Capacity::Graphs(8)),
        (Batching::GraphsOrNodes { nodes: 150 }, Capacity::Graphs(8)),
    ]
}

fn options(data: &Arc<Store>, (batching, capacity): (Batching, Capacity)) -> LoaderBuilder {
    Loader::new(data.clone()).batching(batching).capacity(capacity).shuffle(11).workers(2)
}

/// FNV-1a over names and bytes of all arrays, without the gaps between them.
fn hash(hash: u64, batch: &Batch) -> u64 {
    let arrays = batch.layout().arrays().iter();
    let bytes = arrays.flat_map(|array| array.name.as_bytes().iter().chain(&batch.bytes()[array.range()]));
    bytes.fold(hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3))
}

const START: u64 = 0xCBF2_9CE4_8422_2325;

#[test]
fn all_bytes_of_two_epochs() {
    let data = data();
    let mut found = String::new();
    for way in batchings() {
        for padding in [Padding::Jraph, Padding::SelfLoops, Padding::TwoNodes] {
            for narrow in [false, true] {
                for rank in 0..2 {
                    let options = options(&data, way).padding(padding).shard(Shard::new(rank, 2).unwrap());
                    let options = if narrow { options.narrow_indices() } else { options };
                    let loader = options.build().unwrap();
                    let width = if narrow { "int32" } else { "int64" };
                    write!(found, "{} {padding:?} {width} rank {rank}:", way.0).unwrap();
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

/// States that the release before the last change of the epoch order has saved.
#[test]
fn states_of_version_1_are_refused_by_name() {
    let data = data();
    for (way, line) in batchings().into_iter().zip(fs::read_to_string(file("states_version_1.jsonl")).unwrap().lines())
    {
        let state: LoaderState = serde_json::from_str(line).unwrap();
        let error = options(&data, way).build().unwrap().resume(&state).map(|_| ()).unwrap_err();
        assert!(matches!(error, ResumeError::Version { expected: 2, found: 1 }), "{}: {error}", way.0);
        let expected = "the state has version 1 of the epoch order, this library writes version 2: resume with the \
                        release that saved it, or begin its epoch again with Loader::epoch";
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn states_that_were_saved_resume() {
    let data = data();
    let (mut states, mut rests) = (String::new(), String::new());
    for way in batchings() {
        let loader = options(&data, way).build().unwrap();
        let state = loader.epoch(3).nth(4).unwrap().unwrap().state();
        // The file is of before padding was spread: its states do not say that packs are composed accordingly.
        writeln!(states, "{}", serde_json::to_string(&state).unwrap().replace(",\"spread\":true", "")).unwrap();
    }
    compare("states.jsonl", &states);
    for (way, line) in batchings().into_iter().zip(fs::read_to_string(file("states.jsonl")).unwrap().lines()) {
        let state: LoaderState = serde_json::from_str(line).unwrap();
        let loader = options(&data, way).build().unwrap();
        let rest = |batches: &mut dyn Iterator<Item = _>| {
            batches.fold(START, |sum, batch: Result<Batch, _>| hash(sum, &batch.unwrap()))
        };
        let resumed = rest(&mut loader.resume(&state).unwrap());
        assert_eq!(resumed, rest(&mut loader.epoch(3).skip(5)), "{}", way.0);
        writeln!(rests, "{} {resumed:016x}", way.0).unwrap();
    }
    compare("rests.txt", &rests);
}

/// States of both ranks of batches that have several shapes, by which the order of ranks goes: saved before padding was
/// spread, when a shape had only the rows for the least padding.
#[test]
fn states_of_ranks_resume_in_the_order_of_shapes_that_were_saved() {
    let data = data();
    let largest = (0..data.len()).map(|graph| data.size(graph)[0]).max().unwrap();
    let limits = Capacity::Limits(Limits::new([largest * 2 / 3, largest * largest / 2]).graphs(6));
    let ways = [
        (Batching::Dynamic, limits, Oversize::Alone),
        (Batching::Packed(Packer::Demand), limits, Oversize::Alone),
        (Batching::Packed(Packer::Demand), Capacity::Buckets { shapes: 3, graphs: 9 }, Oversize::Error),
    ];
    let (mut states, mut orders) = (String::new(), String::new());
    for (batching, capacity, oversize) in ways {
        for rank in 0..2 {
            let build = || {
                let options = options(&data, (batching, capacity)).oversize(oversize);
                options.shard(Shard::new(rank, 2).unwrap()).build().unwrap()
            };
            let state = build().epoch(3).nth(4).unwrap().unwrap().state();
            let state = serde_json::to_string(&state).unwrap().replace(",\"spread\":true", "");
            let resumed = build().resume(&serde_json::from_str(&state).unwrap()).unwrap();
            let graphs: Vec<i64> = resumed.flat_map(|batch| batch.unwrap().graph_ids().to_vec()).collect();
            writeln!(states, "{state}").unwrap();
            writeln!(orders, "{batching} {oversize:?} rank {rank}: {graphs:?}").unwrap();
        }
    }
    compare("states_of_ranks.jsonl", &states);
    compare("orders_of_ranks.txt", &orders);
}
