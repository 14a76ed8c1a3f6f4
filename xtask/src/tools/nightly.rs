//! The nightly toolchain, which has the sanitizers.

use crate::run::{Outcome, root, run};
use std::process::{Command, Stdio};

/// The nightly toolchain.
pub(crate) struct Nightly {
    /// The target of this machine. Named as `--target`, flags are not used for build scripts.
    pub(crate) host: String,
}

impl Nightly {
    /// Errors if it is not installed.
    pub(crate) fn find() -> Outcome<Self> {
        let version = Command::new("rustup").args(["run", "nightly", "rustc", "-vV"]).stderr(Stdio::null()).output();
        let text = version.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
        let host = text.lines().find_map(|line| line.strip_prefix("host: "));
        let missing = "a nightly toolchain is needed: rustup toolchain install nightly";
        Ok(Self { host: host.ok_or(missing)?.to_owned() })
    }

    /// Installs the sources of std, which is to be built with a sanitizer.
    pub(crate) fn add_sources(&self) -> Outcome {
        run(Command::new("rustup").args(["component", "add", "rust-src", "--toolchain", "nightly"]))
            .map_err(|error| format!("{error}\nthe sources of std are needed to build it with a sanitizer"))
    }

    /// Its cargo, in the folder of the workspace.
    pub(crate) fn cargo<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> Command {
        let mut command = Command::new("rustup");
        command.args(["run", "nightly", "cargo"]).args(arguments).args(["--target", &self.host]).current_dir(root());
        command
    }
}
