//! DGL's Chunked Graph Format: what is written is what is read, files of other programs, and what is said of folders that are damaged.

#[path = "common/large_graphs.rs"]
mod large_graphs;

use graphpack_partition::{
    Array, ArrayType, ChunkFormat, ChunkOptions, ChunkedError, ChunkedFeature, ChunkedGraph, ChunkedWriter, EdgeType,
    LargeGraph, NodeType, write_chunked,
};
use large_graphs::{array, graphs};
use proptest::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};
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

/// See tests/chunked/make.py.
#[test]
fn files_of_numpy_pandas_and_pyarrow_are_read() {
    let chunked = ChunkedGraph::open(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/chunked")).unwrap();
    assert_eq!(chunked.edge_types()[0].read(1).unwrap(), (vec![3], vec![3]));
    let f32s = |numbers: &[f32]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>();
    let array = |element, shape: &[usize], bytes| Array::new(element, shape.to_vec(), bytes).unwrap();
    let named = |name: &str, array| (name.to_owned(), array);
    let quarters: Vec<f32> = (0..10).map(|k| k as f32 / 4.0).collect();
    let labels = [2_i16, -1, 0, 7, 300].iter().flat_map(|label| label.to_le_bytes()).collect();
    let cube = (0..12).flat_map(|k| f64::from(k).to_le_bytes()).collect();
    let vectors: Vec<f32> = (0..9).map(|k| k as f32 - 4.0).collect();
    let weights = [0x3800_u16, 0x3e00, 0xc000, 0x4400].iter().flat_map(|half| half.to_le_bytes()).collect();
    let node_types = vec![
        NodeType {
            name: "paper".into(),
            nodes: 5,
            features: vec![
                named("feat", array(ArrayType::F32, &[5, 2], f32s(&quarters))),
                named("label", array(ArrayType::I16, &[5], labels)),
                named("mask", array(ArrayType::Bool, &[5], vec![1, 0, 1, 1, 0])),
            ],
        },
        NodeType {
            name: "author".into(),
            nodes: 3,
            features: vec![
                named("cube", array(ArrayType::F64, &[3, 2, 2], cube)),
                named("embedding", array(ArrayType::F32, &[3, 3], f32s(&vectors))),
            ],
        },
    ];
    let edge_types = vec![
        EdgeType {
            name: ["paper", "cites", "paper"].map(String::from),
            sources: vec![0, 1, 4, 3],
            targets: vec![1, 2, 0, 3],
            features: vec![named("weight", array(ArrayType::F16, &[4], weights))],
        },
        EdgeType {
            name: ["author", "writes", "paper"].map(String::from),
            sources: vec![0, 2, 1],
            targets: vec![4, 1, 1],
            features: Vec::new(),
        },
    ];
    assert_eq!(chunked.to_memory().unwrap(), LargeGraph { name: "papers".into(), node_types, edge_types });
}

/// Bytes of a npy file.
fn npy(header: &str, data: &[u8]) -> Vec<u8> {
    [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), data].concat()
}

fn i4(shape: &str, numbers: &[i32]) -> Vec<u8> {
    let data: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    npy(&format!("{{'descr': '<i4', 'fortran_order': False, 'shape': {shape}, }}\n"), &data)
}

const METADATA: &str = r#"{
  "graph_name": "g",
  "node_type": ["a", "b"],
  "num_nodes_per_chunk": [[2, 1], [4]],
  "edge_type": ["a:r:b", "b:s:a"],
  "num_edges_per_chunk": [[2, 1], [2]],
  "edges": {
    "a:r:b": {"format": {"name": "csv", "delimiter": " "}, "data": ["r0.txt", "r1.txt"]},
    "b:s:a": {"format": {"name": "numpy"}, "data": ["s.npy"]}
  },
  "node_data": {
    "a": {
      "x": {"format": {"name": "numpy"}, "data": ["x0.npy", "x1.npy"]},
      "y": {"format": {"name": "csv"}, "data": ["y0.csv", "y1.csv"]}
    }
  },
  "edge_data": {"b:s:a": {"w": {"format": {"name": "numpy"}, "data": ["s.npy"]}}}
}"#;

