//! Runs cargo and other programs, with a message that names the one that failed; installs what they need: libtorch,
//! packages of Debian; lists the files below a folder.

use crate::libtorch::{self, Libtorch};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;
use std::{env, fs, io, thread};

/// Has build scripts compile no C++: for clippy, which links nothing and would take two CPU minutes for it.
pub(crate) const UNLINKED: (&str, &str) = ("GRAPHPACK_UNLINKED", "1");

/// The error is a message for the user.
pub type Outcome<T = ()> = Result<T, String>;

/// Runs what the program's arguments name, and prints why it failed.
pub fn main(dispatch: fn(&[String]) -> Outcome) -> ExitCode {
    match dispatch(&env::args().skip(1).collect::<Vec<_>>()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// The folder of the workspace.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// The folder that cargo builds in.
pub fn target() -> PathBuf {
    root().join(env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from))
}

/// The cargo that runs this program, in the folder of the workspace.
pub fn cargo<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root());
    command
}

/// Runs a command to its end.
pub fn run(command: &mut Command) -> Outcome {
    let status = command.status().map_err(|error| format!("cannot run {command:?}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("failed ({status}): {command:?}")) }
}

/// A step that was run or left out.
#[derive(Clone)]
struct Step {
    name: String,
    /// `passed`, `failed`, or `not run` and why.
    outcome: String,
    seconds: f64,
}

/// The steps so far.
static STEPS: Mutex<Vec<Step>> = Mutex::new(Vec::new());

/// Runs a command as a named step: prints the name before and the time after.
pub fn step(name: &str, command: &mut Command) -> Outcome {
    timed(name, || run(command).map_err(|error| format!("{name} {error}")))
}

/// Does several things at the same time, and returns all errors when the last has ended.
pub fn at_once<const N: usize>(lanes: [Box<dyn FnOnce() -> Outcome + Send + '_>; N]) -> Outcome {
    let outcomes = thread::scope(|scope| {
        let started = lanes.map(|lane| scope.spawn(lane));
        started.map(|lane| lane.join().unwrap_or_else(|_| Err("a step panicked".into())))
    });
    let errors: Vec<String> = outcomes.into_iter().filter_map(Outcome::err).collect();
    if errors.is_empty() { Ok(()) } else { Err(errors.join("\n")) }
}

/// Does something as a named step.
pub fn timed(name: &str, work: impl FnOnce() -> Outcome) -> Outcome {
    println!("== {name}");
    let start = Instant::now();
    let outcome = work();
    let seconds = start.elapsed().as_secs_f64();
    let word = if outcome.is_ok() { "passed" } else { "failed" };
    println!("== {name}: {word}, {seconds:.0} s");
    note(name, word.to_owned(), seconds);
    outcome
}

/// Says that a step is not run, and why.
pub fn left_out(name: &str, why: &str) {
    // A row of a table is one line.
    let outcome = format!("not run: {}", why.trim().replace('\n', "; "));
    println!("== {name}: {outcome}");
    note(name, outcome, 0.0);
}

fn note(name: &str, outcome: String, seconds: f64) {
    let step = Step { name: name.to_owned(), outcome, seconds };
    STEPS.lock().unwrap_or_else(PoisonError::into_inner).push(step);
}

/// A table in Markdown of the steps so far: what became of each, the longest first, and the seconds since `start`, in
/// which some were run at the same time.
pub fn steps(start: Instant) -> String {
    let mut steps = STEPS.lock().unwrap_or_else(PoisonError::into_inner).clone();
    steps.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    let row = |Step { name, outcome, seconds }: &Step| format!("| {name} | {outcome} | {seconds:.0} |\n");
    let rows: String = steps.iter().map(row).collect();
    format!("| step | outcome | seconds |\n|---|---|---|\n{rows}| all | | {:.0} |\n", start.elapsed().as_secs_f64())
}

/// Prints what to export so that cargo and programs find libtorch. `--into DIR` installs it in a folder, whatever else
/// is found; `--config DIR` writes what cargo needs into a folder's `.cargo/config.toml` instead of printing it.
pub(crate) fn libtorch(options: &[String]) -> Outcome {
    let (mut into, mut config) = (None, None);
    for option in options.chunks(2) {
        match option {
            [name, folder] if name == "--into" => into = Some(Path::new(folder)),
            [name, folder] if name == "--config" => config = Some(Path::new(folder)),
            found => return Err(format!("expected --into DIR or --config DIR, found {found:?}")),
        }
    }
    let libtorch = into.map_or_else(Libtorch::find_or_install, Libtorch::install)?;
    match config {
        Some(folder) => libtorch.configure(folder),
        None => {
            println!("{}", libtorch.exports());
            Ok(())
        }
    }
}

/// Returns the python of the environment in a folder. Unless it was made there for the same `version`, pip is called
/// with `arguments` first, and `notice` tells the user what is installed.
pub fn venv(folder: &Path, version: &str, notice: &str, arguments: &[&str]) -> Outcome<PathBuf> {
    libtorch::venv(folder, version, notice, arguments)
}

/// Lets rustup install the standard library of a target where the toolchain lacks it.
pub(crate) fn install_target(target: &str) -> Outcome {
    let sysroot = says("rustc", &["--print", "sysroot"]);
    let is_there = |sysroot: String| Path::new(sysroot.trim()).join("lib/rustlib").join(target).is_dir();
    if sysroot.is_some_and(is_there) { Ok(()) } else { run(Command::new("rustup").args(["target", "add", target])) }
}

/// Installs Debian's packages as root; otherwise an error says what to install.
pub(crate) fn install(packages: &[&str]) -> Outcome {
    let names = packages.join(" ");
    let root = says("id", &["-u"]).is_some_and(|id| id.trim() == "0");
    if !root || !exists("apt-get") {
        return Err(format!("not all of {names} are installed; please install them (Debian: apt-get install {names})"));
    }
    eprintln!("installing {names} with apt-get");
    let apt = |arguments: &[&str]| {
        run(Command::new("apt-get").args(arguments).env("DEBIAN_FRONTEND", "noninteractive").stdout(Stdio::null()))
    };
    let install = [&["install", "-y", "--no-install-recommends"], packages].concat();
    apt(&install).or_else(|_| apt(&["update"]).and_then(|()| apt(&install)))
}

/// Whether a program is installed.
pub(crate) fn exists(program: &str) -> bool {
    says(program, &["--version"]).is_some()
}

/// What a program prints, if it is installed and succeeds.
pub(crate) fn says(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Returns the paths of all files, relative to the folder and in order; leaves out hidden folders and `target`.
pub fn paths(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let mut paths = Vec::new();
    list(folder, Path::new(""), &mut paths).map_err(|error| format!("{}: {error}", folder.display()))?;
    paths.sort();
    Ok(paths)
}

fn list(folder: &Path, below: &Path, paths: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder.join(below))? {
        let entry = entry?;
        let (name, path) = (entry.file_name(), below.join(entry.file_name()));
        if !entry.file_type()?.is_dir() {
            paths.push(path);
        } else if name != "target" && !name.to_string_lossy().starts_with('.') {
            list(folder, &path, paths)?;
        }
    }
    Ok(())
}

/// Returns paths and contents of the files whose path passes the filter.
pub fn contents(folder: &Path, filter: impl Fn(&Path) -> bool) -> Outcome<BTreeMap<PathBuf, Vec<u8>>> {
    let read = |path: PathBuf| {
        let file = folder.join(&path);
        fs::read(&file).map_err(|error| format!("{}: {error}", file.display())).map(|bytes| (path, bytes))
    };
    paths(folder)?.into_iter().filter(|path| filter(path)).map(read).collect()
}
