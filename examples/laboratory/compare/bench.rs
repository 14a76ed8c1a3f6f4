//! `cargo xtask lab bench`: graphs per CPU-second of graphpack and of its peers on the same graphs.

use crate::compare::environments::{self, ONE_THREAD};
use crate::compare::table::{Measured, Row, Table};
use crate::tool;
use serde_json::Value;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use xtask::run::{self, Outcome, root, target};

/// Prints the tables. With the option `--quick` only for batches of 128 graphs, and with fewer repeats.
pub(crate) fn run(options: &[String]) -> Outcome {
    let quick = match options {
        [] => false,
        [option] if option == "--quick" => true,
        found => return Err(format!("expected --quick or nothing, found {found:?}")),
    };
    let sizes = if quick { "128" } else { "128,32" };
    let repeats = if quick { "3" } else { "5" };
    let scripts = root().join(env::var_os("GRAPHPACK_PEERS").map_or_else(|| "../shared/peers".into(), PathBuf::from));
    let mut table = Table::default();
    if !scripts.join("gen.py").is_file() {
        eprintln!(
            "no scripts of the peers in {} (GRAPHPACK_PEERS): only graphpack is measured, on generated graphs; \
             SKIPPED: C gather, vectorised torch, jraph, PyG",
            scripts.display()
        );
        measure(&mut table, &mut loader_bench(sizes, repeats, &[]), ours);
        table.print();
        return Ok(());
    }
    let python = environments::pyg()?;
    let peers = target().join("peers");
    let (data, build) = (peers.join("data"), peers.join("build"));
    fs::create_dir_all(&build).map_err(|error| format!("{}: {error}", build.display()))?;
    let script = |python: &Path, name: &str| {
        let mut command = Command::new(python);
        // The folder of the scripts stays as it is.
        command.arg(scripts.join(name)).arg(&data).env("PYTHONDONTWRITEBYTECODE", "1").envs(ONE_THREAD);
        command
    };
    // The generator writes this file last.
    if !data.join("SHA256SUMS").is_file() {
        eprintln!("generating graphs in {}, 1.3 GB; this happens once", data.display());
        run::run(script(&python, "gen.py").stdout(Stdio::null()))?;
    }
    let peer = |python: &Path, name: &str, options: &[&str]| {
        let mut command = script(python, name);
        command.arg(build.join(name).with_extension("json")).args(options);
        command
    };
    // One after the other: none takes a core from another.
    let mut gather = peer(&python, "memlimit.py", &[]);
    measure(&mut table, gather.arg(&build), |row| theirs(row).filter(|row| row.what.starts_with("C gather")));
    let stores = ["w1", "w2"].map(|name| data.join(name).with_extension("safetensors"));
    measure(&mut table, &mut loader_bench(sizes, repeats, &stores), ours);
    measure(&mut table, &mut peer(&python, "bench_vec.py", &["--threads", "1", "--bs", sizes]), theirs);
    measure(&mut table, &mut peer(&python, "bench_jraph.py", &["--bs", sizes, "--reps", repeats]), theirs);
    let list = ["--threads", "1", "--workers", "0", "--forms", "list", "--bs", sizes, "--reps", repeats];
    measure(&mut table, &mut peer(&python, "bench_pyg.py", &list), theirs);
    table.print();
    Ok(())
}

fn loader_bench(sizes: &str, repeats: &str, stores: &[PathBuf]) -> Command {
    let mut command = tool("loader_bench");
    command.args(["--batch-sizes", sizes, "--epochs", repeats]);
    stores.iter().for_each(|store| {
        command.arg("--store").arg(store);
    });
    command
}

/// Adds the lines of JSON that a program prints. If it fails, that becomes a row, too, after the rows of its lines.
fn measure(table: &mut Table, command: &mut Command, read: impl Fn(&Value) -> Option<Row>) {
    eprintln!("== {command:?}");
    let name = || {
        let script = command.get_args().next().map(|script| Path::new(script).to_owned());
        let script = script.filter(|script| script.extension().is_some_and(|extension| extension == "py"));
        script.and_then(|script| Some(script.file_name()?.to_string_lossy().into_owned()))
    };
    let name = name().unwrap_or_else(|| "loader_bench".into());
    let output = match command.stdout(Stdio::piped()).stderr(Stdio::inherit()).output() {
        Ok(output) => output,
        Err(error) => return table.failed(format!("{name}: cannot run it: {error}")),
    };
    for line in String::from_utf8_lossy(&output.stdout).lines().filter(|line| line.starts_with('{')) {
        match serde_json::from_str::<Value>(line) {
            Ok(found) if found["what"] == "versions" => table.versions(&found),
            Ok(found) if found["error"].is_string() => {
                table.failed(format!("{name}: {} {}: {}", found["what"], found["w"], found["error"]));
            }
            Ok(found) => table.rows.extend(read(&found)),
            Err(error) => table.failed(format!("{name}: expected a line of JSON: {error}")),
        }
    }
    if !output.status.success() {
        table.failed(format!("{name}: failed, {}", output.status));
    }
}

/// Reads a line of `loader_bench`.
fn ours(found: &Value) -> Option<Row> {
    let number = |key: &str| found[key].as_f64();
    Some(Row {
        workload: found["data"].as_str()?.to_owned(),
        what: format!("graphpack, {}", found["what"].as_str()?),
        batch_size: found["batch_size"].as_u64()?,
        measured: Measured {
            per_cpu_second: number("graphs_per_cpu_second")?,
            per_second: number("graphs_per_second")?,
            ms_per_batch: number("ms_per_batch")?,
        },
    })
}

/// Reads a line of a peer's script.
fn theirs(found: &Value) -> Option<Row> {
    let number = |key: &str| found[key].as_f64();
    let ms = number("ms_batch").or_else(|| number("ms_batch_mean"));
    Some(Row {
        workload: found["w"].as_str()?.to_owned(),
        what: found["what"].as_str()?.to_owned(),
        batch_size: found["bs"].as_u64()?,
        measured: Measured {
            per_cpu_second: number("graphs_s_cpu")?,
            per_second: number("graphs_s_med")?,
            ms_per_batch: ms.or_else(|| Some(number("us_per_batch")? / 1e3))?,
        },
    })
}
