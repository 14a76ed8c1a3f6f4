//! Programs of other projects: whether they are installed, and how to install them.

use crate::run::{Outcome, run};
use std::process::{Command, Stdio};

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
