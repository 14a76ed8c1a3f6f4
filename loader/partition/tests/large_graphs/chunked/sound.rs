//! A sound folder to be damaged.

use graphpack_partition::LargeGraph;
use graphpack_partition::chunked::ChunkedGraph;
use std::fs;
use tempfile::TempDir;

/// Bytes of a npy file.
pub(super) fn npy(header: &str, data: &[u8]) -> Vec<u8> {
    [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), data].concat()
}

pub(super) fn i4(shape: &str, numbers: &[i32]) -> Vec<u8> {
    let data: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    npy(&format!("{{'descr': '<i4', 'fortran_order': False, 'shape': {shape}, }}\n"), &data)
}

pub(super) const METADATA: &str = r#"{
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
pub(super) fn sound() -> TempDir {
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

pub(super) fn read(folder: &TempDir) -> Result<LargeGraph, String> {
    let graph = ChunkedGraph::open(folder.path()).and_then(|graph| graph.to_memory());
    let folder = format!("{}{}", folder.path().display(), std::path::MAIN_SEPARATOR);
    graph.map_err(|error| error.to_string().replace(&folder, ""))
}
