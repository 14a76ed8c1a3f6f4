//! A large graph in chunks: `chunk`.

use super::graphpack;
use flate2::{Compression, write::GzEncoder};
use graphpack_partition::ChunkedGraph;
use std::fs::{self, File};
use std::io::Write;
use tempfile::TempDir;

#[test]
fn edge_lists_are_chunked_with_their_features() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (edges, feature, out) = (path("edges.csv.gz"), path("feat.npy"), path("chunks"));
    let mut encoder = GzEncoder::new(File::create(&edges).unwrap(), Compression::fast());
    encoder.write_all(b"src,dst\n0,1\n1,2\n3,0\n").unwrap();
    encoder.finish().unwrap();
    let header = "{'descr': '|u1', 'fortran_order': False, 'shape': (5, 1), }";
    fs::write(&feature, [b"\x93NUMPY\x01\x00\x3b\x00", header.as_bytes(), &[1, 2, 3, 4, 5]].concat()).unwrap();
    let (x, typed) = (format!("x={feature}"), format!("a:r:b={edges}"));
    let output =
        graphpack(&["chunk", "--edges", &edges, "--node-feature", &x, "--chunks", "2", "--name", "g", "--out", &out]);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "nothing odd where output is piped");
    assert_eq!(String::from_utf8_lossy(&output.stdout), format!("{out}: 5 nodes, 3 edges in 2 chunks\n"));
    let graph = ChunkedGraph::open(&out).unwrap().to_memory().unwrap();
    let (node, edge) = (&graph.node_types[0], &graph.edge_types[0]);
    assert_eq!((graph.name.as_str(), node.name.as_str(), edge.file_name().as_str()), ("g", "_N", "_N:_E:_N"));
    assert_eq!((node.nodes, &edge.sources, &edge.targets), (5, &vec![0, 1, 3], &vec![1, 2, 0]));
    assert_eq!((node.features[0].1.shape(), node.features[0].1.bytes()), (&[5, 1][..], &[1, 2, 3, 4, 5][..]));

    let more = path("more");
    let of_type = format!("a/x={feature}");
    let output = graphpack(&[
        "chunk",
        "--edges",
        &typed,
        "--nodes",
        "b=7",
        "--node-feature",
        &of_type,
        "--chunks",
        "3",
        "--format",
        "numpy",
        "--out",
        &more,
    ]);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let graph = ChunkedGraph::open(&more).unwrap().to_memory().unwrap();
    let nodes: Vec<_> = graph.node_types.iter().map(|kind| (kind.name.as_str(), kind.nodes)).collect();
    assert_eq!((nodes, graph.edge_types[0].targets.as_slice()), (vec![("b", 7), ("a", 5)], &[1, 2, 0][..]));

    let (of_other, of_other_edge, slashed) =
        (format!("b/x={feature}"), format!("a:b:a/x={feature}"), format!("c/d:r:b={edges}"));
    for (arguments, expected) in [
        (
            &["--edges", &edges, "--nodes", "3"][..],
            "edges.csv.gz, line 4: _N:_E:_N: edge 2: node 3 of type \"_N\", which has 3 nodes (--nodes _N=3)\n",
        ),
        (&["--edges", &edges, "--delimiter", "tab"], "line 1: 1 cells, expected 2\n"),
        (&["--edges", "nowhere.csv"], "nowhere.csv: No such file or directory (os error 2)\n"),
        (
            &["--edges", &edges, "--nodes", "4", "--node-feature", &x],
            "feat.npy: 5 rows, expected 4, one for each node of type \"_N\"\n",
        ),
        (
            &["--edges", &edges, "--edge-feature", &x],
            "feat.npy: 5 rows, expected 3, one for each edge of type \"_N:_E:_N\"\n",
        ),
        (
            &["--edges", &edges, "--node-feature", &of_other],
            "feature \"x\": there is no node type \"b\"; name it with --nodes",
        ),
        (&["--edges", &edges, "--edge-feature", &of_other_edge], "feature \"x\": there is no edge type \"a:b:a\"\n"),
        (
            &["--edges", &edges, "--node-feature", &x, "--node-feature", &x],
            "feature \"x\" of node type \"_N\" was given before\n",
        ),
        (&["--edges", &edges, "--name", "a/b"], "a/b: the name of a graph must be one that a file can have\n"),
        (&["--edges", &slashed], "node type \"c/d\", expected a name that a file can have\n"),
        (&["--edges", &edges, "--edge-feature", &of_type], "expected SRC:REL:DST, found \"a\""),
        (&["--edges", &edges, "--delimiter", "1"], "expected one byte that is not part of a number, or tab"),
    ] {
        let out = TempDir::new().unwrap();
        let output =
            graphpack(&[&["chunk", "--chunks", "2", "--out", out.path().to_str().unwrap()], arguments].concat());
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && message.contains(expected), "{arguments:?}: {message}");
        assert_eq!(fs::read_dir(out.path()).unwrap().count(), 0, "the folder is as it was");
    }
    let output = graphpack(&["chunk", "--edges", &edges, "--chunks", "2", "--out", &out]);
    assert!(String::from_utf8_lossy(&output.stderr).ends_with("chunks: the folder is not empty\n"));
}
