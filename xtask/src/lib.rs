//! `cargo xtask`: set-up, training and checks of the workspace, in one command each. `examples/laboratory` uses what is
//! public here: [`run`] calls programs and lists files, [`venv`] installs packages of Python, and [`dgl`] DGL.
//!
//! - `ci`: what CI runs beside `cargo test`;
//! - `outside`: packages that are workspaces of their own; `python`: the Python package; `firmware`: other processors;
//!   `inference`: engines that run exported networks;
//! - `release`: what is published, used outside of the repository;
//! - `search`: tools that look for what tests miss;
//! - `large_graphs` and `data_parallel`: several processes;
//! - `examples`: training, and the laboratory.

mod ci;
mod data_parallel;
mod examples;
mod firmware;
mod inference;
mod large_graphs;
#[path = "../../loader/cli/src/libtorch.rs"]
mod libtorch;
mod outside;
mod python;
mod release;
pub mod run;
mod search;

pub use large_graphs::dgl;
pub use run::venv;

use run::Outcome;
use std::process::ExitCode;

/// Name and options, what it does, and the function that gets the arguments after the name.
type Command = (&'static str, &'static str, fn(&[String]) -> Outcome);

const COMMANDS: &[Command] = &[
    ("train [OPTIONS]", "trains the example network; --help lists its options", examples::train),
    ("lab [NAME] [OPTIONS]", "runs a tool of examples/laboratory: the study, measurements, comparisons", examples::lab),
    ("libtorch [OPTIONS]", "installs libtorch and prints what to export; docs/guide.md has its options", run::libtorch),
    ("ci", "checks all that cargo test does not; without CI in the environment all but python", |_| ci::all()),
    ("guide", "builds and runs the crate that docs/guide.md begins with; part of ci", |_| outside::guide()),
    (
        "release --check",
        "makes the packages, sdist and wheel of a clean clone, and uses them outside of it",
        release::release,
    ),
    (
        "inference [OPTIONS]",
        "checks answers of inference engines, or measures them: --data STORE, --weights of train --resume",
        inference::inference,
    ),
    (
        "firmware [OPTIONS]",
        "a network on an emulated microcontroller, compared with this machine; --data STORE, --weights of train --resume",
        firmware::run,
    ),
    ("i686", "runs core's tests on 32 bits, on Linux on x86-64", |_| {
        firmware::install_i686().and_then(|()| firmware::i686())
    }),
    ("adapters", "tests the adapters to burn and candle, and trains with each", |_| outside::adapters()),
    ("wgpu", "tests the adapter to burn on a device of wgpu: Vulkan, with a GPU or without", |_| outside::wgpu()),
    ("python", "builds the Python package and tests it with torch, PyG and JAX", |_| ci::python()),
    ("mpi", "cuts graphs and trains over MPI, and compares with threads and with one rank", |_| {
        data_parallel::compare()
    }),
    ("model", "checks the prefetching in thousands of orders of its threads", |_| search::model()),
    ("sanitize", "runs the tests of threads under ThreadSanitizer; needs a nightly toolchain", |_| search::sanitize()),
    ("fuzz [SECONDS]", "feeds arbitrary bytes to each reader, 60 s each; needs a nightly toolchain", search::fuzz),
    ("dgl-check", "has DGL open the parts that graphpack wrote, and compares with the originals", |_| {
        large_graphs::dgl_check()
    }),
];

const NOTES: &str = "\
libtorch, train, lab, ci, guide, release, mpi and python use libtorch 2.13.0: that of LIBTORCH, of python3 with
LIBTORCH_USE_PYTORCH, or of the active virtual environment; else pip installs torch 2.13.0 once, below $XDG_DATA_HOME
or ~/.local/share. python and dgl-check install below target/ what they compare with.";

/// Runs the command that the program's arguments name.
pub fn main() -> ExitCode {
    run::main(dispatch)
}

/// Runs the command that the first argument names.
fn dispatch(arguments: &[String]) -> Outcome {
    let (name, rest) = arguments.split_first().ok_or_else(usage)?;
    let is_named = |(synopsis, ..): &&Command| synopsis.split(' ').next() == Some(name);
    let (synopsis, _, run) = COMMANDS.iter().find(is_named).ok_or_else(usage)?;
    match rest {
        [unexpected, ..] if !synopsis.contains(' ') => {
            Err(format!("cargo xtask {name}: unexpected argument {unexpected}"))
        }
        _ => run(rest),
    }
}

fn usage() -> String {
    let width = COMMANDS.iter().map(|(synopsis, ..)| synopsis.len()).max().unwrap_or(0);
    let line = |(synopsis, help, _): &Command| format!("cargo xtask {synopsis:width$}  {help}\n");
    COMMANDS.iter().map(line).collect::<String>() + "\n" + NOTES
}
