//! `cargo xtask bundle`: the GPU benchmark as one folder, for machines that have torch but no Rust.

use crate::check::tree::paths;
use crate::compare::worth::bundled;
use crate::files;
use crate::run::{self, Outcome, cargo, root, target};
use crate::tools::libtorch::Libtorch;
use serde_json::Value;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const PROGRAMS: [&str; 3] = ["batching_study", "gpu_bench", "train"];
/// Scripts of the repository, and their names in the bundle.
const FILES: [(&str, &str); 3] = [
    ("examples/gpu_bench/run.sh", "run.sh"),
    ("examples/gpu_bench/worth.sh", "worth.sh"),
    ("xtask/peers/gpu_pyg.py", "peers/gpu_pyg.py"),
];
/// Builds the tests on a GPU without running them, and says where.
const TESTS: [&str; 6] = ["test", "--quiet", "--workspace", "--test=on_gpu", "--no-run", "--message-format=json"];
/// The largest size allowed, in bytes.
const MOST: u64 = 52_000_000;

/// Makes the bundle.
pub(crate) fn run() -> Outcome {
    let libtorch = Libtorch::find_or_install()?;
    let mut build =
        cargo(["build", "--quiet", "--release", "--features", "tch", "--config", "profile.release.strip=true"]);
    build.args(PROGRAMS.iter().flat_map(|program| ["--example", program]));
    libtorch.apply(&mut build);
    run::run(&mut build)?;
    let options = ["--release", "--config", "profile.release.strip=true", "--features", "graphpack-tch/cuda-graphs"];
    let mut tests = cargo(TESTS);
    libtorch.apply(tests.args(options));
    let tests = built(&mut tests)?;
    let bundle = make(&libtorch, &target().join("release/examples"), &tests)?;
    let sizes = paths(&bundle)?.into_iter().map(|path| fs::metadata(bundle.join(path)).map(|metadata| metadata.len()));
    let bytes = sizes.sum::<Result<u64, _>>().map_err(|error| format!("{}: {error}", bundle.display()))?;
    if bytes > MOST {
        return Err(format!("{} has {bytes} bytes, at most {MOST} are allowed", bundle.display()));
    }
    println!("{}: {:.1} MB; its ./run.sh checks and measures", bundle.display(), bytes as f64 / 1e6);
    Ok(())
}

/// Builds the program of tests that [`TESTS`] names; returns its file.
fn built(build: &mut Command) -> Outcome<PathBuf> {
    let output = build.stderr(Stdio::inherit()).output().map_err(|error| format!("cannot run cargo: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let messages = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let program = messages.filter_map(|message| message["executable"].as_str().map(PathBuf::from)).next_back();
    program.filter(|_| output.status.success()).ok_or_else(|| format!("{build:?}: {}", output.status))
}

/// Makes the folder `target/bundle` of the programs in a folder and of the tests on a GPU.
fn make(libtorch: &Libtorch, programs: &Path, tests: &Path) -> Outcome<PathBuf> {
    let bundle = target().join("bundle");
    let _ = fs::remove_dir_all(&bundle);
    for folder in ["data", "peers"] {
        let folder = bundle.join(folder);
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    for program in PROGRAMS {
        copy(&programs.join(program), &bundle.join(program))?;
    }
    copy(tests, &bundle.join("on_gpu"))?;
    for (from, to) in FILES {
        copy(&root().join(from), &bundle.join(to))?;
    }
    let mut prepare = Command::new(bundle.join("gpu_bench"));
    libtorch.apply(&mut prepare);
    prepare.arg("prepare").arg(bundle.join("data"));
    // Real data sets where there are any, else generated ones.
    let data = files::data();
    let (molhiv, qm9) = (data.join("ogb_raw/ogbg_molhiv"), data.join("qm9"));
    if molhiv.is_dir() && qm9.is_dir() {
        prepare.arg("--ogb").arg(molhiv).arg("--data").arg(qm9.join("qm9_10k.xyz.gz"));
        prepare.arg("--targets").arg(qm9.join("qm9_10k_targets.csv.gz")).args(["--target", "binding_energy"]);
        let mut raw = Command::new("cp");
        raw.args(["-rL", "--no-preserve=mode", "--parents"]).args(bundled::data());
        run::run(raw.arg(bundle.join("data")).current_dir(&data))?;
        let list = bundle.join("worth.txt");
        fs::write(&list, bundled::runs(Path::new("data"))).map_err(|error| format!("{}: {error}", list.display()))?;
    } else {
        eprintln!("no data sets in {} (GRAPHPACK_DATA): the bundle has generated ones", data.display());
    }
    run::run(&mut prepare)?;
    Ok(bundle)
}

/// Makes the bundle of the tests' programs, built with these features and variables, since building them for release takes minutes, and
/// runs its stages on the CPU, from another folder, with nothing but a python3 that has torch.
pub(crate) fn test(libtorch: &Libtorch, features: &str, variables: [(&str, &str); 1]) -> Outcome {
    let mut tests = cargo(TESTS);
    libtorch.apply(tests.args(["--features", features]).envs(variables));
    let bundle = make(libtorch, &target().join("debug/examples"), &built(&mut tests)?)?;
    let elsewhere = env::temp_dir().join(format!("graphpack-bundle-{}", std::process::id()));
    let _ = fs::remove_dir_all(&elsewhere);
    let result = run::run(Command::new("cp").arg("-r").arg(&bundle).arg(&elsewhere)).and_then(|()| {
        let mut checks = Command::new(elsewhere.join("run.sh"));
        checks.args(["cpu", "--quick"]).env_remove("LD_LIBRARY_PATH").env_remove("LIBTORCH").current_dir("/");
        match libtorch.python() {
            Some(folder) => {
                let path = env::var_os("PATH").unwrap_or_default();
                let path = env::join_paths([folder].into_iter().chain(env::split_paths(&path)));
                checks.env("PATH", path.map_err(|error| error.to_string())?);
            }
            None => {
                checks.env("LIBTORCH", libtorch.folder());
            }
        }
        run::run(&mut checks)
    });
    let _ = fs::remove_dir_all(&elsewhere);
    result
}

fn copy(from: &Path, to: &Path) -> Outcome {
    fs::copy(from, to).map(drop).map_err(|error| format!("{} to {}: {error}", from.display(), to.display()))
}
