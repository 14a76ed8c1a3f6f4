//! Packing by nodes alone, by nodes and edges, and by nodes, edges and triplets, with the same code:
//! `cargo run --release --example components`.
//!
//! Directional networks such as DimeNet send messages along triplets, pairs of edges that share a node, so the number
//! of triplets is a third size that must stay within limits.

use graphpack_core::{Effort, Histogram, Limits, Packer, Plan, Size};
use graphpack_loader::{Source, Store, molecules};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let data = molecules::generate(7, 5_000);
    let sizes = || (0..data.len()).map(|graph| (data.size(graph).exact::<2>().0, triplets(&data, graph)));
    let packer = Packer::Auto(Effort::default());

    let nodes = Histogram::from_sizes(sizes().map(|([nodes, _], _)| Size([nodes])))?;
    report("nodes", &packer.pack(&nodes, &Limits::new([1024]))?, ["nodes"]);

    let packer = Packer::Auto(Effort::default());
    let edges = Histogram::from_sizes(sizes().map(|(size, _)| Size(size)))?;
    report("nodes, edges", &packer.pack(&edges, &Limits::new([1024, 2240]))?, ["nodes", "edges"]);

    let packer = Packer::Auto(Effort::default());
    let triplets = Histogram::from_sizes(sizes().map(|([nodes, edges], triplets)| Size([nodes, edges, triplets])))?;
    let plan = packer.pack(&triplets, &Limits::new([1024, 2240, 3072]))?;
    report("nodes, edges, triplets", &plan, ["nodes", "edges", "triplets"]);
    Ok(())
}

/// Counts pairs of edges, k to j and j to i, where k is not i.
fn triplets(data: &Store, graph: usize) -> u32 {
    let mut arriving = vec![0; data.size(graph)[0] as usize];
    let (sources, targets) = data.edges(graph);
    for node in targets {
        arriving[node as usize] += 1;
    }
    // Each edge that leaves j forms a triplet with each edge into j except its own inverse.
    sources.iter().map(|&node| arriving[node as usize] - 1).sum()
}

fn report<const K: usize>(what: &str, plan: &Plan<K>, names: [&str; K]) {
    println!("{what}: {} packs under {}, no plan has fewer than {}", plan.packs(), plan.limits(), plan.bound());
    for (name, share) in names.iter().zip(plan.efficiency().components) {
        println!("  {:.1} % of the {name} filled", 100.0 * share);
    }
}
