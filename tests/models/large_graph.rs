//! The example `large_graph`: training on parts or neighbourhoods is as good as on the whole graph, in less memory.

use super::{example, lines, number};
use graphpack_partition::chunked::{ChunkOptions, write_chunked};
use graphpack_partition::{Array, ArrayType, EdgeType, LargeGraph, NodeType};
use serde_json::Value;

/// Returns the last line of the example.
fn summary(arguments: &[&str]) -> Value {
    let mut lines = lines(example("large_graph", arguments));
    let last = lines.pop().unwrap();
    assert!(number(&lines[lines.len() - 1], "loss") < number(&lines[0], "loss"), "{lines:?}");
    last
}

#[test]
fn parts_and_neighbourhoods_do_as_well_as_the_whole_graph() {
    let trained = |arguments: &str| {
        let graph = ["--nodes", "5000", "--classes", "5"];
        summary(&graph.into_iter().chain(arguments.split(' ')).collect::<Vec<_>>())
    };
    let accuracy = |summary: &Value| number(summary, "test_accuracy");
    let full = trained("--full --epochs 100");
    // Guessing gives 0.2; one node in ten has any class.
    assert!((0.75..0.95).contains(&accuracy(&full)), "{full}");
    let parts = trained("--parts 25 --clusters 5 --epochs 20");
    let sampled = trained("--fan-outs 10,5 --epochs 10 --roots 128");
    for of_batches in [&parts, &sampled] {
        assert!((accuracy(of_batches) - accuracy(&full)).abs() < 0.05, "{of_batches} and {full}");
    }
    assert!(number(&parts["shape"], "nodes") < number(&full["shape"], "nodes") / 4.0, "{parts}");
    assert!(number(&parts, "batch_mib") < number(&full, "batch_mib") / 4.0, "{parts}");
}

/// A ring of nodes of two classes, which `x` tells apart; training, validation and test take every third node each.
fn ring(nodes: usize) -> LargeGraph {
    let x = (0..nodes).flat_map(|node| [(node % 2) as f32, 1.0]).flat_map(f32::to_le_bytes).collect();
    let y: Vec<i64> = (0..nodes as i64).map(|node| node % 2).collect();
    let mask = |of: usize| {
        let bytes = (0..nodes).map(|node| u8::from(node % 3 == of)).collect();
        Array::new(ArrayType::U8, vec![nodes], bytes).unwrap()
    };
    let features = vec![
        ("x".into(), Array::new(ArrayType::F32, vec![nodes, 2], x).unwrap()),
        ("y".into(), Array::of_i64(&y)),
        ("train_mask".into(), mask(0)),
        ("val_mask".into(), mask(1)),
        ("test_mask".into(), mask(2)),
    ];
    let name = ["_N", "_E", "_N"].map(String::from);
    let next = |node: i64| (node + 1) % nodes as i64;
    let (here, there): (Vec<i64>, Vec<i64>) = (0..nodes as i64).map(|node| (node, next(node))).unzip();
    let (sources, targets) = ([&here[..], &there].concat(), [&there[..], &here].concat());
    let edge = EdgeType { name, sources, targets, features: Vec::new() };
    let node = NodeType { name: "_N".into(), nodes, features };
    LargeGraph { name: "ring".into(), node_types: vec![node], edge_types: vec![edge] }
}

#[test]
fn graphs_come_from_files_too_or_it_says_what_they_lack() {
    let folder = tempfile::tempdir().unwrap();
    let written = |name: &str, graph: &LargeGraph| {
        let folder = folder.path().join(name);
        write_chunked(graph, &folder, &ChunkOptions::new(3)).unwrap();
        folder.to_str().unwrap().to_owned()
    };
    let mut graph = ring(300);
    let good = written("good", &graph);
    let summary = summary(&["--in", &good, "--parts", "6", "--clusters", "2", "--epochs", "20"]);
    assert!(number(&summary, "test_accuracy") > 0.95, "{summary}");
    graph.node_types[0].features.remove(2);
    let output = example("large_graph", &["--in", &written("without", &graph), "--parts", "6"]);
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success());
    assert_eq!(message, "large_graph: nodes have no feature train_mask, only x, y, val_mask, test_mask\n");
}
