//! `cargo xtask dgl-check`: DGL opens graphpack's parts and compares them with the original; graphpack opens DGL's.

use crate::run::{Outcome, cargo, root, run, target};
use crate::tools::venv;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// DGL 2.1.0 needs this torch, and a NumPy before 2.
const PACKAGES: [&str; 8] = [
    "dgl==2.1.0",
    "torch==2.2.1",
    "torchdata==0.7.1",
    "numpy==1.26.4",
    "pandas==2.2.3",
    "pydantic==2.9.2",
    "pyyaml==6.0.2",
    "safetensors==0.8.0",
];

/// Returns a python with DGL, which is installed once below `target/peers`.
pub fn python() -> Outcome<PathBuf> {
    let versions = PACKAGES.join(" ");
    let notice = format!("{versions} (a download of 2.5 GB)");
    venv::find_or_install(&target().join("peers/dgl"), &versions, &notice, &PACKAGES)
}

/// Fails at the first difference.
pub(crate) fn check() -> Outcome {
    let python = python()?;
    run(&mut cargo(["build", "--quiet", "-p", "graphpack-cli"]))?;
    let folder = target().join("peers/dgl-check");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut check = Command::new(python);
    check.arg(root().join("xtask/peers/dgl_check.py")).arg(target().join("debug/graphpack")).arg(&folder);
    run(check.env("PYTHONWARNINGS", "ignore"))?;
    // Where there is a difference, the files stay for a look.
    fs::remove_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))
}
