//! What every reader must do with arbitrary bytes: return an error or consistent data, and never panic, hang or
//! allocate what a number in the file asks for. One function per reader; an input of several files is one text, in
//! which each file begins with a line `--- name`.

// Files of LMDB, as tests write them.
#[path = "../../common/src/lmdb.rs"]
mod lmdb;
mod schema;
mod zip;

use flate2::{Compression, write::ZlibEncoder};
use graphpack_core::stream::Follow;
use graphpack_core::{FixedPlan, Plan};
use graphpack_formats::{
    Fields, FormatError, Gather, OgbCsv, Record, Records, Values, aselmdb, histogram_csv as csv, npz, sdf, smiles,
    targets, tu as tu_data, xyz,
};
use graphpack_loader::{
    Batching, Edges, Loader, LoaderState, SavedPlan, Source, Store, StoreFiles, Structures, molecules,
};
use graphpack_partition::dgl::{self, PartitionConfig, PartitionWriter};
use graphpack_partition::{ChunkOptions, ChunkedGraph, PartitionBook, write_chunked};
use std::collections::HashMap;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::OnceLock;
use tempfile::TempDir;

pub use schema::schema;

/// The name of a reader and of its corpus, and what is tried with an input.
pub type Target = (&'static str, fn(&[u8]));

/// All readers.
pub const TARGETS: [Target; 18] = [
    ("histogram_csv", histogram_csv),
    ("ogb", ogb),
    ("xyz", xyz),
    ("aselmdb", aselmdb),
    ("smiles", smiles),
    ("sdf", sdf),
    ("npz", npz),
    ("tu", tu),
    ("store", store),
    ("schema", schema::schema),
    ("shards", shards),
    ("state", state),
    ("plan", plan),
    ("fixed_plan", fixed_plan),
    ("dgl_tensors", dgl_tensors),
    ("dgl_graphs", dgl_graphs),
    ("dgl_config", dgl_config),
    ("chunked", chunked),
];

/// A histogram that can be read is the same after writing and reading it again.
pub fn histogram_csv(bytes: &[u8]) {
    let folder = folder(&[("histogram.csv", bytes)]);
    let path = folder.path().join("histogram.csv");
    let Ok(histogram) = csv::read(&path) else { return };
    let mut again = Vec::new();
    csv::write(&histogram, &mut again).unwrap();
    fs::write(&path, again).unwrap();
    assert_eq!(csv::read(&path).unwrap(), histogram);
}

/// OGB's layout: `--- num-node-list` and so on are files in `raw`, `--- train` is a split.
pub fn ogb(bytes: &[u8]) {
    let folder = TempDir::new().unwrap();
    let (raw, split) = (folder.path().join("raw"), folder.path().join("split/any"));
    fs::create_dir_all(&raw).unwrap();
    fs::create_dir_all(&split).unwrap();
    let names = ["num-node-list", "num-edge-list", "edge", "node-feat", "edge-feat", "node_dfs_order", "graph-label"];
    for (name, contents) in files(bytes) {
        if names.contains(&name) {
            fs::write(raw.join(name).with_extension("csv"), contents).unwrap();
        } else if name == "train" {
            fs::write(split.join("train.csv"), contents).unwrap();
        }
    }
    for read in [OgbCsv::open, OgbCsv::open_directed] {
        if let Ok(data) = read(folder.path()) {
            assert!(load(data.store().clone()).is_none_or(|loaded| loaded), "edges were checked");
            if let Ok(train) = data.split("train") {
                load(train);
            }
        }
    }
}

/// `--- structures` is an XYZ file, `--- targets` a csv file with a column `y`.
pub fn xyz(bytes: &[u8]) {
    let folder = folder(&[]);
    let path = |name: &str| folder.path().join(name);
    let mut targets = false;
    for (name, contents) in files(bytes).filter(|(name, _)| ["structures", "targets"].contains(name)) {
        fs::write(path(name), contents).unwrap();
        targets |= name == "targets";
    }
    if let Ok(records) = xyz::records(path("structures")) {
        consistent(records, &["z", "pos", "cell", "pbc"]);
    }
    let Ok(mut structures) = xyz::read(path("structures")) else { return };
    if targets {
        let Ok(with_targets) = targets::add(structures, path("targets"), &["y"]) else { return };
        structures = with_targets;
    }
    connect(&structures, &[Edges::FullyConnected, Edges::Radius(0.7), Edges::Nearest(3)]);
}

/// A csv file with a header; a first line without commas is a column of SMILES.
pub fn smiles(bytes: &[u8]) {
    let folder = folder(&[("molecules.csv", bytes)]);
    let path = folder.path().join("molecules.csv");
    if let Ok(records) = smiles::records(path, &smiles::SmilesOptions::default()) {
        consistent(records, &["x", "edge_attr"]);
    }
}

/// An SDF file.
pub fn sdf(bytes: &[u8]) {
    let folder = folder(&[("molecules.sdf", bytes)]);
    for keeps_hydrogens in [false, true] {
        let options = sdf::SdfOptions { keeps_hydrogens, ..sdf::SdfOptions::default() };
        if let Ok(records) = sdf::records(folder.path().join("molecules.sdf"), &options) {
            consistent(records, &["x", "edge_attr"]);
        }
    }
}

/// `--- 1`, `--- nextid` and so on are values of an LMDB database, which are compressed here; without such lines the
/// input is the file itself.
pub fn aselmdb(bytes: &[u8]) {
    let pairs: Vec<_> = files(bytes).map(|(key, json)| (key, compressed(json))).collect();
    let pairs: Vec<_> =
        pairs.iter().filter(|(key, _)| key.len() < 100).map(|(key, value)| (*key, &value[..])).collect();
    let bytes = if pairs.is_empty() { bytes.to_vec() } else { lmdb::lmdb(4096, &pairs) };
    let folder = folder(&[("a.aselmdb", &bytes)]);
    if let Ok(records) = aselmdb::records(folder.path().join("a.aselmdb")) {
        consistent(records, &["z", "pos", "cell", "pbc"]);
    }
}

fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::none());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Reads graphs up to the first error: every field has its width for every row, every number is finite, and a name
/// keeps its level and width. Every graph has the fields `names`, and edges between its nodes.
fn consistent(mut records: impl Records, names: &[&str]) {
    let (mut record, mut seen) = (Record::default(), HashMap::new());
    while let Ok(true) = records.next(&mut record) {
        for field in &record.fields {
            assert_eq!(field.values.len(), record.rows(field.level) * field.width, "{}", field.name);
            let of = (field.level, field.width);
            assert_eq!(*seen.entry(field.name.to_string()).or_insert(of), of, "{}", field.name);
            if let Values::F64(values) = &field.values {
                assert!(values.iter().all(|value| value.is_finite()), "{}", field.name);
            }
        }
        for name in names {
            assert!(record.field(name).is_some(), "{name}");
        }
        let nodes = record.nodes as i64;
        let mut ends = record.edges.iter().flatten().flatten();
        assert!(ends.all(|node| (0..nodes).contains(node)), "edges are between nodes");
    }
}

