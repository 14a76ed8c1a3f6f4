//! Answers of a trained network from inference engines: packs graphs into the shapes that a model was exported for, and
//! compares ways to batch them. `cargo xtask inference` runs all steps; docs/inference.md explains them.

mod engine;
mod inputs;
#[path = "../../common/memory.rs"]
mod memory;
#[path = "../../common/print.rs"]
mod print;
mod row;
mod ways;

use clap::{Parser, Subcommand, ValueEnum};
use engine::EngineName;
use graphpack_loader::{Data, Edges, Store, clusters, molecules};
use inputs::Sums;
use print::{exit, print};
use row::Row;
use std::collections::BTreeSet;
use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use ways::Way;

/// Runs a trained GINE or SchNet in inference engines, on packed graphs and otherwise.
#[derive(Parser)]
struct Args {
    #[command(subcommand)]
    step: Step,
}

#[derive(Subcommand)]
enum Step {
    /// Write the graphs into a folder, and print the options of export.py: the models of all ways
    Prepare {
        folder: PathBuf,
        /// A store as `graphpack convert` writes it: of molecules with OGB's features, or with --cutoff of structures
        #[arg(long, value_name = "FILE")]
        data: Option<PathBuf>,
        /// What to generate without --data
        #[arg(long, value_enum, default_value_t = Sample::Molecules, conflicts_with = "data")]
        sample: Sample,
        /// Graphs to generate
        #[arg(long, default_value_t = 200, conflicts_with = "data", value_parser = clap::value_parser!(u32).range(1..))]
        graphs: u32,
    },
    /// Run every engine, way to sum and way to batch, each in a process of its own, and print a table
    Table { folder: PathBuf },
    /// Run one engine, way to sum and way to batch, check its answers, and print a row of the table
    Row {
        folder: PathBuf,
        #[arg(value_enum)]
        engine: EngineName,
        #[arg(value_enum)]
        sums: Sums,
        #[arg(value_enum)]
        way: Way,
    },
}

#[derive(Clone, Copy, ValueEnum)]
enum Sample {
    /// Molecules with OGB's features, for GINE
    Molecules,
    /// Clusters of atoms, connected within 5 angstrom, for SchNet
    Structures,
}

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    exit(match Args::parse().step {
        Step::Prepare { folder, data, sample, graphs } => prepare(&folder, data.as_deref(), sample, graphs as usize),
        Step::Table { folder } => table(&folder),
        Step::Row { folder, engine, sums, way } => Row::run(&folder, engine, sums, way).and_then(|row| Ok(print(row)?)),
    })
}

fn prepare(folder: &Path, data: Option<&Path>, sample: Sample, graphs: usize) -> Outcome<()> {
    let store = match (data, sample) {
        (Some(path), _) => Store::open(path)?,
        (None, Sample::Molecules) => molecules::generate(0, graphs),
        (None, Sample::Structures) => {
            Store::collect(Data::from(clusters::generate(0, graphs)).connect(Edges::Radius(5.0))?)?
        }
    };
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    // Batches carry all fields of the store, and resident memory counts them.
    let fields = inputs::fields(store.schema());
    let store = store.with_names(|name| fields.contains(&name).then(|| name.to_owned()))?;
    store.save(folder.join(row::GRAPHS))?;
    let (store, mut models, mut columns) = (Data::from(store), BTreeSet::new(), None);
    for sums in Sums::value_variants() {
        let data = sums.prepare(&store)?;
        for way in Way::value_variants() {
            models.extend(way.models(&data, *sums)?);
            let loader = way.loader(&data, data.len())?;
            let neighbours = loader.layout().and_then(|layout| layout.array("neighbours"));
            columns = neighbours.and_then(|array| array.width).or(columns);
        }
    }
    let models: Vec<String> = models.into_iter().collect();
    Ok(print(format_args!("--matrix {} {}", columns.unwrap_or(1), models.join(" ")))?)
}

fn table(folder: &Path) -> Outcome<()> {
    let program = env::current_exe()?;
    print(Row::HEADER)?;
    for engine in EngineName::value_variants() {
        for sums in Sums::value_variants() {
            for way in Way::value_variants() {
                let mut command = Command::new(&program);
                command.arg("row").arg(folder);
                for value in [engine.to_possible_value(), sums.to_possible_value(), way.to_possible_value()] {
                    command.args(value.map(|value| value.get_name().to_owned()));
                }
                let output = command.stderr(Stdio::inherit()).output()?;
                if !output.status.success() {
                    return Err(format!("{engine}, {sums}, {way}: {}", output.status).into());
                }
                print(String::from_utf8_lossy(&output.stdout).trim_end())?;
            }
        }
    }
    let megabytes = |path: &Path| path.metadata().map_or(0.0, |file| file.len() as f64 / 1e6);
    print(format_args!("\nThe program has {:.1} MB", megabytes(&program)))?;
    if let Some(library) = env::var_os("ORT_DYLIB_PATH") {
        print(format_args!("ONNX Runtime's library has {:.1} MB", megabytes(Path::new(&library))))?;
    }
    Ok(())
}
