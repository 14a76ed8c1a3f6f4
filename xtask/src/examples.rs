//! `cargo xtask train`: the example. `cargo xtask lab`: the laboratory, a workspace of its own that builds below this
//! one's `target/`.

use crate::libtorch::Libtorch;
use crate::run::{Outcome, UNLINKED, cargo, root, step, target};
use std::env;
use std::path::PathBuf;
use std::process::Command;

/// Runs the example `train` with the user's options, in the user's folder.
pub(crate) fn train(options: &[String]) -> Outcome {
    let libtorch = Libtorch::find_or_install()?;
    let mut command = cargo([
        "run",
        "--quiet",
        "--release",
        "--features",
        "tch,all-formats",
        "--example",
        "train",
        "--manifest-path",
    ]);
    libtorch.apply(&mut command);
    for_user(command.arg(root().join("Cargo.toml")), options, "train")
}

/// Builds the laboratory and runs the tool that the first argument names, in the user's folder; without one, lists all.
pub(crate) fn lab(arguments: &[String]) -> Outcome {
    let libtorch = Libtorch::find_or_install()?;
    let mut command = inside(
        cargo(["run", "--quiet", "--release", "--features", "all-formats", "--bin", "lab", "--manifest-path"]),
        &libtorch,
    );
    for_user(command.arg(folder().join("Cargo.toml")), arguments, "lab")
}

/// Runs a program of cargo with the user's options, in the user's folder.
fn for_user(command: &mut Command, options: &[String], name: &str) -> Outcome {
    command.arg("--").args(options).current_dir(env::current_dir().map_err(|error| error.to_string())?);
    // The program has printed what is wrong; the whole command would only hide it.
    let status = command.status().map_err(|error| format!("cannot run cargo: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{name}: {status}")) }
}

/// Lints the laboratory. Its tests take minutes: `cargo xtask lab test` runs them.
pub(crate) fn check_lab(libtorch: &Libtorch) -> Outcome {
    step("laboratory formatting", &mut inside(cargo(["fmt", "--check"]), libtorch))?;
    let clippy = ["clippy", "--quiet", "--all-targets", "--", "-D", "warnings"];
    let mut clippy = inside(cargo(clippy), libtorch);
    step("laboratory clippy", clippy.env(UNLINKED.0, UNLINKED.1))
}

/// Makes a command of cargo run in the laboratory.
fn inside(mut command: Command, libtorch: &Libtorch) -> Command {
    libtorch.apply(&mut command);
    command.current_dir(folder()).env("CARGO_TARGET_DIR", target());
    command
}

fn folder() -> PathBuf {
    root().join("examples/laboratory")
}
