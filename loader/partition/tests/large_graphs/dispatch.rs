//! Parts that several ranks make of a chunked graph: byte for byte those of a cut in memory, and nothing left where one
//! fails.

use crate::generated::{array, assigned, write_cut};
use graphpack_loader::Error;
use graphpack_partition::chunked::{ChunkFormat, ChunkOptions, ChunkedGraph, write_chunked};
use graphpack_partition::dgl::load_partition;
use graphpack_partition::{Array, ArrayType, Assignment, Cut, Dispatch, EdgeType, LargeGraph, NodeType, Verify};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn features(rows: usize) -> BoxedStrategy<Vec<(String, Array)>> {
    let row = prop_oneof![Just(vec![]), Just(vec![3]), Just(vec![2, 2]), Just(vec![0])];
    let element = prop_oneof![Just(ArrayType::F32), Just(ArrayType::Bool), Just(ArrayType::I16), Just(ArrayType::F64)];
    let feature = (element, row, any::<u8>())
        .prop_map(move |(element, row, seed)| array(element, [rows].into_iter().chain(row).collect(), seed));
    proptest::collection::vec(feature, 0..3)
        .prop_map(|arrays| ["x", "label/1"].into_iter().map(String::from).zip(arrays).collect())
        .boxed()
}

fn options() -> impl Strategy<Value = ChunkOptions> {
    let edges =
        prop_oneof![Just(ChunkFormat::Csv { delimiter: b' ' }), Just(ChunkFormat::Numpy), Just(ChunkFormat::Parquet)];
    (1..7_usize, edges).prop_map(|(chunks, edges)| ChunkOptions::new(chunks).edges(edges))
}

/// All files below a folder, with what is in them.
pub(crate) fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.insert(path.strip_prefix(folder).unwrap().to_owned(), fs::read(path).unwrap());
            }
        }
    }
    files
}

pub(crate) fn with_original_ids(threads: usize, memory: usize) -> Dispatch {
    Dispatch::new().threads(threads).memory(memory).save_orig_ids(true)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn files_are_those_of_a_cut_in_memory_whatever_the_ranks_and_chunks(
        (graph, assignment) in assigned(features),
        chunkings in proptest::collection::vec(options(), 2),
        memory in prop_oneof![Just(0), Just(20_000), Just(1 << 30)],
    ) {
        let folder = TempDir::new().unwrap();
        let cut = Cut::new(&graph, &assignment, 1).unwrap();
        write_cut(&cut, &folder.path().join("cut"), &graph.name, "assigned");
        let expected = files(&folder.path().join("cut"));
        for (number, options) in chunkings.iter().enumerate() {
            let chunks = folder.path().join(format!("chunks{number}"));
            write_chunked(&graph, &chunks, options).unwrap();
            let chunked = ChunkedGraph::open(&chunks).unwrap();
            for threads in [1, 3, 4] {
                let out = folder.path().join(format!("parts{number}.{threads}"));
                let dispatch = with_original_ids(threads, memory);
                let done = dispatch.run(&chunked, &assignment, &out, &|_| {}).unwrap();
                prop_assert_eq!(done.edge_cut as usize, assignment.edge_cut(&graph).unwrap());
                prop_assert_eq!((done.nodes, done.edges), (graph.nodes(), graph.edges()));
                let found = files(&out);
                prop_assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
                for (path, bytes) in &found {
                    prop_assert!(*bytes == expected[path], "{} with {threads} threads", path.display());
                }
            }
        }
    }
}

/// 60 nodes and 400 edges, both with a feature, in four chunks.
pub(crate) fn chunked(folder: &TempDir, edges: ChunkFormat, parts: usize) -> (PathBuf, Assignment) {
    let node =
        NodeType { name: "_N".into(), nodes: 60, features: vec![("x".into(), array(ArrayType::F32, vec![60], 1))] };
    let ends = |step: i64| (0..400).map(move |edge| (edge * step + edge / 60) % 60).collect();
    let name = ["_N", "_E", "_N"].map(String::from);
    let features = vec![("w".into(), array(ArrayType::I64, vec![400, 2], 2))];
    let edge = EdgeType { name, sources: ends(7), targets: ends(11), features };
    let graph = LargeGraph { name: "g".into(), node_types: vec![node], edge_types: vec![edge] };
    let path = folder.path().join("chunks");
    write_chunked(&graph, &path, &ChunkOptions::new(4).edges(edges)).unwrap();
    let assignment = Assignment::random(&graph, parts, 5).unwrap();
    (path, assignment)
}

