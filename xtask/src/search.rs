//! Tools that look for what tests miss: `cargo xtask model` (shuttle tries the prefetching in thousands of orders, and
//! the soak ten thousand combinations), `sanitize` (tests of threads under ThreadSanitizer) and `fuzz` (arbitrary bytes
//! for every reader, guided by coverage).

use crate::run::{Outcome, cargo, root, run, step, target};
use std::fs::{self, DirEntry};
use std::process::{Command, Stdio};

/// Builds the loader with shuttle's channels and threads, and runs the models, and then the soak at length.
pub(crate) fn model() -> Outcome {
    let mut command = cargo(["test", "-p", "graphpack-loader", "--lib", "prefetch::model"]);
    // In a folder of its own: with other flags in one folder, each build would repeat the other.
    command.env("RUSTFLAGS", "--cfg shuttle -D warnings").env("CARGO_TARGET_DIR", target().join("model"));
    step("model of the prefetching", &mut command)?;
    step("soak", cargo(["test", "-p", "graphpack", "--test", "soak"]).env(SOAK, "10000"))
}

/// Tests that have threads.
const TESTS: [&str; 8] =
    ["--test", "promises", "--test", "soak", "--", "failures::", "exact_resume::", "random_combinations"];
/// The variable with the number of combinations that the soak test tries, and how many under ThreadSanitizer, where it
/// is about ten times slower.
const SOAK: &str = "GRAPHPACK_SOAK";
const COMBINATIONS: &str = "1000";

/// Fails at the first race.
pub(crate) fn sanitize() -> Outcome {
    let nightly = Nightly::find()?;
    nightly.add_sources()?;
    let mut command = nightly.cargo("test", ["-p", "graphpack", "-Zbuild-std"].into_iter().chain(TESTS));
    command.env("RUSTFLAGS", "-Zsanitizer=thread --cfg crossbeam_sanitize_thread");
    command.env("CARGO_TARGET_DIR", target().join("sanitize")).env(SOAK, COMBINATIONS);
    step("ThreadSanitizer", &mut command)
}

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

/// Runs `tests/fuzz` with each reader for 60 s or for the seconds of the first option. New inputs stay below `target/`;
/// one that fails is named.
pub(crate) fn fuzz(options: &[String]) -> Outcome {
    let seconds: u64 = match options {
        [] => 60,
        [seconds] => seconds.parse().map_err(|_| format!("expected a number of seconds, found {seconds:?}"))?,
        found => return Err(format!("expected one number of seconds, found {found:?}")),
    };
    let nightly = Nightly::find()?;
    let (folder, built) = (root().join("tests/fuzz"), target().join("fuzz"));
    let failed = |error| format!("{}: {error}", folder.display());
    let mut build = nightly.cargo("build", ["--release"]);
    build.current_dir(&folder).env("CARGO_TARGET_DIR", &built).env("RUSTFLAGS", FLAGS.join(" "));
    step("the program that fuzzes", &mut build)?;
    let corpora = fs::read_dir(folder.join("corpus")).map_err(failed)?;
    let corpora = corpora.collect::<Result<Vec<_>, _>>().map_err(failed)?;
    let mut names: Vec<_> = corpora.iter().map(DirEntry::file_name).collect();
    names.sort();
    for name in names {
        let found = built.join("corpus").join(&name);
        fs::create_dir_all(&found).map_err(failed)?;
        let mut run = Command::new(built.join(&nightly.host).join("release/reader"));
        // libFuzzer writes new inputs to the first folder.
        run.env("READER", &name).arg(&found).arg(folder.join("corpus").join(&name)).args(LIMITS);
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

/// The nightly toolchain.
struct Nightly {
    /// The target of this machine. Named as `--target`, flags are not used for build scripts.
    host: String,
}

impl Nightly {
    /// Errors if it is not installed.
    fn find() -> Outcome<Self> {
        let version = Command::new("rustup").args(["run", "nightly", "rustc", "-vV"]).stderr(Stdio::null()).output();
        let text = version.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
        let host = text.lines().find_map(|line| line.strip_prefix("host: "));
        let missing = "a nightly toolchain is needed: rustup toolchain install nightly";
        Ok(Self { host: host.ok_or(missing)?.to_owned() })
    }

    /// Installs the sources of std, which is to be built with a sanitizer.
    fn add_sources(&self) -> Outcome {
        run(Command::new("rustup").args(["component", "add", "rust-src", "--toolchain", "nightly"]))
            .map_err(|error| format!("{error}\nthe sources of std are needed to build it with a sanitizer"))
    }

    /// Its cargo, in the folder of the workspace.
    fn cargo<'a>(&self, subcommand: &str, arguments: impl IntoIterator<Item = &'a str>) -> Command {
        let mut command = Command::new("rustup");
        command.args(["run", "nightly", "cargo", subcommand, "--target", &self.host]).args(arguments);
        command.current_dir(root());
        command
    }
}
