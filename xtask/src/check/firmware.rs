//! `cargo xtask firmware`: the firmware on an emulated board, compared with the same session on this machine.

use crate::check::footprint::Footprint;
use crate::run::{self, Outcome, cargo, root, step, target};
use crate::tools::board::{Board, TARGET};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The most bytes of flash, and of RAM without the stack.
const MOST_TEXT: u32 = 24 << 10;
const MOST_RAM: u32 = 16 << 10;

/// Nodes and edges, and graphs, that fit beside the padding into the target of the session.
const LIMITS: [&str; 2] = ["127,256", "12"];

/// Compares on a board that is found or installed.
pub(crate) fn run() -> Outcome {
    let graphpack = cargo(["run", "--quiet", "-p", "graphpack-cli", "--"]);
    compare(&Board::find_or_install()?, graphpack)
}

/// Checks formatting, lints and tests of the firmware, then compares. `graphpack` is the command that makes the plan.
pub(crate) fn test(board: &Board, graphpack: Command) -> Outcome {
    let lints = ["--", "-D", "warnings"];
    step("firmware formatting", inside("host", &mut cargo(["fmt", "--all", "--check"])))?;
    let clippy = ["clippy", "--quiet", "--all-targets", "-p", "session", "-p", "host"];
    step("firmware clippy", inside("host", &mut cargo([&clippy[..], &lints].concat())))?;
    if board.has_clippy() {
        let clippy = [&["clippy", "--quiet"], &lints[..]].concat();
        step("firmware clippy on the device", inside("device", &mut cargo(clippy)))?;
    }
    step("firmware tests", inside("host", &mut cargo(["test", "--quiet", "-p", "host"])))?;
    compare(board, graphpack)
}

/// Builds for board and host, runs both on the same inputs, one sound and three damaged, and compares every line.
fn compare(board: &Board, graphpack: Command) -> Outcome {
    run::run(inside("host", &mut cargo(["build", "--quiet", "--release"])))?;
    run::run(inside("device", &mut board.cargo(["build", "--quiet", "--release"])))?;
    let program = folder().join(TARGET).join("release/device");
    let host = folder().join("release").join(format!("host{}", std::env::consts::EXE_SUFFIX));

    let input = input(&host, graphpack)?;
    let session = Session { board, program: &program, host: &host };
    let sound = session.run("input", &input)?;
    if !sound.well {
        return Err(format!("the session ended with {:?}", sound.lines.last()));
    }
    let mut wrong_plan = input.clone();
    // The first limit of the plan stands after the five bytes of the target.
    wrong_plan.iter_mut().skip(5).take(1).for_each(|byte| *byte ^= 1);
    let mut wrong_size = input.clone();
    wrong_size.iter_mut().rev().take(1).for_each(|byte| *byte = 0);
    let half = &input[..input.len() / 2];
    for (name, damaged) in [("half the input", half), ("a wrong plan", &wrong_plan), ("a wrong size", &wrong_size)] {
        let ended = session.run(name, damaged)?;
        match ended.lines.last() {
            Some(error) if !ended.well && error.starts_with("error: ") => println!("{name}: {error}"),
            last => return Err(format!("{name}: expected an error in the last line, found {last:?}")),
        }
    }
    let Footprint { text, data, bss } = Footprint::of(&program)?;
    let summaries = sound.lines.iter().filter(|line| line.contains(" batches of "));
    summaries.for_each(|summary| println!("{summary}"));
    println!("{} lines are equal on board and host", sound.lines.len());
    println!("text {text} bytes of {MOST_TEXT}, static RAM {} of {MOST_RAM}, stack {}", data + bss, sound.stack);
    let fits = text + data <= MOST_TEXT && data + bss <= MOST_RAM;
    if fits { Ok(()) } else { Err("the firmware takes more flash or RAM than is allowed".to_owned()) }
}

/// The input of a session: sizes of graphs, and the plan that the command `graphpack` makes for them.
fn input(host: &Path, mut graphpack: Command) -> Outcome<Vec<u8>> {
    let [sizes, plan] = ["sizes.csv", "plan.postcard"].map(|file| folder().join(file));
    named(&sizes, fs::write(&sizes, named(host, Command::new(host).arg("sizes").output())?.stdout))?;
    graphpack
        .args(["plan", "--limits", LIMITS[0], "--max-graphs", LIMITS[1], "--histogram"])
        .arg(&sizes)
        .arg("--out")
        .arg(&plan);
    run::run(&mut graphpack)?;
    Ok(named(host, Command::new(host).arg("make").arg(&plan).output())?.stdout)
}

/// The same program for board and host.
struct Session<'a> {
    board: &'a Board,
    program: &'a Path,
    host: &'a Path,
}

/// What both printed.
struct Ended {
    /// Whether the exit status is that of success.
    well: bool,
    lines: Vec<String>,
    /// The bytes of stack that the board used.
    stack: String,
}

impl Session<'_> {
    /// Runs both on an input, and fails at the first line that differs.
    fn run(&self, name: &str, input: &[u8]) -> Outcome<Ended> {
        let [bytes, output, console] = ["input", "output", "console"].map(|file| folder().join(file));
        named(&bytes, fs::write(&bytes, input))?;
        let open = || named(&bytes, File::open(&bytes));
        let create = |path: &Path| named(path, File::create(path));
        let status = self.board.run(self.program, open()?, create(&output)?, create(&console)?)?;
        let device = named(&output, fs::read_to_string(&output))?;
        let console = named(&console, fs::read_to_string(&console))?;
        let host = named(self.host, Command::new(self.host).stdin(open()?).output())?;
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

/// Puts the file's name before an error.
fn named<T>(path: &Path, result: io::Result<T>) -> Outcome<T> {
    result.map_err(|error| format!("{}: {error}", path.display()))
}

/// Makes a command of cargo run in a folder of the firmware and build below the workspace's `target/`.
fn inside<'a>(package: &str, command: &'a mut Command) -> &'a mut Command {
    command.current_dir(root().join("examples/firmware").join(package)).env("CARGO_TARGET_DIR", folder());
    // They are flags for this machine, not for the board.
    command.env_remove("RUSTFLAGS")
}

fn folder() -> PathBuf {
    target().join("firmware")
}