/// `--- z.npy` and so on are members of an npz file; without such lines the input is the file itself.
pub fn npz(bytes: &[u8]) {
    let members: Vec<_> = files(bytes).collect();
    let bytes = if members.is_empty() { bytes.to_vec() } else { zip::stored(&members) };
    let folder = folder(&[("structures.npz", &bytes)]);
    let path = folder.path().join("structures.npz");
    let read = npz::read(&path);
    gathered(npz::records(&path), &path);
    if let Ok(structures) = read {
        connect(&structures, &[Edges::FullyConnected]);
    }
}

/// `--- A`, `--- graph_indicator` and so on are files `DS_A.txt` of a TU data set.
pub fn tu(bytes: &[u8]) {
    let folder = folder(&[]);
    let names = [
        "A",
        "graph_indicator",
        "graph_labels",
        "graph_attributes",
        "node_labels",
        "node_attributes",
        "edge_labels",
        "edge_attributes",
    ];
    for (name, contents) in files(bytes).filter(|(name, _)| names.contains(name)) {
        fs::write(folder.path().join(format!("DS_{name}.txt")), contents).unwrap();
    }
    gathered(tu_data::records(folder.path()), folder.path());
}

/// Records that can be read are sound, and so is the store of them.
fn gathered(records: Result<impl Records, FormatError>, path: &Path) {
    let Ok(mut records) = records else { return };
    let (mut gather, mut record) = (Gather::new(path, Fields::default()), Record::default());
    loop {
        match records.next(&mut record) {
            Ok(true) => {}
            Ok(false) => break,
            Err(_) => return,
        }
        for field in &record.fields {
            assert_eq!(field.values.len(), record.rows(field.level) * field.width, "{}", field.name);
        }
        if gather.push(&record).is_err() {
            return;
        }
    }
    if let Ok(store) = gather.take() {
        assert!(load(store).is_none_or(|loaded| loaded), "records are sound");
    }
}

