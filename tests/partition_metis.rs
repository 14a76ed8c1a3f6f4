//! Parts by METIS: few edges between them, equal parts; and nothing that makes the library misbehave gets to it.

mod common;

use common::numbers::numbers;
use common::shared_data;
use flate2::read::GzDecoder;
use graphpack_partition::{Array, ArrayType, Assignment, Balance, EdgeType, LargeGraph, Metis, NodeType, Quality};
use proptest::prelude::*;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::Instant;

/// Both directions of each edge; every seventh node is one to train on.
fn read(path: &Path) -> LargeGraph {
    let mut text = String::new();
    GzDecoder::new(File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    let (mut sources, mut targets) = (Vec::new(), Vec::new());
    for line in text.lines().skip(1) {
        let (source, target) = line.split_once(',').unwrap();
        let ends: [i64; 2] = [source.parse().unwrap(), target.parse().unwrap()];
        sources.extend(ends);
        targets.extend([ends[1], ends[0]]);
    }
    let nodes = 1 + sources.iter().copied().max().unwrap() as usize;
    let mask = (0..nodes).map(|node| u8::from(node % 7 == 0)).collect();
    let mask = Array::new(ArrayType::Bool, vec![nodes], mask).unwrap();
    let node = NodeType { name: "_N".into(), nodes, features: vec![("train_mask".into(), mask)] };
    let name = ["_N".into(), "_E".into(), "_N".into()];
    let edge = EdgeType { name, sources, targets, features: Vec::new() };
    LargeGraph { name: "graph".into(), node_types: vec![node], edge_types: vec![edge] }
}

fn balances() -> [(&'static str, Balance); 4] {
    [
        ("nodes", Balance::new()),
        ("nodes, edges", Balance::new().edges(true)),
        ("train_mask", Balance::new().field("train_mask")),
        ("train_mask, edges", Balance::new().field("train_mask").edges(true)),
    ]
}

#[test]
fn parts_of_real_graphs_are_equal_and_cut_few_edges() {
    let Some(data) = shared_data() else { return };
    println!(
        "| graph | parts | balanced | edges cut | thorough | by chance | worst | by chance | seconds | thorough |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for name in ["pubmed", "email_enron"] {
        let path = data.join(format!("edge_lists/{name}.edges.csv.gz"));
        if !path.exists() {
            eprintln!("skipped: no {}", path.display());
            continue;
        }
        let graph = read(&path);
        for parts in [2, 4, 8, 16] {
            for (what, balance) in balances() {
                let metis = Metis::new(parts).balance(balance.clone()).seed(1);
                let timed = |metis: &Metis| {
                    let start = Instant::now();
                    let assignment = metis.assign(&graph).unwrap();
                    (start.elapsed().as_secs_f64(), balance.quality(&graph, &assignment).unwrap(), assignment)
                };
                let (seconds, quality, assignment) = timed(&metis);
                let (more_seconds, thorough, _) = timed(&metis.clone().thorough(true));
                let by_chance = Assignment::random(&graph, parts, 1).unwrap();
                let by_chance = balance.quality(&graph, &by_chance).unwrap();
                let percent = |quality: &Quality| 100.0 * quality.edge_cut as f64 / quality.edges as f64;
                println!(
                    "| {name} | {parts} | {what} | {:.1} % | {:.1} % | {:.1} % | {:.3} | {:.3} | {seconds:.2} | {more_seconds:.2} |",
                    percent(&quality),
                    percent(&thorough),
                    percent(&by_chance),
                    quality.worst(),
                    by_chance.worst(),
                );
                for quality in [quality, thorough] {
                    assert!(quality.edge_cut < by_chance.edge_cut);
                    for (constraint, imbalance) in &quality.imbalance {
                        assert!(*imbalance <= 1.05, "{constraint}: {imbalance}");
                    }
                }
                assert_eq!(metis.assign(&graph).unwrap(), assignment, "same seed, same parts");
            }
        }
    }
}

/// Up to three types, some without nodes or edges; loops and parallel edges among them.
fn graphs() -> impl Strategy<Value = LargeGraph> {
    let types = proptest::collection::vec((0..40_usize, proptest::collection::vec(0..3_i64, 40)), 1..4);
    let edges =
        proptest::collection::vec((0..3_usize, 0..3_usize, proptest::collection::vec(any::<[u16; 2]>(), 0..150)), 0..4);
    (types, edges).prop_map(|(types, edges)| {
        let node_types: Vec<NodeType> = types
            .into_iter()
            .enumerate()
            .map(|(kind, (nodes, labels))| {
                let labels = Array::of_i64(&labels[..nodes]);
                NodeType { name: format!("t{kind}"), nodes, features: vec![("label".into(), labels)] }
            })
            .collect();
        let edge_types = edges
            .into_iter()
            .enumerate()
            .map(|(number, (from, to, ends))| {
                let [from, to] = [from, to].map(|kind| &node_types[kind % node_types.len()]);
                let ends = if from.nodes * to.nodes == 0 { Vec::new() } else { ends };
                EdgeType {
                    name: [from.name.clone(), format!("r{number}"), to.name.clone()],
                    sources: ends.iter().map(|ends| i64::from(ends[0]) % from.nodes as i64).collect(),
                    targets: ends.iter().map(|ends| i64::from(ends[1]) % to.nodes as i64).collect(),
                    features: Vec::new(),
                }
            })
            .collect();
        LargeGraph { name: "small".into(), node_types, edge_types }
    })
}

#[test]
fn what_metis_cannot_do_has_a_message() {
    let node = |name: &str, nodes, features| NodeType { name: name.into(), nodes, features };
    let graph = |nodes| LargeGraph { name: "g".into(), node_types: nodes, edge_types: Vec::new() };
    let plain = graph(vec![node("a", 3, Vec::new())]);
    let message = |graph: &LargeGraph, metis: Metis| metis.assign(graph).unwrap_err().to_string();
    assert_eq!(message(&plain, Metis::new(0)), "0 parts, expected 1 to 65536");
    assert_eq!(message(&plain, Metis::new(70_000)), "70000 parts, expected 1 to 65536");
    assert_eq!(message(&plain, Metis::new(4)), "4 parts of 3 nodes: METIS needs at least one for each part");
    assert_eq!(message(&plain, Metis::new(2).tolerance(1.0)), "a tolerance of 1, expected more than 1");
    let by_field = |field: &str| Metis::new(2).balance(Balance::new().field(field));
    assert_eq!(message(&plain, by_field("train_mask")), "no type of nodes has a feature train_mask");

    let floats = Array::new(ArrayType::F32, vec![3], vec![0; 12]).unwrap();
    let many = Array::of_i64(&(0..40).collect::<Vec<_>>());
    let fields = graph(vec![node("a", 3, vec![("x".into(), floats)]), node("b", 40, vec![("y".into(), many)])]);
    let expected = "feature a/x is float32 of shape [3], expected one bool or integer per node";
    assert_eq!(message(&fields, by_field("x")), expected);
    let expected = "more than 32 groups of nodes to balance: feature b/y has too many values";
    assert_eq!(message(&fields, by_field("y")), expected);
    let expected = "3000000000 nodes, METIS takes at most 2147483647; assign parts with ParMETIS and read its files with \
                    Assignment::read";
    assert_eq!(message(&graph(vec![node("a", 3_000_000_000, Vec::new())]), Metis::new(2)), expected);

    let alone = Metis::new(1).assign(&plain).unwrap();
    assert_eq!(alone.owners(), [[0, 0, 0]]);
    let nothing = graph(vec![node("a", 0, Vec::new())]);
    assert_eq!(Metis::new(1).assign(&nothing).unwrap().owners(), [[0_u16; 0]]);
    let isolated = graph(vec![node("a", 100, Vec::new())]);
    let balance = Balance::new().edges(true);
    let assignment = Metis::new(4).balance(balance.clone()).assign(&isolated).unwrap();
    let quality = balance.quality(&isolated, &assignment).unwrap();
    assert_eq!(quality.imbalance.len(), 1, "nothing to balance where there are no edges");
    assert!(quality.worst() <= 1.05 + 1e-9, "{quality:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn small_graphs_and_many_parts_are_no_trouble(
        graph in graphs(), parts in 1..40_usize, field in any::<bool>(), edges in any::<bool>(), seed in any::<u64>(),
    ) {
        let balance = if field { Balance::new().field("label") } else { Balance::new() }.edges(edges);
        match Metis::new(parts).balance(balance.clone()).seed(seed).assign(&graph) {
            Ok(assignment) => {
                assignment.check(&graph).unwrap();
                let quality = balance.quality(&graph, &assignment).unwrap();
                prop_assert!(quality.edge_cut <= quality.edges);
                prop_assert!(quality.imbalance.iter().all(|(_, imbalance)| imbalance.is_finite() && *imbalance >= 0.99));
            }
            Err(error) => {
                let nodes = graph.nodes();
                prop_assert!(nodes < parts, "{error}");
                prop_assert_eq!(error.to_string(), format!("{parts} parts of {nodes} nodes: METIS needs at least one for each part"));
            }
        }
    }
}

/// Prints how long METIS takes for graphs that are not small: 1,000,000 nodes in blocks of 1,000, four of five edges within them.
#[test]
#[ignore = "takes a minute; a time is no test"]
fn time_per_million_edges() {
    const BLOCK: i64 = 1000;
    let mut numbers = numbers(1);
    let mut below = |bound: i64| numbers(bound as usize) as i64;
    let (nodes, edges) = (1_000_000, 10_000_000);
    let mut ends = || {
        let source = below(nodes);
        let target = if below(5) < 4 { source / BLOCK * BLOCK + below(BLOCK) } else { below(nodes) };
        (source, target)
    };
    let (sources, targets) = (0..edges).map(|_| ends()).unzip();
    let name = ["_N", "_E", "_N"].map(str::to_owned);
    let node = NodeType { name: "_N".into(), nodes: nodes as usize, ..NodeType::default() };
    let edge = EdgeType { name, sources, targets, features: Vec::new() };
    let graph = LargeGraph { name: "blocks".into(), node_types: vec![node], edge_types: vec![edge] };
    println!(
        "| parts | balanced | edges cut | by chance | worst | seconds | per million edges |\n|---|---|---|---|---|---|---|"
    );
    for parts in [4, 16] {
        for (name, balance) in [("nodes", Balance::new()), ("nodes, edges", Balance::new().edges(true))] {
            let start = Instant::now();
            let assignment = Metis::new(parts).balance(balance.clone()).seed(1).assign(&graph).unwrap();
            let took = start.elapsed().as_secs_f64();
            let quality = balance.quality(&graph, &assignment).unwrap();
            println!(
                "| {parts} | {name} | {:.1} % | {:.1} % | {:.3} | {took:.1} | {:.2} s |",
                100.0 * quality.edge_cut as f64 / quality.edges as f64,
                100.0 * (1.0 - 1.0 / parts as f64),
                quality.worst(),
                took / 10.0
            );
        }
    }
}
