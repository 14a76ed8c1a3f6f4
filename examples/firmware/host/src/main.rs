//! `firmware-host store FILE` writes generated molecules as a store; `firmware-host sizes STORE` the sizes of molecules
//! of a store that fit, for `graphpack plan`; `firmware-host make STORE PLAN.postcard WAY` the input of a session with
//! them and the plan; `firmware-host session` its limits and ways. Without arguments it runs a session on its standard
//! input, as the device does.

mod make;
#[cfg(test)]
mod tests;

use graphpack_loader::Store;
use session::{Frames, Memory, Plan, Session, Unreadable, read_plan};
use std::env;
use std::fs;
use std::io::{self, Read, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let outcome = match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => serve(),
        ["store", file] => make::generated().save(file).map_err(Into::into),
        ["sizes", store] => sizes(store),
        ["session"] => io::stdout().write_all(make::session().as_bytes()).map_err(Into::into),
        ["make", store, plan, way] => make(store, plan, way),
        other => Err(format!(
            "{}: not a command; give store FILE, sizes STORE, make STORE PLAN WAY, session, or nothing",
            other.join(" ")
        )
        .into()),
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

fn sizes(store: &str) -> Outcome {
    let csv = make::csv(&make::Molecule::all(Store::open(store)?)?);
    Ok(io::stdout().write_all(csv.as_bytes())?)
}

fn make(store: &str, plan: &str, way: &str) -> Outcome {
    let plan = fs::read(plan).map_err(|error| format!("{plan}: {error}"))?;
    Ok(io::stdout().write_all(&make::input(Store::open(store)?, &plan, way)?)?)
}

fn serve() -> Outcome {
    let mut bytes = Vec::new();
    io::stdin().read_to_end(&mut bytes)?;
    let mut text = String::new();
    let outcome = run(&bytes, &mut text);
    print!("{text}");
    outcome
}

/// Runs a session on its whole input.
fn run(bytes: &[u8], out: &mut String) -> Outcome {
    let (mut plan, mut memory, mut frames) = (Plan::new(), Box::new(Memory::new()), Frames::new());
    let mut bytes = bytes.iter();
    let first = bytes.find_map(|&byte| frames.push(byte).map(|frame| read_plan(frame, &mut plan)));
    first.unwrap_or(Err(Unreadable::NoPlan))?;
    let mut session = Session::new(&plan, &mut memory)?;
    for &byte in bytes {
        if let Some(frame) = frames.push(byte)
            && !session.take(frame, out)?
        {
            break;
        }
    }
    Ok(())
}
