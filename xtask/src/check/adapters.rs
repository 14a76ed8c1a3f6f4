//! `cargo xtask adapters`: the adapters to burn and candle, which are a workspace of their own.

use crate::run::{Outcome, cargo, root, step, target};
use std::process::Command;

/// Checks formatting, lints, documentation, tests and examples.
pub(crate) fn test() -> Outcome {
    step("adapters formatting", inside(&mut cargo(["fmt", "--check"])))?;
    let clippy = ["clippy", "--quiet", "--all-features", "--all-targets", "--", "-D", "warnings"];
    step("adapters clippy", inside(&mut cargo(clippy)))?;
    let mut documentation = cargo(["doc", "--quiet", "--no-deps", "--all-features"]);
    step("adapters documentation", inside(&mut documentation).env("RUSTDOCFLAGS", "-D warnings"))?;
    step("adapters tests", inside(&mut cargo(["test", "--quiet", "--all-features"])))?;
    for example in ["burn", "candle"] {
        let run = ["run", "--quiet", "--all-features", "--example", example];
        step(&format!("example {example}"), inside(&mut cargo(run)))?;
    }
    Ok(())
}

/// Makes a command of cargo run in the folder of the adapters and build below the workspace's `target/`.
fn inside(command: &mut Command) -> &mut Command {
    command.current_dir(root().join("loader/adapters")).env("CARGO_TARGET_DIR", target().join("adapters"))
}
