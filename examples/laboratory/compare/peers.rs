//! `cargo xtask lab peers`: graphpack and its peers make batches of the same graphs; all arrays must be equal.

use crate::compare::environments::{self, ONE_THREAD};
use crate::tool;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use xtask::run::{self, Outcome, root, target};

/// In both libraries the padding graph counts.
const BATCH_SIZES: [&str; 2] = ["32", "128"];

/// Prints a table for jraph and one for PyTorch Geometric and DGL, or fails at the first difference. jraph's graphs are
/// generated or those of the option `--data FILE`.
pub(crate) fn run(options: &[String]) -> Outcome {
    let data = match options {
        [] => None,
        [option, file] if option == "--data" => Some(file.as_str()),
        found => return Err(format!("expected --data FILE or nothing, found {found:?}")),
    };
    jraph(data)?;
    println!();
    sets()
}

/// Batches of nodes and edges.
fn jraph(data: Option<&str>) -> Outcome {
    let python = environments::jraph()?;
    println!("| algorithm | batch size | batches | equal | jraph, ms per batch | graphpack, ms per batch | ratio |");
    println!("|---|---|---|---|---|---|---|");
    for size in BATCH_SIZES {
        in_folder("batches", |folder| {
            let data = data.into_iter().flat_map(|file| ["--data", file]);
            let times = batches("peer_batches", folder, ["--batch-size", size].into_iter().chain(data))?;
            compare(&python, "jraph_batches.py", &[folder, &times], &["--batch-size", size])
        })?;
    }
    Ok(())
}

/// Batches of any sets, and of sets that are derived.
fn sets() -> Outcome {
    let (pyg, dgl) = (environments::pyg()?, xtask::dgl()?);
    // The package of Python writes the graphs of PyTorch Geometric.
    let install = ["-m", "pip", "install", "--quiet", "--no-deps", "./loader/python"];
    run::run(Command::new(&pyg).args(install).current_dir(root()))?;
    in_folder("sets", |folder| {
        compare(&pyg, "pyg_graphs.py", &[folder], &[])?;
        let times = batches("peer_sets", folder, [])?;
        println!("| batches | number | equal | peer | its graphs per CPU-second | graphpack's | ratio |");
        println!("|---|---|---|---|---|---|---|");
        compare(&pyg, "pyg_batches.py", &[folder, &times], &[])?;
        compare(&dgl, "dgl_line_graphs.py", &[folder, &times], &[])
    })
}

/// Calls `body` with an empty folder, which stays for a look if there is a difference.
fn in_folder(name: &str, body: impl FnOnce(&Path) -> Outcome) -> Outcome {
    let folder = target().join("peers").join(name);
    let failed = |error| format!("{}: {error}", folder.display());
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(failed)?;
    body(&folder)?;
    fs::remove_dir_all(&folder).map_err(failed)
}

/// Runs the program that writes batches into a folder; returns the file with what it printed.
fn batches<'a>(program: &str, folder: &Path, options: impl IntoIterator<Item = &'a str>) -> Outcome<PathBuf> {
    let times = folder.join("graphpack.jsonl");
    let mut command = tool(program);
    command.arg("--out").arg(folder).args(options);
    let file = File::create(&times).map_err(|error| format!("{}: {error}", times.display()))?;
    run::run(command.stdout(file))?;
    Ok(times)
}

/// Runs a script of the peers on one thread.
fn compare(python: &Path, script: &str, files: &[&Path], options: &[&str]) -> Outcome {
    let mut command = Command::new(python);
    command
        .arg(root().join("examples/laboratory/compare/peers").join(script))
        .args(files)
        .args(options)
        .envs(ONE_THREAD);
    run::run(command.env("PYTHONDONTWRITEBYTECODE", "1").env("PYTHONWARNINGS", "ignore"))
}