/// The first file below a folder that has all of these in its path.
fn find(folder: &Path, parts: &[&str]) -> PathBuf {
    let has_all = |path: &&PathBuf| parts.iter().all(|part| path.to_str().unwrap().contains(part));
    folder.join(files(folder).keys().find(has_all).unwrap())
}

#[test]
fn what_is_wrong_in_one_rank_ends_all_and_leaves_nothing() {
    type Damage = fn(&Path);
    let csv = ChunkFormat::Csv { delimiter: b' ' };
    let cases: [(ChunkFormat, &[&str], Damage, &str); 7] = [
        (csv, &["edge_index", "2.csv"], |path| fs::remove_file(path).unwrap(), "No such file"),
        (csv, &["edge_index", "3.csv"], |path| append(path, "1 2\n"), " has 101 rows, expected 100"),
        (csv, &["edge_index", "1.csv"], |path| fs::write(path, "1 2\n3 4\n").unwrap(), " has 2 rows, expected 100"),
        (
            csv,
            &["edge_index", "2.csv"],
            |path| fs::write(path, "1 2\n3 x\n").unwrap(),
            "line 2, column 2: \"x\" is not",
        ),
        (csv, &["edge_index", "0.csv"], |path| fs::write(path, "1 2\n3 60\n").unwrap(), "line 2: node 60 of type"),
        (ChunkFormat::Numpy, &["node_data", "1.npy"], |path| fs::remove_file(path).unwrap(), "No such file"),
        (ChunkFormat::Numpy, &["edge_data", "3.npy"], |path| fs::write(path, "NUMPY").unwrap(), "3.npy"),
    ];
    for (format, file, damage, expected) in cases {
        for threads in [1, 2, 4] {
            let folder = TempDir::new().unwrap();
            let (path, assignment) = chunked(&folder, format, 3);
            let graph = ChunkedGraph::open(&path).unwrap();
            let damaged = find(&path, file);
            damage(&damaged);
            let out = folder.path().join("parts");
            let error = with_original_ids(threads, 3000).run(&graph, &assignment, &out, &|_| {}).unwrap_err();
            let message = error.to_string();
            assert!(message.contains(damaged.file_name().unwrap().to_str().unwrap()), "{message}");
            assert!(message.contains(expected), "{message}");
            // What is missing is seen before the ranks begin.
            assert_eq!(message.starts_with("rank "), threads > 1 && expected != "No such file", "{message}");
            assert!(!out.exists(), "{message}");

            fs::create_dir(&out).unwrap();
            with_original_ids(threads, 3000).run(&graph, &assignment, &out, &|_| {}).unwrap_err();
            assert_eq!(fs::read_dir(&out).unwrap().count(), 0, "the folder was there before");
        }
    }
}

fn append(path: &Path, text: &str) {
    fs::write(path, fs::read_to_string(path).unwrap() + text).unwrap();
}

