//! `firmware-host sizes` writes the sizes of all graphs, for `graphpack plan`; `firmware-host make PLAN.postcard` the
//! input of a session with the plan that the command made. Without arguments it runs a session on its standard input,
//! as the device does.

mod make;
#[cfg(test)]
mod tests;

use session::{Input, Memory, Plan, Session, SessionError};
use std::env;
use std::fs;
use std::io::{self, Read, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let outcome = match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => pack(),
        ["sizes"] => write(make::csv().as_bytes()),
        ["make", plan] => make(plan),
        other => Err(format!("{}: not a command; give sizes, make PLAN, or nothing", other.join(" ")).into()),
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

fn make(plan: &str) -> Outcome {
    let plan = fs::read(plan).map_err(|error| format!("{plan}: {error}"))?;
    write(&make::input(&plan)?)
}

fn write(bytes: &[u8]) -> Outcome {
    Ok(io::stdout().write_all(bytes)?)
}

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
    let (mut plan, mut own) = (Plan::new(), Plan::new());
    session::receive(input, &mut plan)?;
    Session::new(&plan, &mut Memory::new()).run(&mut own, input, out)
}
