//! Parquet files, and those of other programs.

use super::sound::read;
use crate::damaged::{Change, changed, shortened};
use graphpack_partition::chunked::{ChunkFormat, ChunkedFeature, ChunkedGraph};
use graphpack_partition::{Array, ArrayType, EdgeType, LargeGraph, NodeType};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A chunked graph that NumPy, pandas and pyarrow wrote; see its make.py.
fn papers() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/large_graphs/chunked/papers")
}

#[test]
fn files_of_numpy_pandas_and_pyarrow_are_read() {
    let chunked = ChunkedGraph::open(papers()).unwrap();
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

#[test]
fn parquet_files_that_are_wrong_are_refused_with_what_is_wrong() {
    let files = papers();
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
    let path = papers().join("missing.parquet");
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
    const CHANGES: [Change; 3] = [|_, _| 0xff, |_, byte| byte ^ 1, |_, byte| byte ^ 0x80];
    let files = papers();
    for name in ["label", "cube-1", "embedding", "weight", "writes-0"] {
        let sound = fs::read(files.join(name).with_extension("parquet")).unwrap();
        let mut accepted = 0;
        let changed = changed(&sound, &CHANGES).map(|(_, damaged)| damaged);
        for damaged in changed.chain(shortened(&sound, 1)) {
            fs::write(&path, damaged).unwrap();
            let feature = ChunkedFeature::open(name, ChunkFormat::Parquet, vec![path.clone()]);
            accepted += usize::from(feature.is_ok_and(|feature| feature.read(0).is_ok()));
        }
        assert!(accepted > 0, "what nobody reads may be changed");
    }
}
