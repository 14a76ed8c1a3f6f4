//! `cargo xtask python`: tests, types and stubs of the Python package. `cargo xtask release --check` makes its wheel.

use crate::libtorch::{Libtorch, venv};
use crate::run::{Outcome, at_once, root, run, step, target};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

/// What builds the wheel, what tests the package, what torch needs to be imported, and the libraries that batches are
/// handed to.
const PACKAGES: [&str; 13] = [
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
    "optax==0.2.8",
    "psutil",
];
/// Makes torch importable where CUDA's libraries are not installed.
pub(crate) const CUDA_STUBS: &str = include_str!("cuda_stubs.py");

/// Returns a python with [`PACKAGES`], which are installed once below `target/`.
pub(crate) fn install() -> Outcome<PathBuf> {
    venv(&target().join("python"), &PACKAGES.join(" "), "what the Python package is tested with", &PACKAGES)
}

/// Tests the package: its files and the library that the workspace's build has made, beside each other as in a wheel.
pub(crate) fn test(libtorch: &Libtorch) -> Outcome {
    let python = install()?;
    run(Command::new(&python).args(["-c", CUDA_STUBS]).arg(libtorch.folder()))?;
    let (sources, module) = (root().join("loader/python"), target().join("python/module"));
    let package = module.join("graphpack_loader");
    lay_out(&sources.join("python/graphpack_loader"), &package)
        .map_err(|error| format!("{}: {error}", package.display()))?;
    let of_module = |arguments: &[&str]| {
        let mut command = Command::new(&python);
        command.args(arguments).current_dir(&sources).env("PYTHONPATH", &module).env("MYPYPATH", &module);
        command.env("OMP_NUM_THREADS", "1");
        command
    };
    let mut tests = of_module(&["-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider"]);
    tests.env("GRAPHPACK_RUST_BATCHES", target().join("debug/examples/batches"));
    let mut types = of_module(&["-m", "mypy", "--cache-dir"]);
    types.arg(target().join("python/mypy"));
    let stubtest = ["-m", "mypy.stubtest", "--mypy-config-file", "stubs.ini", "--allowlist", "stubs.allow"];
    let mut stubs = of_module(&stubtest);
    stubs.arg("graphpack_loader");
    at_once([
        Box::new(|| step("python tests", &mut tests)),
        Box::new(|| step("python types", &mut types)),
        Box::new(|| step("python stubs", &mut stubs)),
    ])
}

/// Copies the files of the package into a new folder, and the library to them, but no library that maturin has left.
fn lay_out(files: &Path, package: &Path) -> io::Result<()> {
    let _ = fs::remove_dir_all(package);
    fs::create_dir_all(package)?;
    for file in fs::read_dir(files)? {
        let path = file?.path();
        let is_built = path.extension() == Some("so".as_ref());
        if let Some(name) = path.file_name().filter(|_| path.is_file() && !is_built) {
            fs::copy(&path, package.join(name))?;
        }
    }
    let library = format!("{}_graphpack{}", env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX);
    fs::copy(target().join("debug").join(library), package.join("_graphpack.abi3.so")).map(drop)
}
