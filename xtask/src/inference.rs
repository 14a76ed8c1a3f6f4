//! `cargo xtask inference`: `examples/inference`, a workspace of its own that builds below this one's `target/`:
//! exports a network for each shape, has two engines answer, and compares them.

use crate::libtorch::{Libtorch, venv};
use crate::python::CUDA_STUBS;
use crate::run::{Outcome, cargo, paths, root, run, step, target};
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What exports, and ONNX Runtime, whose library the program loads.
const PACKAGES: [&str; 9] = [
    "numpy==2.4.6",
    "onnx==1.23.2",
    "onnxruntime==1.32.0",
    "onnxscript==0.7.2",
    "safetensors",
    "sympy",
    "networkx",
    "filelock",
    "typing_extensions",
];

/// Builds and runs it. `--data FILE` is a store, else 200 molecules are generated; `--weights FILE` is what
/// `cargo xtask train --resume FILE` saved, else weights are random.
pub(crate) fn inference(options: &[String]) -> Outcome {
    let (mut data, mut weights) = (None, vec!["--random".into(), "0".into()]);
    // Programs run in folders of their own.
    let absolute = |path: &String| {
        let here = env::current_dir().map_err(|error| error.to_string())?;
        Ok::<_, String>(here.join(path).display().to_string())
    };
    for option in options.chunks(2) {
        match option {
            [name, file] if name == "--data" => data = Some(["--data".into(), absolute(file)?]),
            [name, file] if name == "--weights" => weights = vec!["--weights".into(), absolute(file)?],
            found => return Err(format!("inference: expected --data FILE or --weights FILE, found {found:?}")),
        }
    }
    let python = python(&Libtorch::find_or_install()?)?;
    for arguments in [&["fmt", "--check"][..], &["clippy", "--quiet", "--release", "--", "-D", "warnings"]] {
        step(&format!("inference {}", arguments[0]), &mut inside(arguments))?;
    }
    step("inference build", &mut inside(&["build", "--release"]))?;
    let program = target().join("inference/release/graphpack-inference");
    let folder = target().join("inference/models");
    let mut prepare = Command::new(&program);
    let prepared = prepare.arg("prepare").arg(&folder).args(data.iter().flatten()).output();
    let prepared = prepared.map_err(|error| format!("cannot run {}: {error}", program.display()))?;
    if !prepared.status.success() {
        return Err(String::from_utf8_lossy(&prepared.stderr).trim_end().to_owned());
    }
    let shapes = String::from_utf8_lossy(&prepared.stdout);
    let mut export = Command::new(&python);
    export.arg(root().join("examples/inference/export.py")).arg(&folder).args(weights).args(shapes.split_whitespace());
    step("inference export", export.env("OMP_NUM_THREADS", "1"))?;
    let mut table = Command::new(&program);
    step("inference", table.arg("table").arg(&folder).env("ORT_DYLIB_PATH", library(&packages())?))
}

/// A python with [`PACKAGES`], which are installed once, and with the torch of `libtorch`.
pub(crate) fn python(libtorch: &Libtorch) -> Outcome<PathBuf> {
    let python = venv(&packages(), &PACKAGES.join(" "), "what exports networks", &PACKAGES)?;
    run(Command::new(&python).args(["-c", CUDA_STUBS]).arg(libtorch.folder()))?;
    Ok(python)
}

fn packages() -> PathBuf {
    target().join("inference/python")
}

/// Makes a command of cargo run in the example's folder.
fn inside(arguments: &[&str]) -> Command {
    let mut command = cargo(arguments);
    command.current_dir(root().join("examples/inference")).env("CARGO_TARGET_DIR", target().join("inference"));
    command
}

/// ONNX Runtime's shared library, which pip has installed.
fn library(packages: &Path) -> Outcome<PathBuf> {
    let is_library = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        ["libonnxruntime.so", "libonnxruntime.1", "onnxruntime.dll"].iter().any(|known| name.starts_with(known))
    };
    let found = paths(packages)?.into_iter().find(is_library).map(|path| packages.join(path));
    found.ok_or_else(|| format!("{}: expected libonnxruntime, found none", packages.display()))
}
