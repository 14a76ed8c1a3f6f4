//! `cargo xtask firmware`: the firmware on an emulated board, compared with the same session on this machine.

use crate::board::{Board, TARGET};
use crate::footprint::Footprint;
use crate::root;
use crate::run::{Outcome, cargo, run, step, target};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Most bytes of flash, and of RAM besides the stack.
const MOST_TEXT: u32 = 16 << 10;
const MOST_RAM: u32 = 8 << 10;

/// Formatting, lints and tests of the firmware, then the firmware itself.
pub(crate) fn test(board: &Board) -> Outcome {
    let lints = ["--", "-D", "warnings"];
    step("firmware formatting", inside("host", &mut cargo(["fmt", "--all", "--check"])))?;
    let clippy = ["clippy", "--quiet", "--all-targets", "-p", "session", "-p", "host"];
    step("firmware clippy", inside("host", &mut cargo([&clippy[..], &lints].concat())))?;
    if board.has_clippy() {
        let clippy = [&["clippy", "--quiet"], &lints[..]].concat();
        step("firmware clippy on the device", inside("device", &mut cargo(clippy)))?;
    }
    step("firmware tests", inside("host", &mut cargo(["test", "--quiet", "-p", "host"])))?;
    compare(board)
}

/// Builds for board and host, runs both on the same input, sound and damaged, and compares every line.
pub(crate) fn compare(board: &Board) -> Outcome {
    run(inside("host", &mut cargo(["build", "--quiet", "--release"])))?;
    run(inside("device", &mut board.cargo(["build", "--quiet", "--release"])))?;
    let program = folder().join(TARGET).join("release/device");
    let host = folder().join("release").join(format!("host{}", std::env::consts::EXE_SUFFIX));

    let input = told(&host, Command::new(&host).arg("make").output())?.stdout;
    let session = Session { board, program: &program, host: &host };
    let sound = session.run("input", &input)?;
    if !sound.well {
        return Err(format!("the session ended with {:?}", sound.lines.last()));
    }
    let mut wrong_plan = input.clone();
    // The first limit of the plan, after the five bytes of the target.
    wrong_plan.iter_mut().skip(5).take(1).for_each(|byte| *byte ^= 1);
    let mut wrong_size = input.clone();
    wrong_size.iter_mut().rev().take(1).for_each(|byte| *byte = 0);
    let half = &input[..input.len() / 2];
    for (name, damaged) in [("half the input", half), ("a wrong plan", &wrong_plan), ("a wrong size", &wrong_size)] {
        let ended = session.run(name, damaged)?;
        match ended.lines.last() {
            Some(error) if !ended.well && error.starts_with("error: ") => println!("{name}: {error}"),
            last => return Err(format!("{name} was not refused; the last line is {last:?}")),
        }
    }
    let Footprint { text, data, bss } = Footprint::of(&program)?;
    let summaries = sound.lines.iter().filter(|line| line.contains(" batches of "));
    summaries.for_each(|summary| println!("{summary}"));
    println!("{} lines are equal on board and host", sound.lines.len());
    println!("text {text} bytes of {MOST_TEXT}, static RAM {} of {MOST_RAM}, stack {}", data + bss, sound.stack);
    let fits = text + data <= MOST_TEXT && data + bss <= MOST_RAM;
    if fits { Ok(()) } else { Err("the firmware exceeds what it may take of flash or RAM".to_owned()) }
}

/// The two programs that do the same.
struct Session<'a> {
    board: &'a Board,
    program: &'a Path,
    host: &'a Path,
}

/// What both said.
struct Ended {
    well: bool,
    lines: Vec<String>,
    /// Bytes of the board's stack that were used.
    stack: String,
}

impl Session<'_> {
    fn run(&self, name: &str, input: &[u8]) -> Outcome<Ended> {
        let [bytes, output, console] = ["input", "output", "console"].map(|file| folder().join(file));
        told(&bytes, fs::write(&bytes, input))?;
        let open = || told(&bytes, File::open(&bytes));
        let create = |path: &Path| told(path, File::create(path));
        let status = self.board.run(self.program, open()?, create(&output)?, create(&console)?)?;
        let device = told(&output, fs::read_to_string(&output))?;
        let console = told(&console, fs::read_to_string(&console))?;
        let host = told(self.host, Command::new(self.host).stdin(open()?).output())?;
        let expected = String::from_utf8_lossy(&host.stdout);

        for line in 0..expected.lines().count().max(device.lines().count()) {
            let (here, there) = (expected.lines().nth(line), device.lines().nth(line));
            if here != there {
                return Err(format!("{name}, line {}:\n  host:  {here:?}\n  board: {there:?}\n{console}", line + 1));
            }
        }
        if status.success() != host.status.success() {
            return Err(format!("{name}: the host ended with {}, the board with {status}\n{console}", host.status));
        }
        let stack = console.lines().find_map(|line| line.strip_prefix("stack: ")).unwrap_or("unknown").to_owned();
        Ok(Ended { well: status.success(), lines: device.lines().map(str::to_owned).collect(), stack })
    }
}

/// Names the file that an error is about.
fn told<T>(path: &Path, result: io::Result<T>) -> Outcome<T> {
    result.map_err(|error| format!("{}: {error}", path.display()))
}

/// Runs in a folder of the firmware, and builds below the workspace's own target folder.
fn inside<'a>(package: &str, command: &'a mut Command) -> &'a mut Command {
    command.current_dir(root().join("examples/firmware").join(package)).env("CARGO_TARGET_DIR", folder());
    // Flags of the surrounding build are not for the board.
    command.env_remove("RUSTFLAGS")
}

fn folder() -> PathBuf {
    target().join("firmware")
}
