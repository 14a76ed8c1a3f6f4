//! Data, plan, one epoch, and what packing saved. Needs no libtorch: `cargo run --release --example quickstart`.

use graphpack_loader::{Batching, Loader, molecules};
use std::sync::Arc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // 5,000 molecules of very different sizes; any `Source` would do.
    let data = Arc::new(molecules::generate(7, 5_000));

    // About 64 graphs a step, packed into batches of one fixed shape, made by two threads ahead of the loop.
    let loader = Loader::new(data.clone()).batch_graphs(64).shuffle(42).workers(2).build()?;
    println!("every batch: {}", loader.shape());

    let mut epoch = loader.epoch(0);
    let mut edges = 0;
    for batch in epoch.by_ref() {
        let batch = batch?;
        let (sources, targets) = batch.edge_index(); // a training step would go here
        edges += sources.len().min(targets.len());
    }
    let packed = epoch.stats();

    // The same graphs, 64 to a batch, each batch padded so that any 64 graphs fit.
    let padded = Loader::new(data).batching(Batching::Static { graphs: 64 }).build()?;
    let padded_edges = padded.batches(0) * padded.shape().edges;

    let [nodes_full, edges_full, _] = epoch.efficiency();
    println!(
        "packed: {} batches, {:.1} % of the nodes and {:.1} % of the edges are real",
        packed.batches,
        100.0 * nodes_full,
        100.0 * edges_full
    );
    println!("padded to the largest: {} batches of {}", padded.batches(0), padded.shape());
    println!("packing computes {:.1} times fewer edges", padded_edges as f64 / edges as f64);
    Ok(())
}
