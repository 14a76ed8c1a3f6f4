//! Runs examples that need libtorch.

use crate::run::{Outcome, cargo, root};
use crate::tools::libtorch::Libtorch;
use std::env;

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