#[test]
fn a_panic_of_one_rank_ends_all() {
    let folder = TempDir::new().unwrap();
    let (path, assignment) = chunked(&folder, ChunkFormat::Numpy, 3);
    let graph = ChunkedGraph::open(&path).unwrap();
    let progress = |_| assert!(std::thread::current().name() == Some("no rank has it"), "such as it is");
    let error =
        with_original_ids(4, 3000).run(&graph, &assignment, folder.path().join("parts"), &progress).unwrap_err();
    let message = error.to_string();
    let rank = message.strip_prefix("rank ").and_then(|rest| rest.strip_suffix(": a panic: such as it is"));
    assert!(rank.and_then(|rank| rank.parse().ok()).is_some_and(|rank: usize| rank < 4), "{message}");
    assert!(!folder.path().join("parts").exists());
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let folder = TempDir::new().unwrap();
    let (path, assignment) = chunked(&folder, ChunkFormat::Numpy, 3);
    let graph = ChunkedGraph::open(&path).unwrap();
    let run = |dispatch: Dispatch, assignment: &Assignment, out: &Path| -> Error {
        dispatch.run(&graph, assignment, out, &|_| {}).unwrap_err()
    };
    let out = folder.path().join("parts");
    let other = Assignment::new(2, vec![vec![1; 59]]).unwrap();
    let message = run(Dispatch::new(), &other, &out).to_string();
    assert_eq!(message, "the assignment has 59 nodes of type _N, the graph has 60");
    let message = run(Dispatch::new().threads(0), &assignment, &out).to_string();
    assert_eq!(message, "0 threads, expected at least 1");
    let message = run(Dispatch::new().name("a/b").threads(2), &assignment, &out).to_string();
    assert!(message.ends_with("graph_name is \"a/b\", expected a name for a file"), "{message}");
    assert!(!out.exists());
    Dispatch::new().threads(usize::MAX).run(&graph, &assignment, &out, &|_| {}).unwrap();
    fs::remove_dir_all(&out).unwrap();
    fs::create_dir_all(out.join("unfinished.tmp")).unwrap();
    let message = run(Dispatch::new(), &assignment, &out).to_string();
    assert!(message.contains("parts: unfinished.tmp is in the folder: a run was killed here"), "{message}");
    assert!(out.join("unfinished.tmp").exists(), "it is another's");
    let message = run(Dispatch::new(), &assignment, &path).to_string();
    assert!(message.ends_with("chunks: the folder is not empty"), "{message}");
    assert!(ChunkedGraph::open(&path).is_ok(), "what was there stays there");
}

#[test]
fn features_that_dgl_does_not_read_are_those_of_a_cut_and_of_the_graph() {
    let folder = TempDir::new().unwrap();
    let (_, assignment) = chunked(&folder, ChunkFormat::Numpy, 3);
    let elements = [ArrayType::U16, ArrayType::U32, ArrayType::U64];
    let features = |rows: usize| {
        let feature = |element: ArrayType| {
            let bytes =
                (0..3 * rows as u64).flat_map(|at| (at * 40_503 % 65_536).to_le_bytes()[..element.bytes()].to_vec());
            (element.to_string(), Array::new(element, vec![rows, 3], bytes.collect()).unwrap())
        };
        elements.map(feature).to_vec()
    };
    let node = NodeType { name: "_N".into(), nodes: 60, features: features(60) };
    let (sources, targets) = (0..90).map(|edge| (edge % 60, edge * 7 % 60)).unzip();
    let edge = EdgeType { name: ["_N", "_E", "_N"].map(String::from), sources, targets, features: features(90) };
    let graph = LargeGraph { name: "g".into(), node_types: vec![node], edge_types: vec![edge] };
    let (chunks, out) = (folder.path().join("unsigned"), folder.path().join("parts"));
    write_chunked(&graph, &chunks, &ChunkOptions::new(3).features(ChunkFormat::Numpy)).unwrap();
    let chunks = ChunkedGraph::open(&chunks).unwrap();
    let done = with_original_ids(2, 1000).run(&chunks, &assignment, &out, &|_| {}).unwrap();
    write_cut(&Cut::new(&graph, &assignment, 1).unwrap(), &folder.path().join("cut"), "g", "assigned");
    assert!(files(&out) == files(&folder.path().join("cut")));
    let stored: Vec<_> =
        load_partition(&done.config, 0).unwrap().part.node_features.iter().map(|(_, array)| array.element()).collect();
    assert_eq!(stored, [ArrayType::I32, ArrayType::I64, ArrayType::I64]);
    Verify::new().run(&chunks, &done.config, Some(&assignment)).unwrap();
}
