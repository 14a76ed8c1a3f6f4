//! Running other programs, with a message that names the one that failed.

use crate::root;
use std::env;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

/// Everything here fails with a message for the user.
pub(crate) type Outcome<T = ()> = Result<T, String>;

/// The cargo that runs this, in the workspace.
pub(crate) fn cargo<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root());
    // A build that is thrown away needs no gigabytes of notes for the next one.
    if env::var_os("CI").is_some() {
        command.env("CARGO_INCREMENTAL", "0");
    }
    command
}

/// The folder that cargo builds in.
pub(crate) fn target() -> PathBuf {
    root().join(env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from))
}

/// Runs a command to its end.
pub(crate) fn run(command: &mut Command) -> Outcome {
    let status = command.status().map_err(|error| format!("cannot run {command:?}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("failed ({status}): {command:?}")) }
}

/// Runs one step of several.
pub(crate) fn step(name: &str, command: &mut Command) -> Outcome {
    println!("== {name}");
    let start = Instant::now();
    run(command).map_err(|error| format!("{name} {error}"))?;
    println!("== {name}: {} s", start.elapsed().as_secs());
    Ok(())
}
