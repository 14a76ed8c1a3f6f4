//! What is written is what is read; what does not hold together is not written.

use crate::generated::{array, graphs};
use graphpack_loader::ErrorKind;
use graphpack_partition::assign::write_for_parmetis;
use graphpack_partition::chunked::{ChunkFormat, ChunkOptions, ChunkedGraph, ChunkedWriter, write_chunked};
use graphpack_partition::{Array, ArrayType, EdgeType, LargeGraph, NodeType};
use proptest::prelude::*;
use std::fs;
use tempfile::TempDir;

const ELEMENTS: [ArrayType; 12] = [
    ArrayType::I8,
    ArrayType::I16,
    ArrayType::I32,
    ArrayType::I64,
    ArrayType::U8,
    ArrayType::U16,
    ArrayType::U32,
    ArrayType::U64,
    ArrayType::F16,
    ArrayType::F32,
    ArrayType::F64,
    ArrayType::Bool,
];

fn feature(rows: usize) -> impl Strategy<Value = Array> {
    let row = prop_oneof![Just(vec![]), Just(vec![3]), Just(vec![2, 1, 2]), Just(vec![1])];
    (0..ELEMENTS.len(), row, any::<u8>())
        .prop_map(move |(element, row, seed)| array(ELEMENTS[element], [rows].into_iter().chain(row).collect(), seed))
}

fn features(rows: usize) -> BoxedStrategy<Vec<(String, Array)>> {
    let names = ["feat", "", "../a b", "label", "über:/"];
    proptest::collection::vec(feature(rows), 0..4)
        .prop_map(move |arrays| names.iter().map(|name| (*name).to_owned()).zip(arrays).collect())
        .boxed()
}

fn options() -> impl Strategy<Value = ChunkOptions> {
    let csv = |delimiter| ChunkFormat::Csv { delimiter };
    let edges = prop_oneof![
        Just(csv(b' ')),
        Just(csv(b'\t')),
        Just(csv(b';')),
        Just(ChunkFormat::Numpy),
        Just(ChunkFormat::Parquet)
    ];
    let features = prop_oneof![Just(ChunkFormat::Numpy), Just(ChunkFormat::Parquet)];
    (1..9_usize, edges, features)
        .prop_map(|(chunks, edges, features)| ChunkOptions::new(chunks).edges(edges).features(features))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn what_is_written_is_what_is_read_whatever_the_chunks(graph in graphs("any \"graph\"", "r ", features), options in options()) {
        let folder = TempDir::new().unwrap();
        write_chunked(&graph, folder.path(), &options).unwrap();
        let chunked = ChunkedGraph::open(folder.path()).unwrap();
        prop_assert_eq!(&chunked.to_memory().unwrap(), &graph);
        for (edges, original) in chunked.edge_types().iter().zip(&graph.edge_types) {
            let sizes: Vec<usize> = edges.chunks().collect();
            prop_assert_eq!((sizes.len(), edges.edges()), (options.chunks, original.sources.len()));
            prop_assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1);
        }
        for feature in chunked.node_types().iter().flat_map(|kind| kind.features()) {
            let mut next = 0;
            let mut bytes = Vec::new();
            for range in feature.ranges(2) {
                let (range, rows) = range.unwrap();
                prop_assert_eq!((range.start, range.len()), (next, rows.rows()));
                prop_assert!((1..=2).contains(&range.len()));
                next = range.end;
                bytes.extend_from_slice(rows.bytes());
            }
            prop_assert_eq!(next, feature.rows());
            let files = (0..feature.files().len()).map(|file| feature.read(file).unwrap().bytes().to_vec());
            prop_assert_eq!(bytes, files.collect::<Vec<_>>().concat());
        }
        // The original goes first: it is not written over.
        let again = write_chunked(&graph, folder.path(), &options).unwrap_err().to_string();
        prop_assert!(again.ends_with("the folder is not empty"), "{}", again);
    }
}

