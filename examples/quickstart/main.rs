//! The first program to read: a data set, one epoch of packed batches, and how many edges and shapes other ways of
//! batching have. `cargo run -p graphpack-quickstart` needs no libtorch.

use graphpack_loader::{Capacity, Grouping, Loader, Options, Order, Shapes, molecules};
use std::sync::Arc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // 5,000 molecules of very different sizes; any other `Source` works as well.
    let data = Arc::new(molecules::generate(7, 5_000));

    // Batches of about 64 graphs, packed into one fixed shape; two threads make them ahead of the loop.
    let packed = Options::graphs(64).order(Order::Shuffled).seed(42).workers(2);
    let loader = Loader::new(data.clone(), packed.clone())?;

    let mut epoch = loader.epoch(0);
    for batch in epoch.by_ref() {
        let batch = batch?;
        let (_sources, _targets) = batch.edge_index::<i64>()?; // a training step would go here
    }
    println!("packed: {}\n", epoch.report());

    // What else is done: graphs in random order until the same room is full, as jraph does; 64 graphs each, padded to
    // multiples of 64, as people do who compile for each shape.
    let random = packed.clone().grouping(Grouping::InOrder);
    let ways = [
        ("packed", packed),
        ("dynamic, in the same room", random.clone()),
        ("64 graphs, rounded up to 64", random.capacity(Capacity::exactly(64)).shapes(Shapes::Multiple(64))),
    ];
    println!("{:<27}  {:>7}  {:>6}  {:>9}", "", "batches", "shapes", "edges");
    for (name, options) in ways {
        let shapes = Loader::new(data.clone(), options)?.shapes(0)?;
        let batches: u64 = shapes.iter().map(|(_, batches)| batches).sum();
        let edges: u64 = shapes.iter().map(|(shape, batches)| shape.edges() as u64 * batches).sum();
        println!("{name:<27}  {batches:>7}  {:>6}  {edges:>9}", shapes.len());
    }
    Ok(())
}
