//! `cargo xtask`: set-up, training and checks of the workspace, in one command each. `examples/laboratory` uses what is
//! public here: [`run`] calls programs, [`files`] lists them, [`venv`] installs packages of Python, and [`dgl`] DGL;
//! [`FEATURES`] are those that tests are built with.

mod check;
mod examples;
pub mod files;
mod lab;
pub mod run;
mod test;
mod tools;

pub use check::dgl::python as dgl;
pub use test::FEATURES;
pub use tools::venv::find_or_install as venv;

use check::{adapters, circles, dgl as dgl_check, firmware, fuzz, i686, model, mpi, outside, python, sanitize, text};
use run::Outcome;
use std::env;
use std::process::ExitCode;
use tools::libtorch;

/// Name and options, what it does, and the function that gets the arguments after the name.
type Command = (&'static str, &'static str, fn(&[String]) -> Outcome);

const COMMANDS: &[Command] = &[
    ("train [OPTIONS]", "trains the example network; --help lists its options", |options| {
        examples::run("train", options)
    }),
    ("lab [NAME] [OPTIONS]", "runs a tool of examples/laboratory: the study, measurements, comparisons", lab::run),
    ("libtorch [OPTIONS]", "installs libtorch and prints what to export; docs/guide.md has its options", libtorch::run),
    ("test", "runs what CI runs; without CI in the environment all but adapters and python", |_| test::all()),
    ("circles", "lists files that import each other in a circle; part of test", |_| circles::check()),
    ("text", "lists code in mod.rs, wide lines of prose, a README that is too long; part of test", |_| text::check()),
    ("guide", "builds and runs the crate that docs/guide.md begins with; part of test", |_| outside::test()),
    ("firmware", "packs on an emulated microcontroller and compares with this machine", |_| firmware::run()),
    ("i686", "runs core's tests on 32 bits; part of test on Linux on x86-64", |_| {
        i686::install().and_then(|()| i686::test())
    }),
    ("adapters", "tests the adapters to burn and candle, and trains with each", |_| adapters::test()),
    ("wgpu", "tests the adapter to burn on a device of wgpu: Vulkan, with a GPU or without", |_| adapters::test_wgpu()),
    ("python", "builds the wheel of the Python package and tests it with torch, PyG and JAX", |_| python::test()),
    ("mpi", "cuts graphs and trains over MPI, and compares with threads and with one rank", |_| mpi::compare()),
    ("model", "checks the prefetching in thousands of orders of its threads", |_| model::check()),
    ("sanitize", "runs the tests of threads under ThreadSanitizer; needs a nightly toolchain", |_| sanitize::threads()),
    ("fuzz [SECONDS]", "feeds arbitrary bytes to each reader, 60 s each; needs a nightly toolchain", fuzz::run),
    ("dgl-check", "has DGL open the parts that graphpack wrote, and compares with the originals", |_| {
        dgl_check::check()
    }),
];

/// Tools that have moved to the laboratory.
const MOVED: [&str; 7] = ["bench", "bundle", "devices", "neighbours", "peers", "study", "worth"];

const NOTES: &str = "\
libtorch, train, lab, test, guide, mpi and python use libtorch 2.11.0: that of LIBTORCH, of python3 with
LIBTORCH_USE_PYTORCH, or of the active virtual environment; else pip installs torch 2.11.0 once, below $XDG_DATA_HOME
or ~/.local/share. python and dgl-check install below target/ what they compare with.";

/// Runs the command that the program's arguments name.
pub fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match dispatch(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the command that the first argument names.
fn dispatch(arguments: &[String]) -> Outcome {
    let (name, rest) = arguments.split_first().ok_or_else(usage)?;
    if MOVED.contains(&name.as_str()) {
        eprintln!("cargo xtask {name} is now cargo xtask lab {name}");
        return lab::run(arguments);
    }
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
