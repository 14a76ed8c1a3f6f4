//! How fast edges between near atoms are made, on one thread: structures and edges per CPU-second, and the number of
//! edges. `cargo run --release --example neighbours -- --radius 4,6 FILE` prints JSON; `cargo xtask lab
//! neighbours` compares it with vesin and matscipy.

use clap::Parser;
use cpu_time::ProcessTime;
use graphpack_loader::{Capacity, Data, Edges, Estimate, Grouping, Loader, Options, Order, Store};
use serde_json::json;
use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;

/// Measures how fast edges are made.
#[derive(Parser)]
struct Args {
    /// Stores of atoms
    #[arg(required = true)]
    stores: Vec<PathBuf>,
    /// Radii
    #[arg(long, value_delimiter = ',', default_values_t = [4.0, 6.0])]
    radius: Vec<f64>,
    /// Epochs per measurement, of which the fastest counts
    #[arg(long, default_value_t = 5)]
    epochs: u64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let args = Args::parse();
    for path in &args.stores {
        let atoms = Arc::new(Store::open(path)?.to_memory()?);
        for &radius in &args.radius {
            let data = Data::from(atoms.clone()).connect(Edges::Radius(radius))?;
            let edges: u64 = data.sizes()?.map(|size| u64::from(size[1])).sum();
            // All that a batch needs, the shuffle and the padding included.
            let options = Options::default().grouping(Grouping::InOrder).order(Order::Shuffled).seed(1).workers(0);
            let loader = Loader::new(data.clone(), options.capacity(Capacity::estimate(Estimate::Jraph, 32)))?;
            let seconds = (0..=args.epochs).map(|epoch| {
                let begun = ProcessTime::now();
                loader.epoch(epoch).try_for_each(|batch| batch.map(drop))?;
                Ok::<f64, Box<dyn Error>>(begun.elapsed().as_secs_f64())
            });
            let seconds = seconds.collect::<Result<Vec<_>, _>>()?.into_iter().fold(f64::INFINITY, f64::min);
            let name = path.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
            let row = json!({
                "data": name, "radius": radius, "what": "graphpack, batches of 32", "structures": data.len(), "edges": edges,
                "structures_per_cpu_second": data.len() as f64 / seconds, "edges_per_cpu_second": edges as f64 / seconds,
            });
            println!("{row}");
        }
    }
    Ok(())
}
