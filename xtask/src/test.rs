//! `cargo xtask test`: what CI runs.

use crate::check::{adapters, circles, dependencies, firmware, i686, model, outside, python, text};
use crate::lab;
use crate::run::{Outcome, cargo, root, step, target};
use crate::tools::board::Board;
use crate::tools::libtorch::Libtorch;
use crate::tools::mpi::Mpi;
use std::env;
use std::path::Path;
use std::process::Command;

/// All but `graphpack-partition/mpi`, which takes an MPI library and libclang: it is compiled where these are, and
/// `cargo xtask mpi` tests it.
pub const FEATURES: &str = "graphpack/tch,graphpack-core/alloc,graphpack-core/serde,graphpack-loader/tracing,\
    graphpack-partition/metis,graphpack-partition/parquet,graphpack-tch/cuda-graphs";

/// The compiler's warnings about the C++ shim are errors, as clippy's are.
const DENIED: [(&str, &str); 1] = [("GRAPHPACK_DENY_WARNINGS", "1")];

/// Runs each check, the cheap ones first, and stops at the first that fails.
pub(crate) fn all() -> Outcome {
    println!("== circles and texts");
    circles::check()?;
    text::check()?;
    dependencies::check()?;
    step("formatting", &mut cargo(["fmt", "--all", "--check"]))?;
    step("core without std and alloc", &mut cargo(["build", "-p", "graphpack-core", "--no-default-features"]))?;
    let bare = ["clippy", "-p", "graphpack-formats", "--no-default-features", "--", "-D", "warnings"];
    step("formats without features", &mut cargo(bare))?;
    let libtorch = Libtorch::find_or_install()?;
    let with_libtorch = |name: &str, arguments: &[&str], extra: Option<(&str, &str)>| {
        let mut command = cargo(arguments);
        libtorch.apply(&mut command);
        command.envs(extra).envs(DENIED);
        // Tests of examples run those that they have been built with.
        command.env("GRAPHPACK_EXAMPLES", target().join("debug/examples"));
        step(name, &mut command)
    };
    let workspace = ["--workspace", "--features", FEATURES];
    let clippy = [&["clippy", "--all-targets"], &workspace[..], &["--", "-D", "warnings"]].concat();
    with_libtorch("clippy", &clippy, None)?;
    // CI services set the variable.
    let ci = env::var_os("CI").is_some();
    match Mpi::find_or_install() {
        Ok(mpi) => {
            let mut clippy =
                cargo(["clippy", "-p", "graphpack-partition", "--features", "mpi", "--", "-D", "warnings"]);
            mpi.apply(&mut clippy);
            step("dispatch over MPI", &mut clippy)?;
        }
        Err(why) if !ci => println!("== dispatch over MPI: SKIPPED, it cannot be compiled here\n{why}"),
        Err(why) => return Err(why),
    }
    let documentation = [&["doc", "--no-deps"], &workspace[..]].concat();
    with_libtorch("documentation", &documentation, Some(("RUSTDOCFLAGS", "-D warnings")))?;
    with_libtorch("tests", &[&["test"], &workspace[..]].concat(), None)?;
    model::check()?;
    // The program that the tests have built: alone, cargo would build it again, with fewer features of others' packages.
    let mut quickstart = Command::new(target().join("debug/examples/quickstart"));
    libtorch.apply(&mut quickstart);
    step("quickstart", quickstart.current_dir(root()))?;
    outside::test()?;
    if Path::new("/dev/nvidiactl").exists() {
        let on_gpu = [&["test"], &workspace[..], &["--test", "on_gpu", "--", "--ignored"]].concat();
        with_libtorch("tests on the GPU", &on_gpu, None)?;
    }
    lab::test(&libtorch, DENIED)?;
    // Fresh builds of burn and of the wheel take minutes.
    if ci {
        adapters::test()?;
        python::test()?;
    } else {
        println!(
            "== adapters, python: SKIPPED as CI is not set; `cargo xtask adapters` and `cargo xtask python` run them"
        );
    }
    match i686::install() {
        Ok(()) => i686::test()?,
        Err(why) => println!("== core's tests on i686: SKIPPED, the target cannot be installed: {why}"),
    }
    // The command that the tests have built; by itself it would be built again, with fewer features of what it uses.
    let graphpack = target().join("debug").join(format!("graphpack{}", env::consts::EXE_SUFFIX));
    match Board::find_or_install() {
        // Without an emulator the other tests still count, but not on CI.
        Err(why) if !ci => {
            println!("== firmware: SKIPPED, there is no board to run it on\n{why}");
            Ok(())
        }
        board => firmware::test(&board?, Command::new(graphpack)),
    }
}
