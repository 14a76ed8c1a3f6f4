//! METIS beside chance on real graphs, and its seconds on a large one.

use crate::real;
use graphpack_loader::Random;
use graphpack_partition::assign::{Balance, Metis, Quality};
use graphpack_partition::{Assignment, EdgeType, LargeGraph, NodeType};
use std::time::Instant;

pub(crate) fn table() {
    real_graphs();
    blocks();
}

fn balances() -> [(&'static str, Balance); 4] {
    [
        ("nodes", Balance::new()),
        ("edges", Balance::new().edges(true)),
        ("train_mask", Balance::new().field("train_mask")),
        ("train_mask, edges", Balance::new().field("train_mask").edges(true)),
    ]
}

fn real_graphs() {
    println!("| graph | parts | balanced | edges cut | by chance | worst | by chance | seconds |");
    println!("|---|---|---|---|---|---|---|---|");
    for name in ["pubmed", "email_enron"] {
        let Some(graph) = real::graph(name) else { continue };
        for parts in [2, 4, 8, 16] {
            for (what, balance) in balances() {
                let metis = Metis::new(parts).balance(balance.clone()).seed(1);
                let start = Instant::now();
                let assignment = metis.assign(&graph).unwrap();
                let seconds = start.elapsed().as_secs_f64();
                let quality = balance.quality(&graph, &assignment).unwrap();
                let by_chance = Assignment::random(&graph, parts, 1).unwrap();
                let by_chance = balance.quality(&graph, &by_chance).unwrap();
                let percent = |quality: &Quality| 100.0 * quality.edge_cut as f64 / quality.edges as f64;
                println!(
                    "| {name} | {parts} | {what} | {:.1} % | {:.1} % | {:.3} | {:.3} | {seconds:.2} |",
                    percent(&quality),
                    percent(&by_chance),
                    quality.worst(),
                    by_chance.worst(),
                );
            }
        }
    }
}

/// 1,000,000 nodes in blocks of 1,000, four of five edges within them.
fn blocks() {
    const BLOCK: i64 = 1000;
    let mut random = Random::new(1, 0);
    let mut below = |bound: i64| i64::from(random.below(bound as u32));
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
    println!("| parts | edges cut | by chance | worst | seconds | per million edges |\n|---|---|---|---|---|---|");
    for parts in [4, 16] {
        let start = Instant::now();
        let assignment = Metis::new(parts).seed(1).assign(&graph).unwrap();
        let took = start.elapsed().as_secs_f64();
        let quality = Balance::new().quality(&graph, &assignment).unwrap();
        println!(
            "| {parts} | {:.1} % | {:.1} % | {:.3} | {took:.1} | {:.2} s |",
            100.0 * quality.edge_cut as f64 / quality.edges as f64,
            100.0 * (1.0 - 1.0 / parts as f64),
            quality.worst(),
            took / 10.0
        );
    }
}