/// The header and the tensors of a safetensors file, with a zero byte between them. The length of the header, with
/// which such a file begins, is computed.
pub fn store(bytes: &[u8]) {
    let header = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    let (header, tensors) = (&bytes[..header], bytes.get(header + 1..).unwrap_or_default());
    let file = [&(header.len() as u64).to_le_bytes(), header, tensors].concat();
    opened(&file);
}

/// A store in a file is sound in memory if it is sound in the file, and the same when it is written again.
fn opened(file: &[u8]) {
    let folder = folder(&[("store.safetensors", file)]);
    let Ok(store) = Store::open(folder.path().join("store.safetensors")) else { return };
    let _ = store.verify();
    let _ = (store.values::<f32>("x"), store.values::<i64>("y"), store.values::<bool>("y"));
    if let Some(loaded) = load(store.clone()) {
        let in_memory = store.to_memory().is_ok_and(|memory| load(memory) == Some(true));
        assert_eq!(loaded, in_memory, "what is sound in a file is sound in memory");
        let by_position = StoreFiles::open(folder.path().join("store.safetensors")).unwrap();
        assert_eq!(by_position.fingerprint(), store.fingerprint());
        assert_eq!(load(by_position), Some(loaded), "what is sound in memory is sound by position");
        // What is written is what was read.
        let path = folder.path().join("again.safetensors");
        store.save(&path).unwrap();
        let again = Store::open(&path).unwrap();
        assert!(again.verify().is_ok() || !in_memory, "a new file of sound graphs is sound");
        assert_eq!((again.schema(), again.fingerprint()), (store.schema(), store.fingerprint()));
    }
}

/// An index of files, beside the files `a` and `b` of 3 and 2 graphs, and `c` with other fields.
pub fn shards(bytes: &[u8]) {
    static SHARDS: OnceLock<[Vec<u8>; 3]> = OnceLock::new();
    let [a, b, c] = SHARDS.get_or_init(|| {
        let other = Store::new(vec![0, 1], vec![0, 0], [vec![], vec![]], vec![]).unwrap();
        [molecules::generate(1, 3), molecules::generate(2, 2), other].map(|store| {
            let folder = TempDir::new().unwrap();
            let path = folder.path().join("store");
            store.save(&path).unwrap();
            fs::read(path).unwrap()
        })
    });
    let folder = folder(&[("index.json", bytes), ("a", a), ("b", b), ("c", c)]);
    let Ok(shards) = StoreFiles::open(folder.path()) else { return };
    shards.verify().unwrap();
    assert!(load(shards).is_none_or(|loaded| loaded), "the shards are sound");
}

/// A state that is accepted continues after the batches that it counts as done.
pub fn state(bytes: &[u8]) {
    let Ok(state) = serde_json::from_slice::<LoaderState>(bytes) else { return };
    let text = serde_json::to_string(&state).unwrap();
    assert_eq!(serde_json::from_str::<LoaderState>(&text).unwrap(), state);
    let options = Loader::new(molecules::generate(1, 40)).batch_graphs(4).batching(Batching::Dynamic);
    let loader = options.shuffle(7).workers(0).build().unwrap();
    if let Ok(epoch) = loader.resume(&state) {
        let left = epoch.collect::<Result<Vec<_>, _>>().unwrap().len();
        assert_eq!(left as u64 + state.batches_done(), loader.batches(state.epoch()) as u64);
    }
}

