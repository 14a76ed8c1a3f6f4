//! `cargo xtask ci`: what CI runs beside `cargo test`.

use crate::firmware::{Board, HOST};
use crate::large_graphs::Mpi;
use crate::libtorch::Libtorch;
use crate::run::{self, Outcome, UNLINKED, at_once, cargo, left_out, root, step, target, timed};
use crate::{examples, firmware, outside, python};
use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::Instant;

/// All packages of the workspace, with what takes libtorch. Other features are as `cargo test` has them: what it has
/// built is built. `graphpack-partition/mpi` takes an MPI library and libclang: it is compiled where these are, and
/// `cargo xtask mpi` tests it.
const WORKSPACE: [&str; 3] = ["--workspace", "--features", "graphpack/tch"];

/// The packages that `cargo test` does not test.
const OTHERS: [&str; 7] = [
    "--workspace",
    "--exclude=graphpack",
    "--exclude=graphpack-core",
    "--exclude=graphpack-loader",
    "--exclude=graphpack-formats",
    "--exclude=graphpack-partition",
    "--exclude=graphpack-cli",
];

/// The tests beside those of the default packages that take libtorch. The command is there for its features.
const MODELS: [&str; 5] =
    ["-pgraphpack", "-pgraphpack-cli", "--features=graphpack/tch", "--test=models", "--no-fail-fast"];

/// The compiler's warnings about the C++ shim are errors, as clippy's are.
const DENIED: [(&str, &str); 1] = [("GRAPHPACK_DENY_WARNINGS", "1")];

/// The examples that tests run; `batches` belongs to the Python package, whose tests run it.
const EXAMPLES: [&str; 6] = ["batches", "directional", "forces", "large_graph", "train", "typed"];
/// The programs that checks run.
const PROGRAMS: [&str; 3] = ["graphpack", "graphpack-quickstart", HOST];

/// Runs each check, the cheap ones first. Where one fails, those after it are not run, but those beside it are. Prints
/// at the end what became of each: passed, failed, or not run and why.
pub(crate) fn all() -> Outcome {
    let start = Instant::now();
    let outcome = checks();
    print!("\n{}", run::steps(start));
    if outcome.is_err() {
        println!("Checks that come after one that failed were not run.");
    }
    outcome
}

fn checks() -> Outcome {
    // CI services set the variable.
    let ci = env::var_os("CI").is_some();
    // Downloads take minutes, in which little is computed here.
    let libtorch = thread::spawn(Libtorch::find_or_install);
    let tools = thread::spawn(|| (Mpi::find_or_install(), Board::find_or_install()));
    let packages = ci.then(|| thread::spawn(python::install));
    let clippy = [&["clippy", "--all-targets"], &WORKSPACE[..], &["--", "-D", "warnings"]].concat();
    let cheap = cheap();
    if cheap.is_ok() && !libtorch.is_finished() {
        timed("lints of what needs no libtorch", || lint_ahead(&clippy))?;
    }
    // Also after an error: an installation that went on would be in the way of the next one.
    let libtorch = joined("libtorch", libtorch)?;
    cheap?;
    let libtorch = libtorch?;
    let with_libtorch = |name: &str, arguments: &[&str], extra: Option<(&str, &str)>| {
        step(name, with_libtorch(&libtorch, arguments).envs(extra))
    };
    with_libtorch("clippy", &clippy, Some(UNLINKED))?;
    let documentation = [&["doc", "--no-deps"], &WORKSPACE[..]].concat();
    with_libtorch("documentation", &documentation, Some(("RUSTDOCFLAGS", "-D warnings")))?;
    build(&libtorch)?;
    let tests = [&["test", "--tests", "--no-fail-fast"], &OTHERS[..]].concat();
    let models = [&["test"], &MODELS[..]].concat();
    with_libtorch("building tests", &[&tests[..], &["--no-run"]].concat(), None)?;
    with_libtorch("building tests of models", &[&models[..], &["--no-run"]].concat(), None)?;
    // Tests leave a third of two processors idle, which the other checks use.
    let run_tests = || {
        with_libtorch("tests", &tests, None)?;
        with_libtorch("tests of models", &models, None)?;
        if Path::new("/dev/nvidiactl").exists() {
            let on_gpu = [&["test"], &OTHERS[..], &["--test", "on_gpu", "--", "--ignored"]].concat();
            with_libtorch("tests on the GPU", &on_gpu, None)?;
        } else {
            left_out("tests on the GPU", "there is no NVIDIA driver");
        }
        Ok(())
    };
    let on_real_data = || {
        let data =
            env::var_os("GRAPHPACK_DATA").map_or_else(|| root().join("../shared/data"), |path| root().join(path));
        if data.is_dir() {
            // Elsewhere these tests show as ignored.
            let real = ["test", "--tests", "--", "--ignored", "on_real_data"];
            with_libtorch("tests on real data", &real, None)
        } else {
            let why = format!("there is no folder {}; GRAPHPACK_DATA names another", data.display());
            left_out("tests on real data", &why);
            Ok(())
        }
    };
    // Tests on real data are run whatever becomes of the other checks.
    let run_others = || {
        let outcome = others(&libtorch, tools, packages);
        on_real_data().and(outcome)
    };
    at_once([Box::new(run_tests), Box::new(run_others)])
}

