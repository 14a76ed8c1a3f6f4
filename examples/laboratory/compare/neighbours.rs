//! `cargo xtask lab neighbours`: how fast edges between near atoms are made, beside vesin and matscipy on the same
//! atoms.

use crate::compare::environments::{self, ONE_THREAD};
use crate::compare::files;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use xtask::run::{self, Outcome, cargo, root, target};

/// Prints a table. Errors if the numbers of edges differ.
pub(crate) fn run(_: &[String]) -> Outcome {
    let python = environments::neighbours()?;
    let folder = target().join("peers/neighbours-data");
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let script = || {
        let mut command = Command::new(&python);
        command.arg(root().join("examples/laboratory/compare/peers/neighbours.py")).envs(ONE_THREAD);
        command
    };
    run::run(script().arg("make").arg(&folder).arg(files::data()))?;
    let stores = ["atoms", "qm9", "crystals"].map(|name| folder.join(name).with_extension("safetensors"));
    let stores: Vec<PathBuf> = stores.into_iter().filter(|store| store.is_file()).collect();
    let mut example = cargo(["run", "--quiet", "--release", "--example", "neighbours", "--"]);
    let mut rows = rows(example.args(&stores))?;
    rows.extend(self::rows(script().arg("peers").args(&stores))?);
    println!("| structures | radius | edges | by | structures per CPU-second | million edges per CPU-second |");
    println!("|---|---|---|---|---|---|");
    let key = |row: &Value| (row["data"].to_string(), row["radius"].to_string());
    rows.sort_by_key(key);
    for row in &rows {
        let [structures, edges] =
            ["structures_per_cpu_second", "edges_per_cpu_second"].map(|name| row[name].as_f64().unwrap_or_default());
        let [data, what] = ["data", "what"].map(|name| row[name].as_str().unwrap_or_default());
        let (radius, count, edges) = (&row["radius"], &row["edges"], edges / 1e6);
        println!("| {data} | {radius} | {count} | {what} | {structures:.0} | {edges:.1} |");
        if let Some(other) = rows.iter().find(|other| key(other) == key(row) && other["edges"] != row["edges"]) {
            return Err(format!("the numbers of edges differ: {row}, {other}"));
        }
    }
    Ok(())
}

/// Reads the lines of JSON that a program prints.
fn rows(command: &mut Command) -> Outcome<Vec<Value>> {
    let failed = |error: &dyn std::fmt::Display| format!("{error}");
    let output = command.stdout(Stdio::piped()).stderr(Stdio::inherit()).output().map_err(|error| failed(&error))?;
    if !output.status.success() {
        return Err(format!("{command:?}: {}", output.status));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().map(|line| serde_json::from_str(line).map_err(|error| failed(&error))).collect()
}
