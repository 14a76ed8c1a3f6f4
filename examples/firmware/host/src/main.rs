//! `host make` writes the input of a session; `host` runs a session on its standard input, as the device does.

mod make;
#[cfg(test)]
mod tests;

use session::{Input, Plan, Session, SessionError};
use std::env;
use std::io::{self, Read, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let outcome = match env::args().nth(1).as_deref() {
        None => pack(),
        Some("make") => make::input().and_then(|bytes| Ok(io::stdout().write_all(&bytes)?)),
        Some(other) => Err(format!("{other}: not a command; give make, or nothing").into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // On standard output, because the device has only one line out, too.
            println!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// A result whose error is a message for the user.
type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

fn pack() -> Outcome {
    let mut bytes = Vec::new();
    io::stdin().read_to_end(&mut bytes)?;
    let mut bytes = bytes.into_iter();
    let mut text = String::new();
    let outcome = run(&mut Input::new(|| bytes.next()), &mut text);
    print!("{text}");
    Ok(outcome?)
}

fn run(input: &mut Input<impl FnMut() -> Option<u8>>, out: &mut String) -> Result<(), SessionError> {
    let mut plan = Plan::new();
    session::receive(input, &mut plan)?;
    Session::new(&plan).run(input, out)
}
