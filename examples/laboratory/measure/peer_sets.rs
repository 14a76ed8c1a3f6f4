//! Batches of any sets to compare with PyTorch Geometric's and DGL's: writes the batches of stores to files, and times
//! how they are made. `cargo xtask lab peers` runs this after `pyg_graphs.py`, which writes the stores, and before
//! the scripts that compare, `pyg_batches.py` and `dgl_line_graphs.py`.

use clap::Parser;
use cpu_time::ProcessTime;
use graphpack_loader::{Batch, Data, Dtype, LineGraphs, Loader, Options, Order, Padding, Store};
use safetensors::tensor::{TensorView, serialize_to_file};
use serde_json::json;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// Real graphs per batch, on average.
const BATCH_GRAPHS: u32 = 128;
/// Epochs that are timed; one more comes before them.
const EPOCHS: u64 = 5;

/// Writes the batches of the stores data, hetero and bonds, a folder for each way of making them; prints a line of JSON
/// for each.
#[derive(Parser)]
struct Args {
    /// Folder with the stores, in which the folders of batches are made
    #[arg(long)]
    out: PathBuf,
}

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    match run(&Args::parse().out) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("peer_sets: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(folder: &Path) -> Outcome {
    let open = |name: &str| -> Outcome<Arc<Store>> {
        Ok(Arc::new(Store::open(folder.join(name).with_extension("safetensors"))?.to_memory()?))
    };
    let paddings = [("self-loops", Padding::SelfLoops), ("two-nodes", Padding::TwoNodes), ("beyond", Padding::Beyond)];
    for data in ["data", "hetero"] {
        let store = open(data)?;
        for padding in paddings {
            write(folder, data, None, padding, store.clone())?;
        }
    }
    let bonds = open("bonds")?;
    let plain = paddings[0];
    write(folder, "bonds", Some("triplets"), plain, Data::from(bonds.clone()).triplets()?)?;
    write(folder, "bonds", Some("line graphs"), plain, Data::from(bonds.clone()).line_graphs(LineGraphs::default())?)?;
    let without = Data::from(bonds).line_graphs(LineGraphs::default().backtracking(false))?;
    write(folder, "bonds", Some("line graphs without backtracking"), plain, without)
}

/// Writes the batches of a shuffled epoch with all arrays, and prints how fast they are made.
fn write(
    folder: &Path,
    data: &str,
    derived: Option<&str>,
    (padding_name, padding): (&str, Padding),
    graphs: impl Into<Data>,
) -> Outcome {
    let name = [Some(data), derived, Some(padding_name)].into_iter().flatten().collect::<Vec<_>>().join(", ");
    let data_set = graphs.into();
    let graphs = data_set.len();
    let arrays: Vec<String> = data_set.schema().sets().iter().flat_map(|set| arrays_of(set)).collect();
    let options = Options::graphs(BATCH_GRAPHS).padding(padding).extra(arrays);
    let loader = Loader::new(data_set, options.order(Order::Shuffled).seed(1).workers(0))?;
    let into = folder.join(&name);
    fs::create_dir_all(&into)?;
    for (number, batch) in loader.epoch(0).enumerate() {
        write_batch(&batch?, &into.join(format!("{number:05}.safetensors")))?;
    }
    let mut rates = Vec::new();
    for epoch in 1..=EPOCHS {
        let used = ProcessTime::now();
        for batch in loader.epoch(epoch) {
            batch?;
        }
        rates.push(graphs as f64 / used.elapsed().as_secs_f64());
    }
    rates.sort_by(f64::total_cmp);
    println!(
        "{}",
        json!({
            "name": name, "data": data, "derived": derived, "padding": padding_name, "graphs": graphs,
            "graphs_per_cpu_second": rates[rates.len() / 2],
        })
    );
    Ok(())
}

/// The built-in arrays of a set: those that PyTorch Geometric has with `follow_batch`, and the mask.
fn arrays_of(set: &str) -> [String; 3] {
    match set {
        "nodes" => ["batch", "ptr", "node_mask"].map(Into::into),
        "edges" => ["edge_batch", "edge_ptr", "edge_mask"].map(Into::into),
        set => ["batch", "ptr", "mask"].map(|array| format!("{set}_{array}")),
    }
}

/// Writes all arrays of a batch, padding included, with their names and shapes.
fn write_batch(batch: &Batch, path: &Path) -> Outcome {
    let mut tensors = Vec::new();
    for array in batch.layout().arrays() {
        let dtype = match array.dtype {
            Dtype::F32 => safetensors::Dtype::F32,
            Dtype::F16 => safetensors::Dtype::F16,
            Dtype::F64 => safetensors::Dtype::F64,
            Dtype::I64 => safetensors::Dtype::I64,
            Dtype::I32 => safetensors::Dtype::I32,
            Dtype::U8 => safetensors::Dtype::U8,
            Dtype::Bool => safetensors::Dtype::BOOL,
        };
        let shape = array.shape().collect();
        tensors.push((&array.name, TensorView::new(dtype, shape, &batch.bytes()[array.range()])?));
    }
    serialize_to_file(tensors, None, path).map_err(|error| format!("{}: {error}", path.display()).into())
}