/// A sound folder.
fn sound() -> TempDir {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, contents: &[u8]| fs::write(folder.path().join(name), contents).unwrap();
    write("metadata.json", METADATA.as_bytes());
    write("r0.txt", b"0 3\n2 0\n");
    write("r1.txt", b"1 1");
    write("s.npy", &i4("(2, 2)", &[3, 2, 0, 1]));
    write("x0.npy", &i4("(1, 2)", &[1, 2]));
    write("x1.npy", &i4("(2, 2)", &[3, 4, 5, 6]));
    write("y0.csv", b"1,2\n3,4\n");
    write("y1.csv", b"5,0.5\n");
    folder
}

fn read(folder: &TempDir) -> Result<LargeGraph, String> {
    let graph = ChunkedGraph::open(folder.path()).and_then(|graph| graph.to_memory());
    let folder = format!("{}{}", folder.path().display(), std::path::MAIN_SEPARATOR);
    graph.map_err(|error| error.to_string().replace(&folder, ""))
}

#[test]
fn metadata_that_are_wrong_are_refused_with_what_is_wrong() {
    let graph = read(&sound()).unwrap();
    assert_eq!(graph.edge_types[0].targets, [3, 0, 1]);
    let [(_, x), (_, y)] = graph.node_types[0].features.as_slice() else { panic!("two features") };
    assert_eq!((x.element(), x.shape()), (ArrayType::I32, &[3, 2][..]));
    assert_eq!((y.element(), y.shape()), (ArrayType::F32, &[3, 2][..]));
    let numbers: Vec<f32> = y.bytes().as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    assert_eq!(numbers, [1.0, 2.0, 3.0, 4.0, 5.0, 0.5]);
    for (from, to, expected) in [
        ("[\"a\", \"b\"],", "[\"a\", \"b\"", "metadata.json: expected `,` or `]` at line 4 column 3"),
        ("\"graph_name\": \"g\",", "", "metadata.json: missing field `graph_name` at line 18 column 1"),
        ("\"node_data\"", "\"nodes\"", "metadata.json: missing field `node_data` at line 18 column 1"),
        (
            "[[2, 1], [4]]",
            "[[2, -1], [4]]",
            "metadata.json: invalid value: integer `-1`, expected u64 at line 4 column 32",
        ),
        ("\"b:s:a\": {\"f", "\"a:r:b\": {\"f", "metadata.json: \"a:r:b\" stands twice at line 10 column 3"),
        ("[\"a\", \"b\"]", "[\"a\", \"a\"]", "metadata.json, node_type: \"a\" stands twice"),
        ("[\"a:r:b\", \"b:s:a\"]", "[\"b:s:a\", \"b:s:a\"]", "metadata.json, edge_type: \"b:s:a\" stands twice"),
        (
            "[[2, 1], [4]]",
            "[[2, 1]]",
            "metadata.json, num_nodes_per_chunk: 1 entries, expected one for each of 2 types",
        ),
        (
            "\"num_nodes_per_chunk\"",
            "\"num_nodes\"",
            "metadata.json, num_nodes_per_chunk: missing, and so is num_nodes_per_type",
        ),
        (
            "\"graph_name\"",
            "\"num_edges_per_type\": [4, 2], \"graph_name\"",
            "metadata.json, num_edges_per_type: \"a:r:b\" has 4 edges, its chunks have 3",
        ),
        (
            "[[2, 1], [4]]",
            "[[2, 1], [9223372036854775807, 1]]",
            "metadata.json, num_nodes_per_chunk: \"b\" has more than 9223372036854775807",
        ),
        ("\"a:r:b\"", "\"a:r\"", "metadata.json, edge_type: \"a:r\", expected \"source:relation:target\""),
        ("\"a:r:b\"", "\"a:r:c\"", "metadata.json, edge_type: \"a:r:c\": no node type \"c\""),
        (
            "    \"a:r:b\"",
            "    \"a:t:b\"",
            "metadata.json, edges: \"a:t:b\" is none of the types [\"a:r:b\", \"b:s:a\"]",
        ),
        ("    \"a\": {", "    \"c\": {", "metadata.json, node_data: \"c\" is none of the types [\"a\", \"b\"]"),
        (
            "\"edge_data\": {\"b:s:a\"",
            "\"edge_data\": {\"s\"",
            "metadata.json, edge_data: \"s\" is none of the types [\"a:r:b\", \"b:s:a\"]",
        ),
        (
            "\"r0.txt\", \"r1.txt\"",
            "\"r0.txt\"",
            "metadata.json, edges, \"a:r:b\": 1 files, num_edges_per_chunk has 2 chunks",
        ),
        (
            "{\"name\": \"csv\"}",
            "{\"name\": \"hdf5\"}",
            "metadata.json, node_data, \"a\", \"y\": format \"hdf5\", expected \"csv\", \"numpy\" or \"parquet\"",
        ),
        (
            "\"delimiter\": \" \"",
            "\"delimiter\": \", \"",
            "metadata.json, edges, \"a:r:b\": delimiter \", \", expected one byte that is not part of a number",
        ),
        ("[\"x0.npy\", \"x1.npy\"]", "[]", "metadata.json, node_data, \"a\", \"x\": no files"),
        (
            "[\"x0.npy\", \"x1.npy\"]",
            "[\"x1.npy\", \"x1.npy\"]",
            "metadata.json: feature a/x has 4 rows in 2 files, expected one for each of 3 nodes; x1.npy has 2, its chunk 1",
        ),
        ("\"x1.npy\"", "\"x2.npy\"", "x2.npy: No such file or directory (os error 2)"),
        ("\"r1.txt\"", "\"r2.txt\"", "r2.txt: No such file or directory (os error 2)"),
        (
            "[[2, 1], [4]]",
            "[[2, 2], [4]]",
            "metadata.json: feature a/x has 3 rows in 2 files, expected one for each of 4 nodes; x0.npy has 1, its chunk 2",
        ),
        ("[[2, 1], [2]]", "[[2, 1], [3]]", "s.npy has 2 rows, expected 3"),
        ("[[2, 1], [2]]", "[[1, 2], [2]]", "r0.txt has 2 rows, expected 1"),
        ("[[2, 1], [2]]", "[[2, 2], [2]]", "r1.txt has 1 rows, expected 2"),
        ("[[2, 1], [4]]", "[[2, 1], [3]]", "r0.txt, line 1: node 3 of type \"b\", which has 3 nodes"),
        (
            "\"data\": [\"s.npy\"]}\n",
            "\"data\": [\"x1.npy\"]}\n",
            "x1.npy, row 0: node 4 of type \"a\", which has 3 nodes",
        ),
    ] {
        let folder = sound();
        assert!(METADATA.contains(from), "{from}");
        // The first one only, but for names of types that must agree.
        let text = if to == "\"a:r\"" || to == "\"a:r:c\"" {
            METADATA.replace(from, to)
        } else {
            METADATA.replacen(from, to, 1)
        };
        fs::write(folder.path().join("metadata.json"), text).unwrap();
        assert_eq!(read(&folder), Err(expected.to_owned()), "{from} {to}");
    }
}

