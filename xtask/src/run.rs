//! Runs cargo and other programs, with a message that names the one that failed.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

/// Has build scripts compile no C++: for clippy, which links nothing and would take two CPU minutes for it.
pub(crate) const UNLINKED: (&str, &str) = ("GRAPHPACK_UNLINKED", "1");

/// The error is a message for the user.
pub type Outcome<T = ()> = Result<T, String>;

/// Runs what the program's arguments name, and prints why it failed.
pub fn main(dispatch: fn(&[String]) -> Outcome) -> ExitCode {
    match dispatch(&env::args().skip(1).collect::<Vec<_>>()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// The folder of the workspace.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// The folder that cargo builds in.
pub fn target() -> PathBuf {
    root().join(env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from))
}

/// The cargo that runs this program, in the folder of the workspace.
pub fn cargo<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root());
    // CI machines build once and look at no lines of backtraces: cargo need not write what only later builds and
    // debuggers read.
    if env::var_os("CI").is_some() {
        command.envs([("CARGO_INCREMENTAL", "0"), ("CARGO_PROFILE_DEV_DEBUG", "false")]);
    }
    command
}

/// Runs a command to its end.
pub fn run(command: &mut Command) -> Outcome {
    let status = command.status().map_err(|error| format!("cannot run {command:?}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("failed ({status}): {command:?}")) }
}

/// A step that was run or left out.
#[derive(Clone)]
struct Step {
    name: String,
    /// `passed`, `failed`, or `not run` and why.
    outcome: String,
    seconds: f64,
}

/// The steps so far.
static STEPS: Mutex<Vec<Step>> = Mutex::new(Vec::new());

/// Runs a command as a named step: prints the name before and the time after.
pub fn step(name: &str, command: &mut Command) -> Outcome {
    timed(name, || run(command).map_err(|error| format!("{name} {error}")))
}

/// Does several things at the same time, and returns all errors when the last has ended.
pub fn at_once<const N: usize>(lanes: [Box<dyn FnOnce() -> Outcome + Send + '_>; N]) -> Outcome {
    let outcomes = thread::scope(|scope| {
        let started = lanes.map(|lane| scope.spawn(lane));
        started.map(|lane| lane.join().unwrap_or_else(|_| Err("a step panicked".into())))
    });
    let errors: Vec<String> = outcomes.into_iter().filter_map(Outcome::err).collect();
    if errors.is_empty() { Ok(()) } else { Err(errors.join("\n")) }
}

/// Does something as a named step.
pub fn timed(name: &str, work: impl FnOnce() -> Outcome) -> Outcome {
    println!("== {name}");
    let start = Instant::now();
    let outcome = work();
    let seconds = start.elapsed().as_secs_f64();
    let word = if outcome.is_ok() { "passed" } else { "failed" };
    println!("== {name}: {word}, {seconds:.0} s");
    note(name, word.to_owned(), seconds);
    outcome
}

/// Says that a step is not run, and why.
pub fn left_out(name: &str, why: &str) {
    // A row of a table is one line.
    let outcome = format!("not run: {}", why.trim().replace('\n', "; "));
    println!("== {name}: {outcome}");
    note(name, outcome, 0.0);
}

fn note(name: &str, outcome: String, seconds: f64) {
    let step = Step { name: name.to_owned(), outcome, seconds };
    STEPS.lock().unwrap_or_else(PoisonError::into_inner).push(step);
}

/// A table in Markdown of the steps so far: what became of each, the longest first, and the seconds since `start`, in
/// which some were run at the same time.
pub fn steps(start: Instant) -> String {
    let mut steps = STEPS.lock().unwrap_or_else(PoisonError::into_inner).clone();
    steps.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    let row = |Step { name, outcome, seconds }: &Step| format!("| {name} | {outcome} | {seconds:.0} |\n");
    let rows: String = steps.iter().map(row).collect();
    format!("| step | outcome | seconds |\n|---|---|---|\n{rows}| all | | {:.0} |\n", start.elapsed().as_secs_f64())
}
