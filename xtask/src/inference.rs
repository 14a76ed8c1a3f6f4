//! `cargo xtask inference`: `examples/inference`, a workspace of its own that builds below this one's `target/`:
//! exports a network for each shape, has two engines answer, and compares them. Without data of the user it is a check:
//! ONNX Runtime answers here, tract as an emulated edge computer.

use crate::libtorch::{Libtorch, venv};
use crate::python::CUDA_STUBS;
use crate::run::{Outcome, cargo, exists, install, install_target, paths, root, run, step, target};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

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

/// Measures both engines on a store of `--data FILE`, with the weights of `--weights FILE`, which
/// `cargo xtask train --resume FILE` saved, else with random ones. Without `--data` checks all on generated graphs.
pub(crate) fn inference(options: &[String]) -> Outcome {
    let (mut data, mut weights) = (None, None);
    // Programs run in folders of their own.
    let absolute = |path: &String| {
        let here = env::current_dir().map_err(|error| error.to_string())?;
        Ok::<_, String>(here.join(path).display().to_string())
    };
    for option in options.chunks(2) {
        match option {
            [name, file] if name == "--data" => data = Some(absolute(file)?),
            [name, file] if name == "--weights" => weights = Some(absolute(file)?),
            found => return Err(format!("inference: expected --data FILE or --weights FILE, found {found:?}")),
        }
    }
    match (data, weights) {
        (Some(data), weights) => {
            let engines = Engines::build(&["--release"])?;
            engines.table(&engines.export("data", &["--data", &data], weights.as_deref())?)
        }
        (None, None) => check(),
        (None, Some(_)) => Err("inference: expected --data FILE beside --weights, found none".into()),
    }
}

/// Lints each engine alone and both; then each answers generated graphs: ONNX Runtime here, tract on an edge computer,
/// so that each is compiled once.
fn check() -> Outcome {
    step("inference formatting", &mut inside(&["fmt", "--check"]))?;
    for engines in ["ort,tract", "ort", "tract"] {
        let clippy = ["clippy", "--quiet", "--no-default-features", "--features", engines, "--", "-D", "warnings"];
        step(&format!("inference clippy: {engines}"), &mut inside(&clippy))?;
    }
    let engines = Engines::build(&["--no-default-features", "--features", "ort"])?;
    let edge = Edge::build()?;
    for sample in ["molecules", "structures"] {
        let folder = engines.export(sample, &["--sample", sample], None)?;
        engines.table(&folder)?;
        // Structures would take the emulator a minute and a half.
        if sample == "molecules" {
            edge.rows(&folder)?;
        }
    }
    Ok(())
}

/// The program on this machine, and what it needs.
struct Engines {
    program: PathBuf,
    python: PathBuf,
    /// ONNX Runtime's.
    library: PathBuf,
}

impl Engines {
    fn build(options: &[&str]) -> Outcome<Self> {
        let python = python(&Libtorch::find_or_install()?)?;
        step("inference build", &mut inside(&[&["build"], options].concat()))?;
        let profile = if options.contains(&"--release") { "release" } else { "debug" };
        let program = target().join("inference").join(profile).join("graphpack-inference");
        Ok(Self { program, python, library: library(&packages())? })
    }

    /// Writes graphs, models and PyTorch's answers into a folder, and returns it. Without `weights` they are random.
    fn export(&self, name: &str, graphs: &[&str], weights: Option<&str>) -> Outcome<PathBuf> {
        let folder = target().join("inference").join(name);
        let prepared = Command::new(&self.program).arg("prepare").arg(&folder).args(graphs).output();
        let prepared = prepared.map_err(|error| format!("cannot run {}: {error}", self.program.display()))?;
        if !prepared.status.success() {
            return Err(String::from_utf8_lossy(&prepared.stderr).trim_end().to_owned());
        }
        let models = String::from_utf8_lossy(&prepared.stdout);
        let mut export = Command::new(&self.python);
        let weights = weights.map_or(["--random", "0"], |file| ["--weights", file]);
        export.arg(root().join("examples/inference/export.py")).arg(&folder).args(weights);
        export.args(models.split_whitespace()).env("OMP_NUM_THREADS", "1");
        step(&format!("inference export: {name}"), &mut export)?;
        Ok(folder)
    }

    fn table(&self, folder: &Path) -> Outcome {
        let mut table = Command::new(&self.program);
        step("inference", table.arg("table").arg(folder).env("ORT_DYLIB_PATH", &self.library))
    }
}

/// The program for a computer with a 64-bit Arm processor: static, with tract alone.
struct Edge(PathBuf);

impl Edge {
    const TARGET: &str = "aarch64-unknown-linux-musl";
    const EMULATOR: &str = "qemu-aarch64";
    /// Assembles tract's kernels. The linker is that of the compiler, which has musl, too.
    const ASSEMBLER: &str = "aarch64-linux-gnu-gcc";

    fn build() -> Outcome<Self> {
        for (program, package) in [(Self::EMULATOR, "qemu-user"), (Self::ASSEMBLER, "gcc-aarch64-linux-gnu")] {
            if !exists(program) {
                install(&[package])?;
            }
        }
        install_target(Self::TARGET)?;
        let mut build = inside(&["build", "--no-default-features", "--features", "tract", "--target", Self::TARGET]);
        // Flags of the environment would take the place of the target's.
        build.env_remove("RUSTFLAGS").env("CC_aarch64_unknown_linux_musl", Self::ASSEMBLER);
        let linker = "-C linker=rust-lld -C linker-flavor=ld.lld";
        step("inference build: edge", build.env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_RUSTFLAGS", linker))?;
        let program = target().join("inference").join(Self::TARGET).join("debug/graphpack-inference");
        let size = fs::metadata(&program).map_err(|error| format!("{}: {error}", program.display()))?.len();
        println!("{}: one static program of {:.1} MB", Self::TARGET, size as f64 / 1e6);
        Ok(Self(program))
    }

    /// Prints rows of the table of a folder. The emulator has no files of the target: a program that loads a shared
    /// library fails. Memory is that of the program and of what the emulator translates.
    fn rows(&self, folder: &Path) -> Outcome {
        for sums in ["scatter", "matrix"] {
            // The processor of a Raspberry Pi 4.
            let mut row = Command::new(Self::EMULATOR);
            row.args(["-cpu", "cortex-a72"]).arg(&self.0).arg("row").arg(folder).args(["tract", sums, "packs8"]);
            step(&format!("inference on an edge computer: {sums}"), &mut row)?;
        }
        Ok(())
    }
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
