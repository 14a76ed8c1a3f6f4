//! What the commands need beside cargo: [`libtorch`], packages of Debian ([`install`]), programs that [`exists`].

use crate::libtorch::{self, Libtorch};
use crate::run::{Outcome, run};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Prints what to export so that cargo and programs find libtorch. `--into DIR` installs it in a folder, whatever else
/// is found; `--config DIR` writes what cargo needs into a folder's `.cargo/config.toml` instead of printing it.
pub(crate) fn libtorch(options: &[String]) -> Outcome {
    let (mut into, mut config) = (None, None);
    for option in options.chunks(2) {
        match option {
            [name, folder] if name == "--into" => into = Some(Path::new(folder)),
            [name, folder] if name == "--config" => config = Some(Path::new(folder)),
            found => return Err(format!("expected --into DIR or --config DIR, found {found:?}")),
        }
    }
    let libtorch = into.map_or_else(Libtorch::find_or_install, Libtorch::install)?;
    match config {
        Some(folder) => libtorch.configure(folder),
        None => {
            println!("{}", libtorch.exports());
            Ok(())
        }
    }
}

/// Returns the python of the environment in a folder. Unless it was made there for the same `version`, pip is called
/// with `arguments` first, and `notice` tells the user what is installed.
pub fn venv(folder: &Path, version: &str, notice: &str, arguments: &[&str]) -> Outcome<PathBuf> {
    libtorch::venv(folder, version, notice, arguments)
}

/// Installs Debian's packages as root; otherwise an error says what to install.
pub(crate) fn install(packages: &[&str]) -> Outcome {
    let names = packages.join(" ");
    let root = says("id", &["-u"]).is_some_and(|id| id.trim() == "0");
    if !root || !exists("apt-get") {
        return Err(format!("not all of {names} are installed; please install them (Debian: apt-get install {names})"));
    }
    eprintln!("installing {names} with apt-get");
    let apt = |arguments: &[&str]| {
        run(Command::new("apt-get").args(arguments).env("DEBIAN_FRONTEND", "noninteractive").stdout(Stdio::null()))
    };
    let install = [&["install", "-y", "--no-install-recommends"], packages].concat();
    apt(&install).or_else(|_| apt(&["update"]).and_then(|()| apt(&install)))
}

/// Whether a program is installed.
pub(crate) fn exists(program: &str) -> bool {
    says(program, &["--version"]).is_some()
}

/// What a program prints, if it is installed and succeeds.
pub(crate) fn says(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}
