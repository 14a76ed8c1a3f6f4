//! Virtual environments of Python, with packages that pip installs once.

use crate::run::{Outcome, run};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the python of the environment in a folder. Unless it was made there for the same `version`, pip is called with
/// `arguments` first, and `notice` tells the user what is installed.
pub fn find_or_install(folder: &Path, version: &str, notice: &str, arguments: &[&str]) -> Outcome<PathBuf> {
    let python = folder.join("bin/python");
    // Written last: an interrupted installation is started again.
    let complete = folder.join("complete");
    if fs::read_to_string(&complete).is_ok_and(|found| found == version) {
        return Ok(python);
    }
    let is_ours =
        folder.join("pyvenv.cfg").exists() || fs::read_dir(folder).is_ok_and(|mut files| files.next().is_none());
    if folder.exists() && !is_ours {
        return Err(format!("{}: expected no such folder or a virtual environment of Python", folder.display()));
    }
    eprintln!("installing {notice} with pip into {}; this happens once", folder.display());
    let _ = fs::remove_dir_all(folder);
    run(Command::new("python3").args(["-m", "venv"]).arg(folder))
        .map_err(|error| format!("{error}\nA python3 with its venv module is needed (Debian: python3-venv)."))?;
    let pip = ["-m", "pip", "install", "--disable-pip-version-check", "--quiet"];
    run(Command::new(&python).args(pip).args(arguments))?;
    fs::write(&complete, version).map_err(|error| format!("{}: {error}", complete.display()))?;
    Ok(python)
}
