//! `cargo xtask`: set-up, training and tests of the workspace, in one command each.

mod adapters;
mod bench;
mod board;
mod bundle;
mod dgl;
mod dispatch;
mod firmware;
mod footprint;
mod fuzz;
mod libtorch;
mod model;
mod mpi;
mod nightly;
mod packages;
mod peers;
mod run;
mod sanitize;
mod table;
mod venv;

use board::Board;
use libtorch::Libtorch;
use run::{Outcome, cargo, step};
use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask train [OPTIONS]  builds and runs the training example; --help after it lists its options
cargo xtask study [OPTIONS]  builds and runs the batching study, likewise
cargo xtask bundle           packs the GPU benchmark for machines with torch and without Rust, into target/bundle
cargo xtask test             runs everything that CI runs
cargo xtask firmware         packs on an emulated microcontroller as on this machine, and says what that takes
cargo xtask adapters         tests what burn and candle are given, and trains with each
cargo xtask mpi              cuts a graph into parts over MPI as by threads; trains on one and on two ranks with the same global batch,
                             and compares the losses
cargo xtask peers            compares batches with those of jraph, and times; --xyz FILE: on these structures
cargo xtask bench [--quick]  graphs per CPU-second of graphpack, a gather in C, torch, jraph, PyG and DGL
cargo xtask dgl-check        has DGL open the parts that graphpack wrote, and compares them with the original graphs
cargo xtask fuzz [SECONDS]   feeds arbitrary bytes to each reader, 60 s each; needs a nightly toolchain
cargo xtask model            checks the prefetching in thousands of orders of its threads
cargo xtask sanitize         runs the tests of threads under ThreadSanitizer; needs a nightly toolchain

train, study, bundle, test and mpi use libtorch 2.11.0: that of LIBTORCH, of python3 with LIBTORCH_USE_PYTORCH, or of the active
virtual environment; else they install torch 2.11.0 with pip below target/, once. peers, bench and dgl-check install others'
libraries there likewise; bench runs the scripts in the folder GRAPHPACK_PEERS (../shared/peers).";

/// All but `graphpack-loader/mpi`, which takes an MPI library and libclang: `cargo xtask mpi` builds and tests it.
const FEATURES: &str = "graphpack/tch,graphpack/tracing,graphpack-core/alloc,graphpack-core/serde,graphpack-loader/cli,\
    graphpack-loader/metis,graphpack-loader/npz,graphpack-loader/parquet,graphpack-loader/tracing,graphpack-tch/cuda-graphs";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let result = match arguments.split_first() {
        Some((command, rest)) if command == "train" => example("train", rest),
        Some((command, rest)) if command == "study" => example("batching_study", rest),
        Some((command, [])) if command == "bundle" => {
            Libtorch::find_or_install().and_then(|libtorch| bundle::make(&libtorch)).map(drop)
        }
        Some((command, [])) if command == "test" => test(),
        Some((command, [])) if command == "firmware" => {
            Board::find_or_install().and_then(|board| firmware::compare(&board))
        }
        Some((command, [])) if command == "adapters" => adapters::test(),
        Some((command, [])) if command == "mpi" => mpi::compare(),
        Some((command, [])) if command == "peers" => peers::compare(None),
        Some((command, [option, file])) if command == "peers" && option == "--xyz" => peers::compare(Some(file)),
        Some((command, [])) if command == "dgl-check" => dgl::check(),
        Some((command, [])) if command == "bench" => bench::compare(false),
        Some((command, [option])) if command == "bench" && option == "--quick" => bench::compare(true),
        Some((command, [])) if command == "fuzz" => fuzz::fuzz(60),
        Some((command, [seconds])) if command == "fuzz" => {
            seconds.parse().map_err(|_| USAGE.to_owned()).and_then(fuzz::fuzz)
        }
        Some((command, [])) if command == "model" => model::check(),
        Some((command, [])) if command == "sanitize" => sanitize::threads(),
        _ => Err(USAGE.to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// The folder of the workspace.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// Builds an example that needs libtorch and runs it.
fn example(name: &str, options: &[String]) -> Outcome {
    let libtorch = Libtorch::find_or_install()?;
    let mut command = cargo(["run", "--quiet", "--release", "--features", "tch", "--example", name, "--manifest-path"]);
    command.arg(root().join("Cargo.toml")).arg("--").args(options);
    // Where the user stands, so that relative paths mean what they say.
    command.current_dir(env::current_dir().map_err(|error| error.to_string())?);
    libtorch.apply(&mut command);
    // The example says itself what is wrong; the command that ran it would only hide that.
    let status = command.status().map_err(|error| format!("cannot run cargo: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{name}: {status}")) }
}

fn test() -> Outcome {
    step("formatting", &mut cargo(["fmt", "--all", "--check"]))?;
    step("core without std and alloc", &mut cargo(["build", "-p", "graphpack-core", "--no-default-features"]))?;
    let libtorch = Libtorch::find_or_install()?;
    let all = |name: &str, arguments: &[&str], extra: Option<(&str, &str)>| {
        let mut command = cargo(arguments);
        libtorch.apply(&mut command);
        // Of the C++ shim, too.
        command.envs(extra).env("GRAPHPACK_DENY_WARNINGS", "1");
        step(name, &mut command)
    };
    let workspace = ["--workspace", "--features", FEATURES];
    all("clippy", &[&["clippy", "--all-targets"], &workspace[..], &["--", "-D", "warnings"]].concat(), None)?;
    all("documentation", &[&["doc", "--no-deps"], &workspace[..]].concat(), Some(("RUSTDOCFLAGS", "-D warnings")))?;
    all("tests", &[&["test"], &workspace[..]].concat(), None)?;
    model::check()?;
    all("quickstart", &["run", "--quiet", "--example", "quickstart"], None)?;
    println!("== bundle");
    bundle::test(&libtorch)?;
    // A fresh build of burn takes minutes; who relies on all of it says so, as CI services do.
    match env::var_os("CI") {
        None => println!("== adapters: SKIPPED, `cargo xtask adapters` runs them"),
        Some(_) => adapters::test()?,
    }
    match Board::find_or_install() {
        // Someone without an emulator can test the rest; not so where all of it is relied on.
        Err(why) if env::var_os("CI").is_none() => {
            println!("== firmware: SKIPPED, there is no board to run it on\n{why}");
            Ok(())
        }
        board => firmware::test(&board?),
    }
}
