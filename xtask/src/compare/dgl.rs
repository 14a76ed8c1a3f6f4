//! `cargo xtask dgl-check`: DGL opens graphpack's parts and compares them with the original; graphpack opens DGL's.

use crate::compare::environments;
use crate::run::{Outcome, cargo, root, run, target};
use std::fs;
use std::process::Command;

/// Fails at the first difference.
pub(crate) fn check() -> Outcome {
    let python = environments::dgl()?;
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
