//! `cargo xtask peers`: graphpack and jraph make batches of the same graphs; all arrays must be equal.

use crate::run::{self, Outcome, cargo, root, target};
use crate::tools::venv;
use std::env;
use std::fs::{self, File};
use std::process::Command;

/// jraph and the packages that it needs.
pub(crate) const JRAPH: [&str; 3] = ["jraph==0.0.6.dev0", "jax==0.10.2", "numpy==2.4.6"];
/// In both libraries the padding graph counts.
const BATCH_SIZES: [&str; 2] = ["32", "128"];
/// So that each side has one thread.
pub(crate) const ENVIRONMENT: [(&str, &str); 5] = [
    ("JAX_PLATFORMS", "cpu"),
    ("OMP_NUM_THREADS", "1"),
    ("OPENBLAS_NUM_THREADS", "1"),
    ("NPROC", "1"),
    ("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false"),
];

/// Prints a table, or fails at the first difference. The graphs are generated or those of the option `--xyz FILE`.
pub(crate) fn run(options: &[String]) -> Outcome {
    let xyz = match options {
        [] => None,
        [option, file] if option == "--xyz" => Some(file),
        found => return Err(format!("expected --xyz FILE or nothing, found {found:?}")),
    };
    let packages = [&JRAPH[..], &["safetensors==0.8.0"]].concat();
    let versions = packages.join(" ");
    let python = venv::find_or_install(&target().join("peers/jraph"), &versions, &versions, &packages)?;
    println!("| algorithm | batch size | batches | equal | jraph, ms per batch | graphpack, ms per batch | ratio |");
    println!("|---|---|---|---|---|---|---|");
    for size in BATCH_SIZES {
        let folder = target().join("peers/batches");
        let failed = |error| format!("{}: {error}", folder.display());
        fs::create_dir_all(&folder).map_err(failed)?;
        let times = folder.join("graphpack.jsonl");
        let mut batches = cargo(["run", "--quiet", "--release", "--example", "peer_batches", "--manifest-path"]);
        batches.arg(root().join("Cargo.toml")).args(["--", "--batch-size", size, "--out"]).arg(&folder);
        batches.args(xyz.into_iter().flat_map(|file| ["--xyz", file]));
        // Relative paths are relative to the user's folder.
        batches.current_dir(env::current_dir().map_err(|error| error.to_string())?);
        run::run(batches.stdout(File::create(&times).map_err(failed)?))?;
        let mut jraph = Command::new(&python);
        jraph.arg(root().join("xtask/peers/jraph_batches.py")).arg(&folder).arg(&times).args(["--batch-size", size]);
        run::run(jraph.envs(ENVIRONMENT))?;
        // Where there is a difference, the files stay for a look.
        fs::remove_dir_all(&folder).map_err(failed)?;
    }
    Ok(())
}
