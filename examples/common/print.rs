//! [`print`]: results on standard output; [`exit`]: how a program ends that prints them.

use std::error::Error;
use std::fmt::Display;
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

/// Prints a line. Where nobody reads any more, as after `| head`, that is an error, and not a panic as of `println!`.
pub(crate) fn print(line: impl Display) -> io::Result<()> {
    writeln!(io::stdout(), "{line}")
}

/// Says what went wrong. It is no failure that nobody reads any more.
pub(crate) fn exit(outcome: Result<(), Box<dyn Error>>) -> ExitCode {
    let Err(error) = outcome else { return ExitCode::SUCCESS };
    if error.downcast_ref().is_some_and(|error: &io::Error| error.kind() == ErrorKind::BrokenPipe) {
        return ExitCode::SUCCESS;
    }
    let _ = writeln!(io::stderr(), "{}: {error}", env!("CARGO_CRATE_NAME"));
    ExitCode::FAILURE
}
