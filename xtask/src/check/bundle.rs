//! `cargo xtask bundle`: the GPU benchmark as one folder, for machines that have torch but no Rust.

use crate::check::tree::paths;
use crate::compare::worth::bundled;
use crate::files;
use crate::run::{self, Outcome, cargo, root, target};
use crate::tools::libtorch::Libtorch;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const PROGRAMS: [&str; 3] = ["batching_study", "gpu_bench", "train"];
/// Scripts of the repository, and their names in the bundle.
const FILES: [(&str, &str); 3] = [
    ("examples/gpu_bench/run.sh", "run.sh"),
    ("examples/gpu_bench/worth.sh", "worth.sh"),
    ("xtask/peers/gpu_pyg.py", "peers/gpu_pyg.py"),
];
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
    let bundle = make(&libtorch, &target().join("release/examples"))?;
    let sizes = paths(&bundle)?.into_iter().map(|path| fs::metadata(bundle.join(path)).map(|metadata| metadata.len()));
    let bytes = sizes.sum::<Result<u64, _>>().map_err(|error| format!("{}: {error}", bundle.display()))?;
    if bytes > MOST {
        return Err(format!("{} has {bytes} bytes, at most {MOST} are allowed", bundle.display()));
    }
    println!("{}: {:.1} MB; its ./run.sh checks and measures", bundle.display(), bytes as f64 / 1e6);
    Ok(())
}

/// Makes the folder `target/bundle` of the programs in a folder.
fn make(libtorch: &Libtorch, programs: &Path) -> Outcome<PathBuf> {
    let bundle = target().join("bundle");
    let _ = fs::remove_dir_all(&bundle);
    for folder in ["data", "peers"] {
        let folder = bundle.join(folder);
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    for program in PROGRAMS {
        copy(&programs.join(program), &bundle.join(program))?;
    }
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

/// Makes the bundle of the tests' programs, since building them for release takes minutes, and runs its checks on the
/// CPU, from another folder, with nothing but a python3 that has torch.
pub(crate) fn test(libtorch: &Libtorch) -> Outcome {
    let bundle = make(libtorch, &target().join("debug/examples"))?;
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
