//! `cargo xtask model`: the prefetching under the model checker shuttle.

use crate::run::{Outcome, cargo, step, target};

/// Builds the loader with shuttle's channels and threads, and runs the models.
pub(crate) fn check() -> Outcome {
    let mut command = cargo(["test", "-p", "graphpack-loader", "--lib", "prefetch::model"]);
    // In a folder of its own: with other flags in one folder, each build would repeat the other.
    command.env("RUSTFLAGS", "--cfg shuttle -D warnings").env("CARGO_TARGET_DIR", target().join("model"));
    step("model of the prefetching", &mut command)
}
