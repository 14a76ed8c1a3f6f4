//! What several tests of the command need.

use std::process::{Command, Output};

/// Runs the command to its end.
pub(crate) fn graphpack(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_graphpack")).args(arguments).output().unwrap()
}
