//! The program `graphpack`.

use std::process::ExitCode;

fn main() -> ExitCode {
    graphpack_cli::main()
}
