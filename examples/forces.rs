//! Trains PaiNN on energies, forces and stresses of structures, of a file or generated, with edges made by the workers:
//! `cargo run --release --features tch --example forces -- --data FILE`.

#[path = "common/print.rs"]
mod print;

use clap::Parser;
use example_models::{Losses, Potential, Scale, alloys, elements};
use graphpack_formats::{Fields, FileFormat, Pieces, ReadOptions};
use graphpack_loader::{Data, Edges, Epoch, Loader, Options, Order, Store};
use graphpack_tch::{Adam, DeviceLoader, Error, TensorBatch};
use print::{exit, print};
use std::path::PathBuf;
use std::process::ExitCode;
use tch::Device;
use tch::nn::VarStore;

/// Trains a potential on energies, forces and stresses.
#[derive(Parser)]
struct Args {
    /// Structures with energies and forces in a file of any format [default: generated ones]
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,
    /// Structures to use, or to generate: a tenth of them for validation
    #[arg(long, default_value_t = 1000)]
    graphs: usize,
    /// Atoms nearer than this, in angstrom, are connected
    #[arg(long, default_value_t = 4.0)]
    cutoff: f64,
    /// Features per atom
    #[arg(long, default_value_t = 32)]
    width: i64,
    #[arg(long, default_value_t = 10)]
    epochs: u64,
    /// Structures per step, on average
    #[arg(long, default_value_t = 8)]
    batch_graphs: u32,
    /// Threads that make batches
    #[arg(long, default_value_t = 1)]
    workers: usize,
    /// text, or json: a line for each epoch
    #[arg(long, default_value = "text", value_parser = ["text", "json"])]
    format: String,
}

fn main() -> ExitCode {
    exit(run(&Args::parse()))
}

fn run(args: &Args) -> Result<(), Box<dyn std::error::Error>> {
    tch::manual_seed(0);
    let atoms = match &args.data {
        Some(file) => {
            let format = FileFormat::of(file)?;
            // A store has the precision that it was written with.
            let fields = Fields { double: (format != FileFormat::Store).then_some(false), ..Fields::default() };
            Pieces::with(file, format, &fields, &ReadOptions::default())?.first(args.graphs).read()?
        }
        None => alloys(1, args.graphs, |number| number as f32)?,
    };
    let (scale, elements) = (scale(&atoms)?, elements(&atoms)?);
    // No edge is in memory or in a file: workers find those within the cutoff when they make a batch.
    let data = Data::from(atoms).connect(Edges::Radius(args.cutoff))?;
    let split = |validation: bool| {
        let graphs = (0..data.len() as u32).filter(|graph| (graph % 10 == 9) == validation);
        data.subset(graphs.collect::<Vec<_>>())
    };
    let loader = |validation, order| -> Result<_, Box<dyn std::error::Error>> {
        let options = Options::graphs(args.batch_graphs).workers(args.workers);
        Ok(Loader::new(split(validation)?, options.order(order).seed(7))?)
    };
    let [train, valid] = [loader(false, Order::Shuffled)?, loader(true, Order::Given)?];
    let weights = VarStore::new(Device::Cpu);
    let potential = Potential::new(&weights.root(), args.width, &elements, args.cutoff, scale)?;
    let optimizer = Adam::adamw(&weights, 2e-3, 0.0)?;
    if args.format == "text" {
        let shape = train.shape().ok_or("batches have one shape")?;
        print(format_args!("{} structures, batches of {}", data.len(), data.schema().sets().shape(&shape)))?;
    }
    for epoch in 0..args.epochs {
        let learn = |losses: &Losses| optimizer.backward_step(&losses.sum);
        let trained = errors(&potential, train.epoch(epoch), learn)?;
        let validated = errors(&potential, valid.epoch(0), |_| Ok(()))?;
        let Errors { loss, energy, forces, stress } = validated;
        if args.format == "json" {
            print(serde_json::json!({
                "epoch": epoch + 1, "loss": trained.loss, "train_forces": trained.forces, "valid_loss": loss,
                "energy": energy, "forces": forces, "stress": stress,
            }))?;
        } else {
            print(format_args!(
                "epoch {}: loss {:.4}, forces {:.4} eV/A; validation: loss {loss:.4}, energy {energy:.4} eV/atom, forces \
                 {forces:.4} eV/A, stress {stress:.5} eV/A^3",
                epoch + 1,
                trained.loss,
                trained.forces
            ))?;
        }
    }
    Ok(())
}

/// The mean energy per atom of the structures that have one, and the root mean square of the forces.
fn scale(atoms: &Store) -> Result<Scale, graphpack_loader::Error> {
    let (energies, forces) = (atoms.values::<f32>("energy")?, atoms.values::<f32>("forces")?);
    let has = match atoms.schema().position("has_energy") {
        Some(_) => atoms.values::<bool>("has_energy")?,
        None => vec![true; energies.len()],
    };
    let labelled = || energies.iter().zip(atoms.sizes()).zip(&has).filter(|(_, has)| **has).map(|(of, _)| of);
    let sum: f64 = labelled().map(|(energy, size)| f64::from(*energy) / f64::from(size[0])).sum();
    let squares: f64 = forces.iter().map(|force| f64::from(*force).powi(2)).sum();
    let forces = (squares / forces.len().max(1) as f64).sqrt();
    Ok(Scale { energy: sum / labelled().count().max(1) as f64, forces: if forces > 0.0 { forces } else { 1.0 } })
}

/// Errors of an epoch: the mean of what is trained on, and roots of mean squares.
struct Errors {
    loss: f64,
    energy: f64,
    forces: f64,
    stress: f64,
}

/// Hands the losses of each batch to `step`, and returns the errors of the epoch. Batches count by their structures.
fn errors(
    potential: &Potential,
    epoch: Epoch,
    step: impl Fn(&Losses) -> Result<(), Error>,
) -> Result<Errors, Box<dyn std::error::Error>> {
    let (mut sums, mut graphs) = ([0.0; 4], 0);
    for batch in DeviceLoader::new(epoch, Device::Cpu) {
        let batch: TensorBatch = batch?;
        let losses = potential.losses(&batch)?;
        step(&losses)?;
        for (sum, of) in sums.iter_mut().zip([&losses.sum, &losses.energy, &losses.forces, &losses.stress]) {
            *sum += f64::try_from(of)? * batch.real().graphs() as f64;
        }
        graphs += batch.real().graphs();
    }
    let [loss, energy, forces, stress] = sums.map(|sum| sum / graphs.max(1) as f64);
    Ok(Errors { loss, energy: energy.sqrt(), forces: forces.sqrt(), stress: stress.sqrt() })
}