#[test]
fn what_does_not_hold_together_is_not_written() {
    let folder = TempDir::new().unwrap();
    let node = |name: &str, nodes, features| NodeType { name: name.into(), nodes, features };
    let edge = |relation: &str, sources: &[i64], targets: &[i64]| EdgeType {
        name: ["a", relation, "a"].map(String::from),
        sources: sources.to_vec(),
        targets: targets.to_vec(),
        features: Vec::new(),
    };
    let graph = |node_types, edge_types| LargeGraph { name: "g".into(), node_types, edge_types };
    let x = |rows| vec![("x".to_owned(), array(ArrayType::I8, vec![rows, 2], 0))];
    let options = ChunkOptions::new(2);
    let cases = [
        (
            graph(vec![node("a", 2, vec![])], vec![edge("r", &[0], &[2])]),
            "a:r:a: edge 0: node 2 of type \"a\", which has 2 nodes",
        ),
        (
            graph(vec![node("a", 2, vec![])], vec![edge("r", &[0, -1], &[1, 1])]),
            "a:r:a: edge 1: node -1 of type \"a\", which has 2 nodes",
        ),
        (graph(vec![node("a", 2, vec![])], vec![edge("r", &[0], &[])]), "a:r:a: 1 sources, 0 targets"),
        (graph(vec![node("a", 2, vec![])], vec![edge("r", &[], &[]), edge("r", &[], &[])]), "a:r:a: occurs twice"),
        (graph(vec![node("b", 2, vec![])], vec![edge("r", &[], &[])]), "a:r:a: no node type \"a\""),
        (
            graph(vec![node("a:b", 2, vec![])], vec![]),
            "g: node type \"a:b\", expected a name without \":\", which separates the types of an edge",
        ),
        (graph(vec![node("a", 2, vec![]), node("a", 2, vec![])], vec![]), "g: node type \"a\" occurs twice"),
        (graph(vec![node("a", 2, x(3))], vec![]), "a/x: 3 rows, expected 2"),
        (graph(vec![node("a", 2, x(1))], vec![]), "a/x: 1 rows, expected 2"),
        (graph(vec![node("a", 2, [x(2), x(2)].concat())], vec![]), "a/x: occurs twice"),
    ];
    for (number, (graph, expected)) in cases.into_iter().enumerate() {
        let out = folder.path().join(number.to_string());
        let error = write_chunked(&graph, &out, &options).unwrap_err();
        assert_eq!(error.to_string(), expected);
        assert!(ChunkedGraph::open(&out).is_err_and(|error| error.kind() == ErrorKind::File), "there are no metadata");
    }
    let csv = ChunkFormat::Csv { delimiter: b'1' };
    for (options, expected) in [
        (ChunkOptions::new(0), "g: 0 chunks, expected at least 1"),
        (options.clone().edges(csv), "g: delimiter \"1\", expected one byte that is not part of a number"),
        (options.features(csv), "g: features in csv, expected numpy or parquet: csv keeps neither types nor shapes"),
    ] {
        let error = ChunkedWriter::create(folder.path().join("no"), "g", vec![("a".into(), 1)], options).unwrap_err();
        assert_eq!(error.to_string(), expected);
        assert!(!folder.path().join("no").exists());
    }
}

#[test]
fn what_was_begun_is_finished_and_a_refused_edge_leaves_nothing() {
    let folder = TempDir::new().unwrap();
    let name = ["a", "r", "a"].map(String::from);
    let create = |out: &str| {
        ChunkedWriter::create(folder.path().join(out), "g", vec![("a".into(), 5)], ChunkOptions::new(2)).unwrap()
    };
    let mut writer = create("edges");
    let mut edges = writer.edge_type(&name, 2).unwrap();
    edges.push(0, 9).unwrap_err();
    edges.push(1, 2).unwrap();
    edges.push(3, 4).unwrap();
    edges.finish().unwrap();
    writer.finish().unwrap();
    let read = ChunkedGraph::open(folder.path().join("edges")).unwrap().to_memory().unwrap();
    assert_eq!((&read.edge_types[0].sources[..], &read.edge_types[0].targets[..]), (&[1, 3][..], &[2, 4][..]));

    let mut writer = create("begun");
    writer.edge_type(&name, 1).unwrap().push(0, 1).unwrap();
    let mut again = writer.edge_type(&name, 1).unwrap();
    again.push(1, 0).unwrap();
    again.finish().unwrap();
    drop(writer.node_feature("a", "x", ArrayType::I8, &[]).unwrap());
    assert_eq!(writer.finish().unwrap_err().to_string(), "a/x: was begun and not finished");
    assert!(!folder.path().join("begun").exists(), "nothing is left");
}

#[test]
fn nothing_is_left_of_an_export_that_fails() {
    let folder = TempDir::new().unwrap();
    let (chunks, out) = (folder.path().join("chunks"), folder.path().join("parmetis"));
    let node = NodeType { name: "a".into(), nodes: 3, features: Vec::new() };
    let name = ["a", "r", "a"].map(String::from);
    let edge = EdgeType { name, sources: vec![0, 1, 2], targets: vec![1, 2, 0], features: Vec::new() };
    let graph = LargeGraph { name: "g".into(), node_types: vec![node], edge_types: vec![edge] };
    let options = ChunkOptions::new(3).edges(ChunkFormat::Csv { delimiter: b' ' });
    write_chunked(&graph, &chunks, &options).unwrap();
    let graph = ChunkedGraph::open(&chunks).unwrap();
    write_for_parmetis(&graph, folder.path().join("whole")).unwrap();
    assert!(folder.path().join("whole/g_stats.txt").exists() && !folder.path().join("whole/unfinished.tmp").exists());
    // The last chunk, when others were written.
    let last = fs::read_dir(chunks.join("edge_index")).unwrap().map(|entry| entry.unwrap().path()).max().unwrap();
    fs::write(&last, "0 x\n").unwrap();
    write_for_parmetis(&graph, &out).unwrap_err();
    assert!(!out.exists());
}