#[test]
fn files_that_are_wrong_are_refused_with_what_is_wrong() {
    let integers = "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 2), }\n";
    let table: &[(&str, Vec<u8>, &str)] = &[
        ("r0.txt", b"0 3\n2 x\n".to_vec(), "r0.txt, line 2, column 2: \"x\" is not an integer"),
        ("r0.txt", b"src dst\n0 3\n".to_vec(), "r0.txt, line 1, column 1: \"src\" is not an integer"),
        ("r0.txt", b"0 3 1\n2 0 1\n".to_vec(), "r0.txt, line 1: 3 cells, expected 2"),
        ("r0.txt", b"0,3\n2,0\n".to_vec(), "r0.txt, line 1: 1 cells, expected 2"),
        ("r0.txt", b"0 3\n\n2 0\n".to_vec(), "r0.txt, line 2 is empty"),
        ("r0.txt", b"0 3\n-1 0\n".to_vec(), "r0.txt, line 2: node -1 of type \"a\", which has 3 nodes"),
        ("r0.txt", b"0 3\n".to_vec(), "r0.txt has 1 rows, expected 2"),
        ("r0.txt", b"0 3\n2 0\n1 1\n1 2\n".to_vec(), "r0.txt has 4 rows, expected 2"),
        ("s.npy", i4("(2, 2)", &[3, 2, 0, 3]), "s.npy, row 1: node 3 of type \"a\", which has 3 nodes"),
        ("s.npy", i4("(2, 3)", &[0; 6]), "s.npy has rows of int32 [3], expected two integers"),
        ("s.npy", i4("(4,)", &[0; 4]), "s.npy has rows of int32 [], expected two integers"),
        (
            "s.npy",
            npy(&integers.replace("<i4", "<f4"), &[0; 16]),
            "s.npy has rows of float32 [2], expected two integers",
        ),
        (
            "s.npy",
            npy(&integers.replace("<i4", ">i4"), &[0; 16]),
            "s.npy is of dtype >i4, expected numbers or bool, little-endian",
        ),
        ("s.npy", npy(&integers.replace("False", "True"), &[0; 16]), "s.npy is in Fortran order, expected row by row"),
        ("s.npy", npy(integers, &[0; 15]), "s.npy of shape (2, 2) has 16 bytes, found 15"),
        ("s.npy", npy(integers, &[0; 17]), "s.npy of shape (2, 2) has 16 bytes, found 17"),
        ("s.npy", b"0 3\n2 0\n".to_vec(), "s.npy is not in npy's format, version 1 to 3"),
        ("s.npy", Vec::new(), "s.npy cannot be read: failed to fill whole buffer"),
        ("x1.npy", i4("()", &[3]), "x1.npy is a single number, expected rows"),
        ("x1.npy", i4("(2, x)", &[3]), "x1.npy has a header with shape (2, x)"),
        (
            "x1.npy",
            i4("(0, 4611686018427387904, 4)", &[]),
            "x1.npy is of shape (0, 4611686018427387904, 4), too large to be",
        ),
        ("x1.npy", i4("(2, 1)", &[3, 4]), "x1.npy has rows of int32 [1], x0.npy has rows of int32 [2]"),
        (
            "x1.npy",
            npy(&integers.replace("<i4", "<u4"), &[0; 16]),
            "x1.npy has rows of uint32 [2], x0.npy has rows of int32 [2]",
        ),
        (
            "x1.npy",
            i4("(3, 2)", &[0; 6]),
            "metadata.json: feature a/x has 4 rows in 2 files, expected one for each of 3 nodes",
        ),
        ("y1.csv", b"5,6,7\n".to_vec(), "y1.csv has rows of int64 [3], y0.csv has rows of int64 [2]"),
        ("y1.csv", b"5,six\n".to_vec(), "y1.csv, line 1, column 2: \"six\" is not a number"),
        ("y0.csv", b"1,2\n3\n".to_vec(), "y0.csv, line 2: 1 cells, expected 2"),
    ];
    for (file, contents, expected) in table {
        let folder = sound();
        fs::write(folder.path().join(file), contents).unwrap();
        assert_eq!(read(&folder), Err((*expected).to_owned()));
    }
    let folder = sound();
    fs::remove_file(folder.path().join("metadata.json")).unwrap();
    assert_eq!(read(&folder), Err("metadata.json: No such file or directory (os error 2)".to_owned()));
}

