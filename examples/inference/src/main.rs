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
use graphpack_loader::{Data, Store, molecules};
use inputs::Sums;
use print::{exit, print};
use row::Row;
use std::collections::BTreeSet;
use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use ways::Way;

/// Runs a trained GINE in inference engines, on packed graphs and otherwise.
#[derive(Parser)]
struct Args {
    #[command(subcommand)]
    step: Step,
}

#[derive(Subcommand)]
enum Step {
    /// Write the graphs into a folder, and print the options of export.py: the shapes of all ways
    Prepare {
        folder: PathBuf,
        /// A store of molecules with OGB's features, as `graphpack convert` writes it [default: generated molecules]
        #[arg(long, value_name = "FILE")]
        data: Option<PathBuf>,
        /// Molecules to generate
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

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    exit(match Args::parse().step {
        Step::Prepare { folder, data, graphs } => prepare(&folder, data.as_deref(), graphs),
        Step::Table { folder } => table(&folder),
        Step::Row { folder, engine, sums, way } => Row::run(&folder, engine, sums, way).and_then(|row| Ok(print(row)?)),
    })
}

fn prepare(folder: &Path, data: Option<&Path>, graphs: u32) -> Outcome<()> {
    let store = match data {
        Some(path) => Store::open(path)?,
        None => molecules::generate(0, graphs as usize),
    };
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    store.save(folder.join(row::GRAPHS))?;
    let (k, data) = (inputs::largest_degree(&store), Data::from(store));
    let mut shapes = BTreeSet::new();
    for way in Way::value_variants() {
        shapes.extend(way.shapes(&data)?.into_iter().map(|shape| ways::name(shape).replace('x', ",")));
    }
    let options: String = shapes.into_iter().map(|shape| format!(" --shape {shape}")).collect();
    Ok(print(format_args!("--matrix {k}{options}"))?)
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
