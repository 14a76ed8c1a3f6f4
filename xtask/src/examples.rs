//! Builds examples that need libtorch, and runs them.

use crate::run::{self, Outcome, cargo, root, target};
use crate::tools::libtorch::Libtorch;
use std::env;
use std::process::Command;

/// Builds the example `name`; returns what makes a command of it.
pub(crate) fn build(name: &str) -> Outcome<impl Fn() -> Command> {
    let libtorch = Libtorch::find_or_install()?;
    let mut build = cargo(["build", "--quiet", "--release", "--features", "tch,all-formats", "--example", name]);
    libtorch.apply(&mut build);
    run::run(&mut build)?;
    let program = target().join("release/examples").join(name);
    Ok(move || {
        let mut command = Command::new(&program);
        libtorch.apply(&mut command);
        command
    })
}

/// Runs the example `name` with the user's options, in the user's folder.
pub(crate) fn run(name: &str, options: &[String]) -> Outcome {
    let libtorch = Libtorch::find_or_install()?;
    let mut command =
        cargo(["run", "--quiet", "--release", "--features", "tch,all-formats", "--example", name, "--manifest-path"]);
    command.arg(root().join("Cargo.toml")).arg("--").args(options);
    command.current_dir(env::current_dir().map_err(|error| error.to_string())?);
    libtorch.apply(&mut command);
    // The example has printed what is wrong; the whole command would only hide it.
    let status = command.status().map_err(|error| format!("cannot run cargo: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{name}: {status}")) }
}
