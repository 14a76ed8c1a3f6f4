//! The laboratory of graphpack: tools that measure it and compare it with other libraries. `cargo xtask lab NAME` runs
//! one, on the libtorch that it finds.

mod compare;

use compare::{bench, bundle, devices, neighbours, peers, worth};
use std::env;
use std::process::{Command, ExitCode};
use xtask::run::{Outcome, cargo, root, target};

/// Name and options, what it does, and the function that gets the arguments after the name.
type Tool = (&'static str, &'static str, fn(&[String]) -> Outcome);

const TOOLS: &[Tool] = &[
    (
        "study [OPTIONS]",
        "runs the batching study; --help lists its options",
        |options| run(tool("study").args(options)),
    ),
    (
        "worth [--seeds N] [--times N] [--jobs N] [--minutes N]",
        "trains with every way of batching, 8 hours in all, and goes on where it stopped; or times it, N sittings; \
         --minutes 0 prints the tables alone",
        worth::run,
    ),
    ("bundle [--try]", "packs tests and times on a GPU into target/bundle, for machines without Rust", bundle::run),
    (
        "devices [--minutes N]",
        "trains with burn on Vulkan, counts the kernels it compiles, and goes on where it stopped",
        devices::run,
    ),
    ("bench [--quick]", "measures graphs per CPU-second: graphpack, C, torch, jraph and PyG", bench::run),
    ("loader_bench [OPTIONS]", "measures graphpack's loader alone; --help lists its options", |options| {
        run(tool("loader_bench").args(options))
    }),
    ("peers [--data FILE]", "compares batches and times with jraph, PyTorch Geometric and DGL", peers::run),
    ("neighbours", "measures how fast edges between near atoms are made, beside vesin and matscipy", neighbours::run),
    ("test [OPTIONS]", "tests the laboratory, as cargo test does: each tool for a moment, and its models", |options| {
        run(cargo(["test"]).args(options).current_dir(root().join("examples/laboratory")))
    }),
];

const NOTES: &str = "\
peers, bench and neighbours install below target/ what they compare with; bench runs the scripts in GRAPHPACK_PEERS
(../shared/peers). Python's measurements are scripts in examples/laboratory/measure, which say what they need.";

fn main() -> ExitCode {
    xtask::run::main(dispatch)
}

/// Runs the tool that the first argument names.
fn dispatch(arguments: &[String]) -> Outcome {
    let (name, rest) = arguments.split_first().ok_or_else(usage)?;
    let is_named = |(synopsis, ..): &&Tool| synopsis.split(' ').next() == Some(name);
    let (synopsis, _, run) = TOOLS.iter().find(is_named).ok_or_else(usage)?;
    match rest {
        [unexpected, ..] if !synopsis.contains(' ') => Err(format!("{name}: unexpected argument {unexpected}")),
        _ => run(rest),
    }
}

fn usage() -> String {
    let width = TOOLS.iter().map(|(synopsis, ..)| synopsis.len()).max().unwrap_or(0);
    let line = |(synopsis, help, _): &Tool| format!("cargo xtask lab {synopsis:width$}  {help}\n");
    TOOLS.iter().map(line).collect::<String>() + "\n" + NOTES
}

/// A program of the laboratory, built for release, in the user's folder.
fn tool(name: &str) -> Command {
    let mut command =
        cargo(["run", "--quiet", "--release", "--features", "all-formats", "--bin", name, "--manifest-path"]);
    command.arg(root().join("examples/laboratory/Cargo.toml")).arg("--").env("CARGO_TARGET_DIR", target());
    if let Ok(folder) = env::current_dir() {
        command.current_dir(folder);
    }
    command
}

/// Runs a command whose program says itself what is wrong.
fn run(command: &mut Command) -> Outcome {
    let status = command.status().map_err(|error| format!("cannot run cargo: {error}"))?;
    if status.success() { Ok(()) } else { Err(status.to_string()) }
}
