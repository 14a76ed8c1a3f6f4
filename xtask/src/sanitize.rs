//! `cargo xtask sanitize`: the tests of threads under ThreadSanitizer.

use crate::nightly::Nightly;
use crate::run::{Outcome, step, target};

/// Tests that have threads; the soak with fewer combinations, as all is some ten times slower.
const TESTS: [&str; 3] = ["failures", "exact_resume", "soak"];
const COMBINATIONS: &str = "1000";

/// Fails with the first race, or if the toolchain cannot do it.
pub(crate) fn threads() -> Outcome {
    let nightly = Nightly::find()?;
    nightly.add_sources()?;
    let tests = TESTS.iter().flat_map(|test| ["--test", test]);
    let mut command = nightly.cargo(["test", "-p", "graphpack", "-Zbuild-std"].into_iter().chain(tests));
    command.env("RUSTFLAGS", "-Zsanitizer=thread --cfg crossbeam_sanitize_thread");
    command.env("CARGO_TARGET_DIR", target().join("sanitize")).env("GRAPHPACK_SOAK", COMBINATIONS);
    step("ThreadSanitizer", &mut command)
}
