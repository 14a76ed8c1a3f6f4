//! The `graphpack` command as users and scripts run it: what it prints, what it writes, what it says of mistakes.

mod assign;
mod chunk;
mod data_sets;
mod dispatch;
mod libtorch;
mod limits;
mod options;
mod parts;
mod parts_store;
mod plans;
mod unchanged;

use std::process::{Command, Output};

/// Runs the command to its end.
fn graphpack(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_graphpack")).args(arguments).output().unwrap()
}
