//! `cargo xtask lab bundle`: tests and times on a GPU as one folder, for machines that have torch but no Rust.

use super::files;
use serde_json::Value;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use xtask::run::{self, Outcome, cargo, paths, root, target};

/// Scripts of the laboratory, and their names in the bundle.
const FILES: [(&str, &str); 2] = [("gpu/run.sh", "run.sh"), ("gpu/gpu_pyg.py", "peers/gpu_pyg.py")];
/// Builds the tests on a GPU without running them, and says where.
const TESTS: [&str; 6] = ["test", "--quiet", "--workspace", "--test=on_gpu", "--no-run", "--message-format=json"];
/// The largest size allowed, in bytes.
const MOST: u64 = 52_000_000;

/// The programs of a bundle.
struct Programs {
    /// `gpu_bench`.
    bench: PathBuf,
    /// The tests on a GPU.
    tests: PathBuf,
}

/// Makes the bundle. With the option `--try`, of the programs that `cargo xtask ci` has built, since building them
/// for release takes minutes; then all stages run for a moment on the CPU, from another folder, with nothing but a
/// python3 that has torch.
pub(crate) fn run(options: &[String]) -> Outcome {
    match options {
        [] => {
            let bundle = make(&Programs::released()?)?;
            let bytes = paths(&bundle)?.into_iter().map(|path| fs::metadata(bundle.join(path)).map(|file| file.len()));
            let bytes = bytes.sum::<Result<u64, _>>().map_err(|error| format!("{}: {error}", bundle.display()))?;
            if bytes > MOST {
                return Err(format!("{} has {bytes} bytes, at most {MOST} are allowed", bundle.display()));
            }
            println!("{}: {:.1} MB; its ./run.sh tests and measures", bundle.display(), bytes as f64 / 1e6);
            Ok(())
        }
        [option] if option == "--try" => try_all(&make(&Programs::of_tests()?)?),
        found => Err(format!("expected --try or nothing, found {found:?}")),
    }
}

impl Programs {
    fn released() -> Outcome<Self> {
        let release = ["build", "--quiet", "--release", "--config", "profile.release.strip=true"];
        run::run(cargo(release).args(["--bin", "gpu_bench"]).current_dir(root().join("examples/laboratory")))?;
        let mut tests = cargo(TESTS);
        tests.args(&release[2..]);
        Ok(Self { bench: target().join("release/gpu_bench"), tests: built(&mut tests)? })
    }

    fn of_tests() -> Outcome<Self> {
        Ok(Self { bench: target().join("debug/gpu_bench"), tests: built(&mut cargo(TESTS))? })
    }
}

/// Builds the program of tests that [`TESTS`] names; returns its file.
fn built(build: &mut Command) -> Outcome<PathBuf> {
    let output = build.stderr(Stdio::inherit()).output().map_err(|error| format!("cannot run cargo: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let messages = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let program = messages.filter_map(|message| message["executable"].as_str().map(PathBuf::from)).next_back();
    program.filter(|_| output.status.success()).ok_or_else(|| format!("{build:?}: {}", output.status))
}

/// Makes the folder `target/bundle`.
fn make(programs: &Programs) -> Outcome<PathBuf> {
    let bundle = target().join("bundle");
    let _ = fs::remove_dir_all(&bundle);
    for folder in ["data", "peers"] {
        let folder = bundle.join(folder);
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    copy(&programs.bench, &bundle.join("gpu_bench"))?;
    copy(&programs.tests, &bundle.join("on_gpu"))?;
    for (from, to) in FILES {
        copy(&root().join("examples/laboratory").join(from), &bundle.join(to))?;
    }
    let mut prepare = Command::new(bundle.join("gpu_bench"));
    prepare.arg("prepare").arg(bundle.join("data"));
    // Real data sets where there are any, else generated ones.
    let data = files::data();
    let (molhiv, qm9) = (data.join("ogb_raw/ogbg_molhiv"), data.join("qm9"));
    if molhiv.is_dir() && qm9.is_dir() {
        prepare.arg("--ogb").arg(molhiv).arg("--data").arg(qm9.join("qm9_10k.xyz.gz"));
        prepare.arg("--targets").arg(qm9.join("qm9_10k_targets.csv.gz")).args(["--target", "binding_energy"]);
    } else {
        eprintln!("no data sets in {} (GRAPHPACK_DATA): the bundle has generated ones", data.display());
    }
    run::run(&mut prepare)?;
    Ok(bundle)
}

fn try_all(bundle: &Path) -> Outcome {
    let elsewhere = env::temp_dir().join(format!("graphpack-bundle-{}", std::process::id()));
    let _ = fs::remove_dir_all(&elsewhere);
    let result = run::run(Command::new("cp").arg("-r").arg(bundle).arg(&elsewhere)).and_then(|()| {
        let mut stages = Command::new(elsewhere.join("run.sh"));
        stages.args(["cpu", "--quick"]).env_remove("LD_LIBRARY_PATH").current_dir("/");
        // The python that has this torch among its packages, if that is a virtual environment.
        let libtorch = env::var_os("LIBTORCH").map(PathBuf::from);
        let python = libtorch.as_deref().and_then(|folder| Some(folder.ancestors().nth(4)?.join("bin")));
        if let Some(folder) = python.filter(|folder| folder.join("python3").exists()) {
            let path = env::var_os("PATH").unwrap_or_default();
            let path = env::join_paths([folder].into_iter().chain(env::split_paths(&path)));
            stages.env("PATH", path.map_err(|error| error.to_string())?).env_remove("LIBTORCH");
        }
        run::run(&mut stages)
    });
    let _ = fs::remove_dir_all(&elsewhere);
    result
}

fn copy(from: &Path, to: &Path) -> Outcome {
    fs::copy(from, to).map(drop).map_err(|error| format!("{} to {}: {error}", from.display(), to.display()))
}
