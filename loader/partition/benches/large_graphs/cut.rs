//! Cutting 20,000,000 edges between random ends, the worst there can be for memory.

use graphpack_loader::Random;
use graphpack_partition::{Assignment, Cut, EdgeType, LargeGraph, NodeType};
use std::time::Instant;

const NODES: usize = 2_000_000;
const EDGES: usize = 20_000_000;

pub(crate) fn table() {
    let mut random = Random::new(1, 0);
    let mut end = || i64::from(random.below(NODES as u32));
    let name = ["_N".into(), "_E".into(), "_N".into()];
    let (sources, targets) = (0..EDGES).map(|_| (end(), end())).unzip();
    let node = NodeType { name: "_N".into(), nodes: NODES, features: Vec::new() };
    let edge = EdgeType { name, sources, targets, features: Vec::new() };
    let graph = LargeGraph { name: "g".into(), node_types: vec![node], edge_types: vec![edge] };
    println!("| parts | hops | assignment by chance | `Cut::new` | all parts | ms per million edges, cut and parts |");
    println!("|---|---|---|---|---|---|");
    for (parts, hops) in [(4, 1), (16, 1), (4, 2)] {
        let start = Instant::now();
        let assignment = Assignment::random(&graph, parts, 1).unwrap();
        let assigned = start.elapsed();
        let cut = Cut::new(&graph, &assignment, hops).unwrap();
        let cutting = start.elapsed() - assigned;
        let edges: usize = cut.parts().map(|part| part.inner_edges).sum();
        assert_eq!(edges, EDGES);
        let all = start.elapsed() - assigned;
        println!(
            "| {parts} | {hops} | {:.2} s | {:.2} s | {:.2} s | {:.0} |",
            assigned.as_secs_f64(),
            cutting.as_secs_f64(),
            (all - cutting).as_secs_f64(),
            1e3 * all.as_secs_f64() / (EDGES as f64 / 1e6)
        );
    }
}
