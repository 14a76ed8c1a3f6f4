//! Batches to compare with jraph's: writes graphs and their batches to files, and times how they are made.
//! `cargo xtask lab peers` runs this and then `compare/peers/jraph_batches.py`, which reads the files.

use clap::Parser;
use graphpack_formats::{Fields, Pieces};
use graphpack_loader::{
    Batch, Capacity, Data, Dtype, Edges, Estimate, Grouping, Loader, Options, Order, Padding, Shapes, Store, clusters,
};
use safetensors::tensor::{TensorView, serialize_to_file};
use serde_json::json;
use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// At most this many structures are read; without a file this many are generated.
const GRAPHS: usize = 10_000;
/// Epochs that are timed; one more comes before them.
const EPOCHS: u64 = 5;

/// Writes graphs.safetensors and a file of batches for each algorithm that jraph has, too; prints a line of JSON for
/// each.
#[derive(Parser)]
struct Args {
    /// Folder for the files, about 500 MB for 10,000 molecules
    #[arg(long)]
    out: PathBuf,
    /// Structures in a file of any format [default: generated clusters]
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,
    /// Graphs per batch, the padding graph included
    #[arg(long, default_value_t = 32, value_parser = clap::value_parser!(u32).range(2..))]
    batch_size: u32,
}

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("peer_batches: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Outcome {
    let atoms = match &args.data {
        Some(file) => Pieces::open(file, &Fields::default())?.first(GRAPHS).read()?,
        None => clusters::generate(1, GRAPHS),
    };
    let atoms = atoms.with_names(|name| ["z", "pos"].contains(&name).then(|| name.to_owned()))?;
    let store = Arc::new(Store::collect(Data::from(atoms).connect(Edges::FullyConnected)?)?);
    fs::create_dir_all(&args.out)?;
    write_graphs(&store, &args.out.join("graphs.safetensors"))?;

    // The algorithms that jraph has, too.
    let batch_size = args.batch_size;
    let fixed = || Options::exactly(batch_size - 1);
    let dynamic = || Options::default().grouping(Grouping::InOrder);
    let jraph = Capacity::estimate(Estimate::Jraph, batch_size);
    let all = [
        ("dynamic", dynamic().capacity(jraph)),
        ("static-64", fixed().shapes(Shapes::Multiple(64))),
        ("static-2^N", fixed().shapes(Shapes::PowerOfTwo)),
        ("static-constant", dynamic().capacity(Capacity::estimate(Estimate::Constant, batch_size))),
    ];
    for (name, options) in all {
        let options = options.padding(Padding::Jraph).workers(0);
        let in_order = Loader::new(store.clone(), options.clone())?;
        let batches = write_batches(&in_order, &args.out.join(format!("{name}.safetensors")))?;
        let target = in_order.shape().filter(|_| name == "dynamic");
        let (collating, epochs) = time(&Loader::new(store.clone(), options.order(Order::Shuffled).seed(1))?)?;
        println!(
            "{}",
            json!({
                "algorithm": name, "batch_size": batch_size, "batches": batches,
                "target": target.map(|shape| [shape.nodes(), shape.edges(), shape.graphs()]),
                "collating_ms_mean": collating.iter().sum::<f64>() / collating.len() as f64,
                "collating_ms_median": median(collating), "epoch_ms_per_batch": median(epochs),
            })
        );
    }
    Ok(())
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Milliseconds of several epochs: of collating each batch, and of each whole epoch divided by its batches.
fn time(loader: &Loader) -> Outcome<(Vec<f64>, Vec<f64>)> {
    let milliseconds = |time: Duration| 1e3 * time.as_secs_f64();
    let (mut collating, mut epochs) = (Vec::new(), Vec::new());
    for epoch in 0..=EPOCHS {
        let begun = Instant::now();
        let mut batches = 0_u32;
        for batch in loader.epoch(epoch) {
            let batch = batch?;
            batches += 1;
            if epoch > 0 {
                collating.push(milliseconds(batch.collating()));
            }
        }
        if epoch > 0 {
            epochs.push(milliseconds(begun.elapsed()) / f64::from(batches));
        }
    }
    Ok((collating, epochs))
}

/// Arrays by name, each of all batches or graphs one after the other.
#[derive(Default)]
struct Arrays(BTreeMap<String, Array>);

struct Array {
    dtype: safetensors::Dtype,
    /// Elements and bytes per row.
    row: (Option<usize>, usize),
    bytes: Vec<u8>,
}

impl Arrays {
    fn add(&mut self, name: &str, dtype: Dtype, width: Option<usize>, bytes: impl IntoIterator<Item = u8>) {
        let row = (width, width.unwrap_or(1) * dtype.bytes());
        let dtype = match dtype {
            Dtype::F32 => safetensors::Dtype::F32,
            Dtype::F16 => safetensors::Dtype::F16,
            Dtype::F64 => safetensors::Dtype::F64,
            Dtype::I64 => safetensors::Dtype::I64,
            Dtype::I32 => safetensors::Dtype::I32,
            Dtype::U8 => safetensors::Dtype::U8,
            Dtype::Bool => safetensors::Dtype::BOOL,
        };
        let array = self.0.entry(name.to_owned()).or_insert(Array { dtype, row, bytes: Vec::new() });
        array.bytes.extend(bytes);
    }

    fn add_numbers(&mut self, name: &str, width: Option<usize>, numbers: impl IntoIterator<Item = i64>) {
        self.add(name, Dtype::I64, width, numbers.into_iter().flat_map(i64::to_le_bytes));
    }

    /// Adds all arrays of a batch, padding included; sources and targets get jraph's names.
    fn add_batch(&mut self, batch: &Batch) {
        let shape = batch.shape();
        self.add_numbers("shapes", Some(3), [shape.nodes(), shape.edges(), shape.graphs()].map(|n| n as i64));
        for array in batch.layout().arrays() {
            let bytes = &batch.bytes()[array.range()];
            if array.name == "edge_index" {
                let (senders, receivers) = bytes.split_at(bytes.len() / 2);
                self.add("senders", array.dtype, None, senders.iter().copied());
                self.add("receivers", array.dtype, None, receivers.iter().copied());
            } else {
                self.add(&array.name, array.dtype, array.width, bytes.iter().copied());
            }
        }
    }

    fn write(&self, path: &Path) -> Outcome {
        let mut tensors = Vec::new();
        for (name, array) in &self.0 {
            let (width, bytes) = array.row;
            let shape = std::iter::once(array.bytes.len() / bytes).chain(width).collect();
            tensors.push((name, TensorView::new(array.dtype, shape, &array.bytes)?));
        }
        serialize_to_file(tensors, None, path).map_err(|error| format!("{}: {error}", path.display()).into())
    }
}

/// Writes the batches of an epoch in the order of the data set; returns how many there are.
fn write_batches(loader: &Loader, path: &Path) -> Outcome<usize> {
    let mut arrays = Arrays::default();
    let mut batches = 0;
    for batch in loader.epoch(0) {
        arrays.add_batch(&batch?);
        batches += 1;
    }
    arrays.write(path)?;
    Ok(batches)
}

/// Writes the data set; edges number the nodes of their own graph.
fn write_graphs(store: &Store, path: &Path) -> Outcome {
    let mut arrays = Arrays::default();
    let mut ends = [0; 2];
    for (k, name) in ["ptr_node", "ptr_edge"].into_iter().enumerate() {
        arrays.add_numbers(name, None, [0]);
        for size in store.sizes() {
            ends[k] += i64::from(size[k]);
            arrays.add_numbers(name, None, [ends[k]]);
        }
    }
    let edges = (0..store.len()).map(|graph| store.edges(graph)).collect::<Result<Vec<_>, _>>()?;
    let (sources, targets): (Vec<_>, Vec<_>) = edges.into_iter().unzip();
    let rows = sources.into_iter().chain(targets).flatten();
    arrays.add_numbers("edge_index", Some(ends[1] as usize), rows);
    for field in store.schema().fields() {
        if field.dtype == Dtype::I64 {
            arrays.add_numbers(&field.name, Some(field.width), store.values::<i64>(&field.name)?);
        } else {
            let values = store.values::<f32>(&field.name)?;
            arrays.add(&field.name, field.dtype, Some(field.width), values.into_iter().flat_map(f32::to_le_bytes));
        }
    }
    arrays.write(path)
}