#[test]
fn parquet_files_that_are_wrong_are_refused_with_what_is_wrong() {
    let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/chunked");
    for (from, to, expected) in [
        (
            "\"label.parquet\"",
            "\"feat-0.npy\"",
            "feat-0.npy cannot be read: Parquet error: Invalid Parquet file. Corrupt footer",
        ),
        (
            "\"label.parquet\"",
            "\"weight.parquet\"",
            "metadata.json: feature paper/label has 4 rows in 1 files, expected one for each of 5 nodes",
        ),
        (
            "\"cube-1.parquet\"",
            "\"embedding.parquet\"",
            "embedding.parquet has rows of float32 [3], cube-0.parquet has rows of float64 [2, 2]",
        ),
        (
            "\"writes-1.parquet\"",
            "\"cube-1.parquet\"",
            "cube-1.parquet has rows of float64 [2, 2], expected two integers",
        ),
        ("\"writes-1.parquet\"", "\"writes-0.parquet\"", "writes-0.parquet has 2 rows, expected 1"),
        (
            "[\n            3,\n            2\n        ]",
            "[3, 1]",
            "metadata.json: feature paper/feat has 5 rows in 2 files, expected one for each of 4 nodes; feat-0.npy has 4, its chunk 3",
        ),
    ] {
        let folder = TempDir::new().unwrap();
        for file in fs::read_dir(&files).unwrap() {
            let path = file.unwrap().path();
            fs::copy(&path, folder.path().join(path.file_name().unwrap())).unwrap();
        }
        let path = folder.path().join("metadata.json");
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{from}");
        fs::write(&path, text.replacen(from, to, 1)).unwrap();
        assert_eq!(read(&folder), Err(expected.to_owned()));
    }
}

