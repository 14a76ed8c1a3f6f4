//! `metadata.json`: what it must say, and what is said where it does not.

use super::sound::{METADATA, i4, read, sound};
use graphpack_partition::ArrayType;
use graphpack_partition::chunked::{ChunkFormat, ChunkedFeature, ChunkedGraph};
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

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
        ("\"g\"", "\"../g\"", "metadata.json, graph_name: \"../g\", expected a name that a file can have"),
        ("\"node_data\"", "\"nodes\"", "metadata.json: missing field `node_data` at line 18 column 1"),
        (
            "[[2, 1], [4]]",
            "[[2, -1], [4]]",
            "metadata.json: invalid value: integer `-1`, expected u64 at line 4 column 32",
        ),
        ("\"b:s:a\": {\"f", "\"a:r:b\": {\"f", "metadata.json: \"a:r:b\" occurs twice at line 10 column 3"),
        ("[\"a\", \"b\"]", "[\"a\", \"a\"]", "metadata.json, node_type: \"a\" occurs twice"),
        ("[\"a:r:b\", \"b:s:a\"]", "[\"b:s:a\", \"b:s:a\"]", "metadata.json, edge_type: \"b:s:a\" occurs twice"),
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
        (
            METADATA.replace("\"r0.txt\", \"r1.txt\"]", "\"r0.txt\", \"r1.txt\"], \"row_counts\": [1, 2]"),
            "metadata.json, edges, \"a:r:b\": row_counts are [1, 2], num_edges_per_chunk [2, 1]",
        ),
        (
            METADATA.replace("\"x0.npy\", \"x1.npy\"]", "\"x0.npy\", \"x1.npy\"], \"row_counts\": [2, 1]"),
            "metadata.json, node_data, \"a\", \"x\": row_counts are [2, 1], the files have [1, 2] rows",
        ),
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
    assert_eq!(error, "chunk 2 of x, which has 2 chunks");
    // A file that is changed after it was looked at.
    fs::write(folder.path().join("x0.npy"), i4("(2, 2)", &[0; 4])).unwrap();
    let error = feature.ranges(10).nth(1).unwrap().unwrap_err().to_string();
    assert!(error.ends_with("x0.npy has 2 rows of int32 [2], had 1 of int32 [2] when it was opened"), "{error}");
    assert_eq!(feature.ranges(10).count(), 2, "nothing after an error");
}

/// Before a line of its edges is read.
#[test]
#[cfg(target_os = "linux")]
fn what_does_not_fit_into_memory_is_refused() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("e.csv"), "0 1\n").unwrap();
    let error = |nodes: u64, edges: u64| {
        let metadata = format!(
            r#"{{"graph_name": "huge", "node_type": ["_N"], "num_nodes_per_chunk": [[{nodes}]],
            "edge_type": ["_N:_E:_N"], "num_edges_per_chunk": [[{edges}]],
            "edges": {{"_N:_E:_N": {{"format": {{"name": "csv", "delimiter": " "}}, "data": ["e.csv"]}}}},
            "node_data": {{}}, "edge_data": {{}}}}"#
        );
        fs::write(folder.path().join("metadata.json"), metadata).unwrap();
        ChunkedGraph::open(folder.path()).unwrap().to_memory().unwrap_err().to_string()
    };
    let found = error(10, 1 << 45);
    assert!(found.starts_with("huge needs 536870912 MiB of memory, "), "{found}");
    let found = error(1 << 32, 1);
    assert!(found.starts_with("huge has 4294967296 nodes and 1 edges, at most 4294967295 of each "), "{found}");
    assert!(found.ends_with("; assigned by another program and dispatched, there may be more"), "{found}");
}