/// A plan that is accepted keeps its limits and its bound; a loader that takes it gives every graph once.
pub fn plan(bytes: &[u8]) {
    let folder = folder(&[("plan.json", bytes)]);
    if let Ok(saved) = SavedPlan::open(folder.path().join("plan.json")) {
        let limits = saved.limits();
        let small = limits.graphs <= 1000 && limits.size.as_slice().iter().all(|&rows| rows <= 1000);
        let loader = Loader::new(molecules::generate(1, 5)).plan(saved).workers(0).build();
        if let (Ok(loader), true) = (loader, small) {
            let batches = loader.epoch(0).collect::<Result<Vec<_>, _>>().unwrap();
            let mut graphs: Vec<_> = batches.iter().flat_map(|batch| batch.graph_ids().to_vec()).collect();
            graphs.sort_unstable();
            assert_eq!(graphs, [0, 1, 2, 3, 4]);
        }
    }
    let Ok(plan) = serde_json::from_slice::<Plan<2>>(bytes) else { return };
    let text = serde_json::to_string(&plan).unwrap();
    assert_eq!(serde_json::from_str::<Plan<2>>(&text).unwrap(), plan);
    assert!(plan.bound() <= plan.packs() && plan.packs() <= plan.graphs() && plan.gap() >= 0.0);
    assert_eq!((plan.histogram().graphs(), plan.histogram().totals()), (plan.graphs(), plan.totals()));
    let efficiency = plan.efficiency();
    assert!(efficiency.components.iter().chain([&efficiency.graphs]).all(|share| (0.0..=1.0).contains(share)));
    if let Ok(fixed) = FixedPlan::<2, 16, 8>::try_from(&plan) {
        assert_eq!((fixed.packs(), fixed.graphs()), (plan.packs(), plan.graphs()));
        fixed_plan(&postcard::to_allocvec(&fixed).unwrap());
    }
}

/// A plan in fixed memory that is accepted can be followed to its end.
pub fn fixed_plan(bytes: &[u8]) {
    let Ok(plan) = postcard::from_bytes::<FixedPlan<2, 16, 8>>(bytes) else { return };
    let again = postcard::to_allocvec(&plan).unwrap();
    assert_eq!(postcard::from_bytes::<FixedPlan<2, 16, 8>>(&again).unwrap(), plan);
    if plan.graphs() > 1000 {
        return;
    }
    let mut follow = Follow::new(&plan);
    let mut packs = 0;
    for pack in plan.iter() {
        for &(size, times) in pack.contents {
            for _ in 0..u64::from(times) * pack.repeat {
                packs += u64::from(follow.push(size).unwrap().is_some());
            }
        }
    }
    assert_eq!((packs, follow.packs_left()), (plan.packs(), 0));
}

/// A file of DGL's tensors that can be read is the same, byte for byte, when it is written again.
pub fn dgl_tensors(bytes: &[u8]) {
    let folder = folder(&[("tensors.dgl", bytes)]);
    let path = folder.path().join("tensors.dgl");
    let infos = dgl::tensors_in(&path);
    let Ok(tensors) = dgl::load_tensors(&path) else {
        assert!(infos.is_err(), "names and shapes are read only from files whose tensors can be read");
        return;
    };
    let found = infos.unwrap().into_iter().map(|info| (info.name, info.element, info.shape));
    assert!(found.eq(tensors.iter().map(|(name, array)| (name.clone(), array.element(), array.shape().to_vec()))));
    dgl::save_tensors(&path, &tensors).unwrap();
    assert!(fs::read(&path).unwrap() == bytes);
}

/// A file of DGL's graphs, without bytes 32 to 4096 of its header, which nobody reads. What can be read is the same
/// when it is written again; so is a part of a partition into two parts, with (2, 1) and (1, 2) nodes of types `a`
/// and `b` and (2, 1) edges from `a` to `b`.
pub fn dgl_graphs(bytes: &[u8]) {
    let head = bytes.len().min(32);
    let file = if head < 32 { bytes.to_vec() } else { [&bytes[..head], &[0; 4096 - 32], &bytes[head..]].concat() };
    let folder = folder(&[]);
    let create = |name: &str| {
        let edge = ["a", "r", "b"].map(str::to_owned);
        let nodes = [vec![2, 1], vec![1, 2]];
        let book = PartitionBook::new(vec!["a".into(), "b".into()], &nodes, vec![edge], &[vec![2, 1]]);
        PartitionWriter::create(folder.path().join(name), "g", "metis", 1, book).unwrap()
    };
    let config = create("found").write_config().unwrap();
    fs::create_dir(folder.path().join("found/part0")).unwrap();
    let path = folder.path().join("found/part0/graph.dgl");
    fs::write(&path, &file).unwrap();
    let part = dgl::load_partition_graph(&config, 0);
    let Ok(graphs) = dgl::load_graphs(&path) else {
        assert!(part.is_err());
        return;
    };
    dgl::save_graphs(&path, &graphs).unwrap();
    assert!(fs::read(&path).unwrap() == file);
    if let Ok(found) = part {
        let writer = create("again");
        writer.write_part(&found.part).unwrap();
        let again = dgl::load_partition_graph(writer.write_config().unwrap(), 0).unwrap();
        assert_eq!(again, found);
    }
}

