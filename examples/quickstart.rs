//! The first program to read: a data set, one epoch of packed batches, and how much padding packing saves.
//! `cargo run --release --example quickstart` needs no libtorch.

use graphpack_loader::{Loader, Options, Order, molecules};
use std::sync::Arc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // 5,000 molecules of very different sizes; any other `Source` works as well.
    let data = Arc::new(molecules::generate(7, 5_000));

    // Batches of about 64 graphs, packed into one fixed shape; two threads make them ahead of the loop.
    let loader = Loader::new(data.clone(), Options::graphs(64).order(Order::Shuffled).seed(42).workers(2))?;

    let mut epoch = loader.epoch(0);
    let mut edges = 0;
    for batch in epoch.by_ref() {
        let batch = batch?;
        let (sources, targets) = batch.edge_index::<i64>()?; // a training step would go here
        edges += sources.len().min(targets.len());
    }
    println!("packed: {}", epoch.report());

    // For comparison: 64 graphs in each batch, padded so that any 64 graphs of the data set fit.
    let padded = Loader::new(data, Options::exactly(64))?;
    let mut padded_edges = 0;
    for (shape, batches) in padded.shapes(0)? {
        println!("padded so that any 64 fit: {batches} batches of {shape}");
        padded_edges += shape.edges() as u64 * batches;
    }
    println!("packing computes {:.1} times fewer edges", padded_edges as f64 / edges as f64);
    Ok(())
}
