//! The nightly toolchain, which has the sanitizers.

use crate::root;
use crate::run::{Outcome, run};
use std::process::{Command, Stdio};

/// The cargo of the nightly toolchain, in the workspace, with flags for the program alone: `host` is to be given as `--target`.
pub(crate) struct Nightly {
    /// This machine's target.
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

    /// Adds the sources of std, to build it with a sanitizer.
    pub(crate) fn add_sources(&self) -> Outcome {
        run(Command::new("rustup").args(["component", "add", "rust-src", "--toolchain", "nightly"]))
            .map_err(|error| format!("{error}\nstd must be built with the sanitizer, from its sources"))
    }

    pub(crate) fn cargo<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> Command {
        let mut command = Command::new("rustup");
        command.args(["run", "nightly", "cargo"]).args(arguments).args(["--target", &self.host]).current_dir(root());
        command
    }
}
