//! `cargo xtask python`: the Python package, which is a workspace of its own: its wheel, its tests and its types.

use crate::run::{Outcome, cargo, root, run, step, target};
use crate::tools::libtorch::Libtorch;
use crate::tools::venv;
use std::fs;
use std::process::Command;

/// What builds the wheel and tests it, what torch needs to be imported, and the libraries that batches are handed to.
const PACKAGES: [&str; 12] = [
    "maturin==1.16.0",
    "numpy==2.4.6",
    "pytest==9.2.0",
    "mypy==2.4.1",
    "sympy",
    "networkx",
    "filelock",
    "typing_extensions",
    "torch_geometric==2.8.1",
    "jax==0.10.2",
    "jraph==0.0.6.dev0",
    "psutil",
];
/// Makes torch importable where CUDA's libraries are not installed.
const CUDA_STUBS: &str = include_str!("../tools/cuda_stubs.py");

/// Builds the wheel, installs it into an environment below `target/` that has the torch of [`Libtorch`], and tests it.
pub(crate) fn test() -> Outcome {
    step("python formatting", inside(&mut cargo(["fmt", "--check"])))?;
    let folder = target().join("python");
    let python =
        venv::find_or_install(&folder, &PACKAGES.join(" "), "what the Python package is tested with", &PACKAGES)?;
    step("python clippy", inside(&mut cargo(["clippy", "--quiet", "--all-targets", "--", "-D", "warnings"])))?;
    let of_venv = |arguments: &[&str]| {
        let mut command = Command::new(&python);
        command.args(arguments);
        command
    };
    let libtorch = Libtorch::find_or_install()?;
    run(of_venv(&["-c", CUDA_STUBS]).arg(libtorch.folder()))?;
    let wheels = folder.join("wheels");
    let _ = fs::remove_dir_all(&wheels);
    let mut build = of_venv(&["-m", "maturin", "build", "--quiet", "--out"]);
    step("python wheel", inside(build.arg(&wheels).arg("--interpreter").arg(&python)))?;
    let pip = ["-m", "pip", "install", "--quiet", "--force-reinstall", "--no-deps", "--no-index", "--find-links"];
    run(of_venv(&pip).arg(&wheels).arg("graphpack"))?;
    run(inside(&mut cargo(["build", "--quiet", "--example", "batches"])))?;
    let mut tests = of_venv(&["-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider"]);
    tests.env("GRAPHPACK_RUST_BATCHES", target().join("debug/examples/batches"));
    step("python tests", inside(&mut tests))?;
    let cache = folder.join("mypy");
    step("python types", inside(of_venv(&["-m", "mypy", "--cache-dir"]).arg(cache)))?;
    let stubs =
        ["-m", "mypy.stubtest", "--mypy-config-file", "pyproject.toml", "--allowlist", "stubs.allow", "graphpack"];
    step("python stubs", inside(&mut of_venv(&stubs)))
}

/// Makes a command run in the folder of the package, and build where the workspace does, whose dependencies serve again.
fn inside(command: &mut Command) -> &mut Command {
    let python = target().join("python/bin/python");
    command.current_dir(root().join("loader/python")).env("CARGO_TARGET_DIR", target()).env("PYO3_PYTHON", python)
}
