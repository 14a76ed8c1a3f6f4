//! `cargo xtask fuzz`: arbitrary bytes for every reader, guided by coverage.

use crate::run::{Outcome, root, step, target};
use crate::tools::nightly::Nightly;
use std::fs;
use std::process::Command;

/// The flags of cargo-fuzz: AddressSanitizer, and for libFuzzer counters of edges and comparisons.
const FLAGS: [&str; 7] = [
    "-Zsanitizer=address",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "--cfg=fuzzing",
];
/// An input has at most 4 KiB, so a reader takes milliseconds and little memory.
const LIMITS: [&str; 4] = ["-max_len=4096", "-timeout=10", "-malloc_limit_mb=300", "-rss_limit_mb=2048"];

/// Runs each target of `tests/fuzz` for 60 s or for the seconds of the first option. New inputs stay below `target/`;
/// one that fails is named.
pub(crate) fn run(options: &[String]) -> Outcome {
    let seconds: u64 = match options {
        [] => 60,
        [seconds] => seconds.parse().map_err(|_| format!("expected a number of seconds, found {seconds:?}"))?,
        found => return Err(format!("expected one number of seconds, found {found:?}")),
    };
    let nightly = Nightly::find()?;
    let (folder, built) = (root().join("tests/fuzz"), target().join("fuzz"));
    let failed = |error| format!("{}: {error}", folder.display());
    let mut build = nightly.cargo(["build", "--release"]);
    build.current_dir(&folder).env("CARGO_TARGET_DIR", &built).env("RUSTFLAGS", FLAGS.join(" "));
    step("fuzz targets", &mut build)?;
    let files = fs::read_dir(folder.join("fuzz_targets")).map_err(failed)?;
    let files = files.collect::<Result<Vec<_>, _>>().map_err(failed)?;
    let mut names: Vec<_> = files.iter().filter_map(|file| Some(file.path().file_stem()?.to_owned())).collect();
    names.sort();
    for name in names {
        let found = built.join("corpus").join(&name);
        fs::create_dir_all(&found).map_err(failed)?;
        let mut run = Command::new(built.join(&nightly.host).join("release").join(&name));
        // libFuzzer writes new inputs to the first folder.
        run.arg(&found).arg(folder.join("corpus").join(&name)).args(LIMITS);
        run.arg(format!("-max_total_time={seconds}")).arg("-print_final_stats=1");
        run.arg(format!("-artifact_prefix={}/failed-{}-", built.display(), name.display()));
        let name = name.display();
        step(&format!("fuzz {name}"), &mut run).map_err(|error| {
            format!(
                "{error}\nThe failing input is named above; `cargo test` repeats it from tests/fuzz/corpus/{name}/."
            )
        })?;
    }
    Ok(())
}
