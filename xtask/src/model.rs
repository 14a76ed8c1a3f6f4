//! `cargo xtask model`: the prefetching under the model checker shuttle.

use crate::run::{Outcome, cargo, step, target};

/// Builds the loader with the checker's channels and threads, and runs its models.
pub(crate) fn check() -> Outcome {
    let mut command = cargo(["test", "-p", "graphpack-loader", "--lib", "prefetch::model"]);
    // A folder of its own: other flags would have all built anew.
    command.env("RUSTFLAGS", "--cfg shuttle").env("CARGO_TARGET_DIR", target().join("model"));
    step("model of the prefetching", &mut command)
}
