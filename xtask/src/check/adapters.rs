//! `cargo xtask adapters`: the adapters to burn and candle, which are a workspace of their own.

use crate::run::{Outcome, cargo, root, step, target};
use std::process::Command;

/// All but those of devices, which take minutes more to build: `cargo xtask wgpu` tests them.
const FEATURES: &str = "--features=burn,candle";

/// Checks formatting, lints, documentation, tests and examples.
pub(crate) fn test() -> Outcome {
    step("adapters formatting", inside(&mut cargo(["fmt", "--all", "--check"])))?;
    let clippy = ["clippy", "--quiet", FEATURES, "--all-targets", "--", "-D", "warnings"];
    step("adapters clippy", inside(&mut cargo(clippy)))?;
    let mut documentation = cargo(["doc", "--quiet", "--no-deps", FEATURES]);
    step("adapters documentation", inside(&mut documentation).env("RUSTDOCFLAGS", "-D warnings"))?;
    step("adapters tests", inside(&mut cargo(["test", "--quiet", FEATURES])))?;
    for example in ["burn", "candle"] {
        let run = ["run", "--quiet", FEATURES, "--example", example];
        step(&format!("example {example}"), inside(&mut cargo(run)))?;
    }
    Ok(())
}

/// Tests the adapter to burn on a device of wgpu, if there is one.
pub(crate) fn test_wgpu() -> Outcome {
    let package = ["-p", "graphpack-devices", "--release"];
    let clippy = [&["clippy", "--quiet", "--all-targets"], &package[..], &["--", "-D", "warnings"]].concat();
    step("wgpu clippy", inside(&mut cargo(clippy)))?;
    step("wgpu tests", inside(&mut cargo([&["test"], &package[..], &["--", "--nocapture"]].concat())))
}

/// Makes a command of cargo run in the folder of the adapters and build below the workspace's `target/`.
pub(crate) fn inside(command: &mut Command) -> &mut Command {
    command.current_dir(root().join("loader/adapters")).env("CARGO_TARGET_DIR", target().join("adapters"))
}