/// A partition's JSON file that can be read says the same when it is written again.
pub fn dgl_config(bytes: &[u8]) {
    let folder = folder(&[("g.json", bytes)]);
    let path = folder.path().join("g.json");
    let Ok(config) = PartitionConfig::read(&path) else { return };
    let ids = 0..config.book.nodes().min(1000) as i64;
    assert!(ids.clone().all(|id| {
        let place = config.book.node(id).unwrap();
        config.book.node_id(place.part, place.local) == Some(id) && place.part < config.parts.len()
    }));
    config.write(&path).unwrap();
    assert_eq!(PartitionConfig::read(&path).unwrap(), config);
}

/// `--- metadata.json` and the files that it lists. A graph that can be read is the same when it is written in other
/// chunks.
pub fn chunked(bytes: &[u8]) {
    let folder = folder(&[]);
    for (name, contents) in files(bytes) {
        // No other file of the machine may be read or written.
        if name.is_empty() || name.len() > 100 || name.contains(['/', '\\', '\0']) || name.starts_with('.') {
            return;
        }
        if name == "metadata.json" && contents.iter().any(|byte| b"/\\".contains(byte)) {
            return;
        }
        fs::write(folder.path().join(name), contents).unwrap();
    }
    let Ok(graph) = ChunkedGraph::open(folder.path()).and_then(|graph| graph.to_memory()) else { return };
    let again = folder.path().join("again");
    if write_chunked(&graph, &again, &ChunkOptions::new(3)).is_ok() {
        assert_eq!(ChunkedGraph::open(&again).unwrap().to_memory().unwrap(), graph);
    }
}

/// A temporary folder with files.
fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, contents) in files {
        fs::write(folder.path().join(Path::new(name)), contents).unwrap();
    }
    folder
}

/// Splits an input into names and contents of files; none if it has no line `--- name`.
fn files(bytes: &[u8]) -> impl Iterator<Item = (&str, &[u8])> {
    let starts: Vec<usize> = (0..bytes.len())
        .filter(|&at| bytes[at..].starts_with(b"--- ") && (at == 0 || bytes[at - 1] == b'\n'))
        .chain([bytes.len()])
        .collect();
    let file = move |ends: &[usize]| {
        let file = &bytes[ends[0] + 4..ends[1]];
        let name = file.iter().position(|&byte| byte == b'\n')?;
        Some((str::from_utf8(&file[..name]).ok()?, &file[name + 1..]))
    };
    starts.windows(2).filter_map(file).collect::<Vec<_>>().into_iter()
}

/// Connects structures, unless they have too many atoms for a quick test.
fn connect(structures: &Structures, all: &[Edges]) {
    let atoms = (0..structures.len()).map(|structure| structures.z(structure).len());
    for &edges in all {
        let most = if edges == Edges::FullyConnected { 200 } else { 8 };
        if atoms.clone().sum::<usize>() <= most
            && let Ok(store) = structures.connect(edges)
        {
            assert!(load(store).is_none_or(|loaded| loaded), "edges are between atoms of the structure");
        }
    }
}

/// Returns whether all graphs can be loaded, each once; `None` if there are no graphs or too many for a quick test.
fn load<S: Source + 'static>(source: S) -> Option<bool> {
    let graphs = source.len();
    let bytes = source.schema().fields().iter().map(|field| field.row_bytes()).sum::<usize>();
    let rows = (0..graphs.min(1000))
        .map(|graph| source.size(graph).as_slice().iter().copied().map(u64::from).sum::<u64>())
        .sum::<u64>();
    if graphs > 1000 || bytes > 1000 || rows > 10_000 {
        return None;
    }
    let options = Loader::new(source).batch_graphs(8).batching(Batching::Dynamic).shuffle(1);
    let loader = options.workers(0).build().ok()?;
    let mut seen = Vec::new();
    for batch in loader.epoch(0) {
        match batch {
            Ok(batch) => seen.extend_from_slice(batch.graph_ids()),
            Err(_) => return Some(false),
        }
    }
    assert_eq!(seen.len(), graphs, "every graph once");
    Some(true)
}