/// However many rows are read at a time, and in whatever row group it is.
#[test]
fn a_missing_number_is_said_with_its_row_in_the_file() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/chunked/missing.parquet");
    let feature = ChunkedFeature::open("x", ChunkFormat::Parquet, vec![path.clone()]).unwrap();
    for most in [1, 2, 4, 6] {
        let error = feature.ranges(most).find_map(Result::err).unwrap().to_string();
        assert_eq!(error, format!("{} has no number in row 4", path.display()));
    }
}

/// Each byte changed, and each end: an error or other numbers.
#[test]
fn damaged_parquet_files_never_panic() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("damaged.parquet");
    let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/chunked");
    for name in ["label", "cube-1", "embedding", "weight", "writes-0"] {
        let sound = fs::read(files.join(name).with_extension("parquet")).unwrap();
        let mut accepted = 0;
        let changed = (0..sound.len()).flat_map(|at| {
            [0xff, sound[at] ^ 1, sound[at] ^ 0x80].map(|byte| {
                let mut damaged = sound.clone();
                damaged[at] = byte;
                damaged
            })
        });
        for damaged in changed.chain((0..sound.len()).map(|end| sound[..end].to_vec())) {
            fs::write(&path, damaged).unwrap();
            let feature = ChunkedFeature::open(name, ChunkFormat::Parquet, vec![path.clone()]);
            accepted += usize::from(feature.is_ok_and(|feature| feature.read(0).is_ok()));
        }
        assert!(accepted > 0, "what nobody reads may be changed");
    }
}

/// DGL 2.1's dispatcher reads numbers per type; GraphStorm writes them, and rows of each file.
#[test]
fn numbers_per_type_do_where_there_are_none_per_chunk() {
    let per_type = METADATA
        .replace("\"num_nodes_per_chunk\": [[2, 1], [4]]", "\"num_nodes_per_type\": [3, 4]")
        .replace("\"num_edges_per_chunk\": [[2, 1], [2]]", "\"num_edges_per_type\": [3, 2]")
        .replace(
            "\"edge_data\": {\"b:s:a\": {\"w\": {\"format\": {\"name\": \"numpy\"}, \"data\": [\"s.npy\"]}}}",
            "\"edge_data\": null",
        );
    let counted = per_type.replace("\"r0.txt\", \"r1.txt\"]", "\"r0.txt\", \"r1.txt\"], \"row_counts\": [2, 1]");
    for text in [&per_type, &counted] {
        let folder = sound();
        fs::write(folder.path().join("metadata.json"), text).unwrap();
        let chunked = ChunkedGraph::open(folder.path()).unwrap();
        assert_eq!(chunked.edge_types()[0].chunks().collect::<Vec<_>>(), [2, 1]);
        assert_eq!(read(&folder).unwrap().edge_types[0].sources, [0, 2, 1]);
    }
    for (text, expected) in [
        (per_type.replace("[3, 2]", "[4, 2]"), "metadata.json, edges, \"a:r:b\": 3 edges in 2 files, expected 4"),
        (counted.replace(": [2, 1]}", ": [2]}"), "metadata.json, edges, \"a:r:b\": 2 files, row_counts has 1 chunks"),
        (counted.replace(": [2, 1]}", ": [1, 2]}"), "r0.txt has 2 rows, expected 1"),
    ] {
        let folder = sound();
        fs::write(folder.path().join("metadata.json"), text).unwrap();
        assert_eq!(read(&folder), Err(expected.to_owned()));
    }
}

