//! The program `graphpack`.

use std::process::ExitCode;

fn main() -> ExitCode {
    graphpack_cli::run(std::env::args_os())
}
