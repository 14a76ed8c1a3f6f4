//! `cargo xtask sanitize`: the tests of threads under ThreadSanitizer.

use crate::run::{Outcome, step, target};
use crate::tools::nightly::Nightly;

/// Tests that have threads.
const TESTS: [&str; 8] =
    ["--test", "promises", "--test", "soak", "--", "failures::", "exact_resume::", "ten_thousand_combinations"];
/// Of the soak test, which is about ten times slower here.
const COMBINATIONS: &str = "1000";

/// Fails at the first race.
pub(crate) fn threads() -> Outcome {
    let nightly = Nightly::find()?;
    nightly.add_sources()?;
    let mut command = nightly.cargo(["test", "-p", "graphpack", "-Zbuild-std"].into_iter().chain(TESTS));
    command.env("RUSTFLAGS", "-Zsanitizer=thread --cfg crossbeam_sanitize_thread");
    command.env("CARGO_TARGET_DIR", target().join("sanitize")).env("GRAPHPACK_SOAK", COMBINATIONS);
    step("ThreadSanitizer", &mut command)
}
