//! Training, which needs libtorch: padding and batching change no loss and no gradient, and the examples learn. A new
//! network of the examples is tested here; operations of the bridge are tested in `tch-bridge/tests/`.

mod exact_resume;
mod forces;
mod large_graph;
mod main_job;
mod padding_leaks_nothing;
mod sets;
mod stock_networks;

use serde_json::Value;
use std::env;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Seeds libtorch's random numbers, which belong to the whole process: they are drawn only while the guard is held.
fn seeded(seed: i64) -> MutexGuard<'static, ()> {
    static DRAWING: Mutex<()> = Mutex::new(());
    let guard = DRAWING.lock().unwrap_or_else(PoisonError::into_inner);
    // Several threads of libtorch on cores that other tests use wait for each other most of the time.
    tch::set_num_threads(1);
    tch::manual_seed(seed);
    guard
}

/// Runs an example to its end.
fn example(name: &str, arguments: &[&str]) -> Output {
    command(name, arguments).output().unwrap()
}

/// An example as users run it, with its output in JSON.
fn command(name: &str, arguments: &[&str]) -> Command {
    let mut command = program(name);
    command.args(["--format", "json"]).args(arguments);
    command
}

/// An example, on one thread. `cargo xtask ci` names the folder of those that it has built.
fn program(name: &str) -> Command {
    let mut command = match env::var_os("GRAPHPACK_EXAMPLES") {
        Some(folder) => Command::new(Path::new(&folder).join(name)),
        None => {
            let run = ["run", "--quiet", "--features", "tch", "--example", name, "--manifest-path"];
            let mut command = Command::new(env!("CARGO"));
            command.args(run).args([concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"), "--"]);
            command
        }
    };
    command.env("OMP_NUM_THREADS", "1");
    command
}

/// Returns the lines that an example wrote; it must have succeeded.
fn lines(output: Output) -> Vec<Value> {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns a number of such a line.
fn number(line: &Value, key: &str) -> f64 {
    line[key].as_f64().unwrap_or_else(|| panic!("{key} in {line}"))
}