#[test]
fn paths_may_be_absolute_and_files_of_a_feature_stand_alone() {
    let (folder, elsewhere) = (sound(), TempDir::new().unwrap());
    let path: PathBuf = elsewhere.path().join("r1.txt");
    fs::rename(folder.path().join("r1.txt"), &path).unwrap();
    let text = METADATA.replace("\"r1.txt\"", &format!("{:?}", path.to_str().unwrap()));
    fs::write(folder.path().join("metadata.json"), text).unwrap();
    assert_eq!(read(&folder).unwrap().edge_types[0].targets, [3, 0, 1]);
    let files = ["x1.npy", "x0.npy"].map(|file| folder.path().join(file)).to_vec();
    let feature = ChunkedFeature::open("x", ChunkFormat::Numpy, files).unwrap();
    assert_eq!((feature.rows(), feature.files().collect::<Vec<_>>()), (3, vec![2, 1]));
    let error = feature.read(2).unwrap_err().to_string();
    assert_eq!(error, "chunk 2 of x, which has 2");
    // A file that is changed after it was looked at.
    fs::write(folder.path().join("x0.npy"), i4("(2, 2)", &[0; 4])).unwrap();
    let error = feature.ranges(10).nth(1).unwrap().unwrap_err().to_string();
    assert!(error.ends_with("x0.npy has 2 rows of int32 [2], had 1 of int32 [2] when it was opened"), "{error}");
    assert_eq!(feature.ranges(10).count(), 2, "nothing after an error");
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
        (graph(vec![node("a", 2, vec![])], vec![edge("r", &[], &[]), edge("r", &[], &[])]), "a:r:a: stands twice"),
        (graph(vec![node("b", 2, vec![])], vec![edge("r", &[], &[])]), "a:r:a: no node type \"a\""),
        (
            graph(vec![node("a:b", 2, vec![])], vec![]),
            "g: node type \"a:b\", \":\" stands between the types of an edge",
        ),
        (graph(vec![node("a", 2, vec![]), node("a", 2, vec![])], vec![]), "g: node type \"a\" stands twice"),
        (graph(vec![node("a", 2, x(3))], vec![]), "a/x: 3 rows, expected 2"),
        (graph(vec![node("a", 2, x(1))], vec![]), "a/x: 1 rows, expected 2"),
        (graph(vec![node("a", 2, [x(2), x(2)].concat())], vec![]), "a/x: stands twice"),
    ];
    for (number, (graph, expected)) in cases.into_iter().enumerate() {
        let out = folder.path().join(number.to_string());
        let error = write_chunked(&graph, &out, &options).unwrap_err();
        assert_eq!(error.to_string(), expected);
        assert!(matches!(ChunkedGraph::open(&out), Err(ChunkedError::Io { .. })), "there are no metadata");
    }
    let csv = ChunkFormat::Csv { delimiter: b'1' };
    for (options, expected) in [
        (ChunkOptions::new(0), "g: 0 chunks, at least 1"),
        (options.clone().edges(csv), "g: delimiter \"1\", expected one byte that is not part of a number"),
        (options.features(csv), "g: features in csv, expected numpy or parquet: csv keeps neither types nor shapes"),
    ] {
        let error = ChunkedWriter::create(folder.path().join("no"), "g", vec![("a".into(), 1)], options).unwrap_err();
        assert_eq!(error.to_string(), expected);
        assert!(!folder.path().join("no").exists());
    }
}