/// Checks that take seconds and need nothing but the compiler.
fn cheap() -> Outcome {
    step("formatting", &mut cargo(["fmt", "--all", "--check"]))?;
    // Tests and the firmware build programs of it.
    let core = ["clippy", "-p", "graphpack-core", "--no-default-features", "--", "-D", "warnings"];
    step("core without std and alloc", &mut cargo(core))
}

/// Lints what needs no libtorch, past the packages that do. Says nothing: all is said again where that of all is run.
fn lint_ahead(clippy: &[&str]) -> Outcome {
    let mut command = cargo(clippy.iter().take(1).chain(&["--keep-going"]).chain(&clippy[1..]));
    command.env_remove("LIBTORCH").env_remove("LIBTORCH_USE_PYTORCH").envs(DENIED).envs([UNLINKED]);
    let _ = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    Ok(())
}

/// What a thread has installed.
fn joined<T>(what: &str, thread: JoinHandle<T>) -> Outcome<T> {
    thread.join().map_err(|_| format!("the thread that installs {what} panicked"))
}

/// Runs the checks beside the tests of the workspace. What tests the Python package takes minutes and a gigabyte to
/// install: without CI there are no `packages`, and that package is left out.
fn others(
    libtorch: &Libtorch,
    tools: JoinHandle<(Outcome<Mpi>, Outcome<Board>)>,
    packages: Option<JoinHandle<Outcome<PathBuf>>>,
) -> Outcome {
    let ci = packages.is_some();
    let in_documentation = [&["test", "--quiet", "--doc"], &OTHERS[..]].concat();
    step("tests in documentation", &mut with_libtorch(libtorch, &in_documentation))?;
    // The program that was built above: alone, cargo would build it again, with fewer features of others' packages.
    step("quickstart", &mut Command::new(target().join("debug/graphpack-quickstart")))?;
    timed("a crate outside the workspace", outside::guide)?;
    examples::check_lab(libtorch)?;
    let elsewhere = ["lab test", "i686", "inference"].map(|name| (name, "in a job of its own"));
    for (name, when) in elsewhere.into_iter().chain(["adapters", "model"].map(|name| (name, "once a week"))) {
        left_out(name, &format!("{when}, by `cargo xtask {name}`"));
    }
    match packages {
        Some(packages) => {
            joined("packages of Python", packages)??;
            python::test(libtorch)?;
        }
        None => left_out("python", "CI is not set; `cargo xtask python` runs it"),
    }
    let (mpi, board) = joined("tools", tools)?;
    match mpi {
        Ok(mpi) => {
            let mut clippy =
                cargo(["clippy", "-p", "graphpack-partition", "--features", "mpi", "--", "-D", "warnings"]);
            mpi.apply(&mut clippy);
            step("dispatch over MPI", &mut clippy)?;
        }
        Err(why) if !ci => left_out("dispatch over MPI", &why),
        Err(why) => return Err(why),
    }
    match board {
        // Without an emulator the other tests still count, but not on CI.
        Err(why) if !ci => {
            left_out("firmware", &why);
            Ok(())
        }
        board => firmware::test(&board?),
    }
}

/// A command of cargo that builds or runs what needs libtorch.
fn with_libtorch(libtorch: &Libtorch, arguments: &[&str]) -> Command {
    let mut command = cargo(arguments);
    libtorch.apply(&mut command);
    // Tests of examples run those that they have been built with.
    command.envs(DENIED).env("GRAPHPACK_EXAMPLES", target().join("debug/examples"));
    // Threads of libtorch wait for each other: beside other work, tests of models took 119 s with two each, 78 with
    // one.
    command.env("OMP_NUM_THREADS", "1");
    command
}

/// Builds the libraries, that of the Python package among them, [`PROGRAMS`] and [`EXAMPLES`]; clippy has checked the
/// other examples.
fn build(libtorch: &Libtorch) -> Outcome {
    let programs = PROGRAMS.iter().flat_map(|program| ["--bin", program]);
    let examples = EXAMPLES.iter().flat_map(|example| ["--example", example]);
    let arguments: Vec<_> = ["build", "--lib"].into_iter().chain(WORKSPACE).chain(programs).chain(examples).collect();
    step("building libraries and examples", &mut with_libtorch(libtorch, &arguments))
}

/// Builds the Python package and tests it.
pub(crate) fn python() -> Outcome {
    let libtorch = Libtorch::find_or_install()?;
    build(&libtorch)?;
    python::test(&libtorch)
}
