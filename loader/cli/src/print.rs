//! `print`: results on standard output, and nothing else there.

use std::error::Error;
use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::sync::OnceLock;

/// Where results go, once standard output is [this program's own](keep_to_results).
static RESULTS: OnceLock<File> = OnceLock::new();

/// Results that cannot be printed.
#[derive(Debug)]
pub(crate) struct PrintError(io::Error);

impl fmt::Display for PrintError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "standard output: {}", self.0)
    }
}

impl Error for PrintError {}

impl PrintError {
    /// Whether the reader has left, as `head` does when it has what it wants.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        self.0.kind() == io::ErrorKind::BrokenPipe
    }
}

/// Prints a line, or several.
pub(crate) fn print(text: impl fmt::Display) -> Result<(), PrintError> {
    let text = format!("{text}\n");
    let written = match RESULTS.get() {
        Some(mut results) => results.write_all(text.as_bytes()),
        None => io::stdout().write_all(text.as_bytes()),
    };
    written.map_err(PrintError)
}

/// Says what is wrong, if there is anybody to say it to.
pub(crate) fn complain(error: &dyn Error) {
    let _ = writeln!(io::stderr(), "graphpack: {error}");
}

/// Keeps standard output to results, as far as the system lets it: METIS prints lines there about small graphs, which scripts cannot read.
#[cfg(unix)]
pub(crate) fn keep_to_results() {
    use std::os::fd::AsFd;
    let own = io::stdout().as_fd().try_clone_to_owned();
    let nowhere = File::options().write(true).open("/dev/null");
    if let (Ok(own), Ok(nowhere)) = (own, nowhere)
        && rustix::stdio::dup2_stdout(nowhere).is_ok()
    {
        // Nobody has set it before.
        let _ = RESULTS.set(own.into());
    }
}

/// Where there are no file descriptors, everybody prints to the same.
#[cfg(not(unix))]
pub(crate) fn keep_to_results() {}
