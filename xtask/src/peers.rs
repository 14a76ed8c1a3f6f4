//! `cargo xtask peers`: the same graphs batched by graphpack and by jraph; equal batches, and the time of each.

use crate::run::{Outcome, cargo, run, target};
use crate::{root, venv};
use std::env;
use std::fs::{self, File};
use std::process::Command;

/// What jraph needs.
pub(crate) const JRAPH: [&str; 3] = ["jraph==0.0.6.dev0", "jax==0.10.2", "numpy==2.4.6"];
/// Both count the padding graph.
const BATCH_SIZES: [&str; 2] = ["32", "128"];
/// One thread on each side.
pub(crate) const ENVIRONMENT: [(&str, &str); 5] = [
    ("JAX_PLATFORMS", "cpu"),
    ("OMP_NUM_THREADS", "1"),
    ("OPENBLAS_NUM_THREADS", "1"),
    ("NPROC", "1"),
    ("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false"),
];

/// Prints a table, or fails at the first difference. The graphs are those of an XYZ file or generated.
pub(crate) fn compare(xyz: Option<&str>) -> Outcome {
    let packages = [&JRAPH[..], &["safetensors==0.8.0"]].concat();
    let versions = packages.join(" ");
    let python = venv::find_or_install("peers/jraph", &versions, &versions, &packages)?;
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
        // Where the user stands, so that relative paths mean what they say.
        batches.current_dir(env::current_dir().map_err(|error| error.to_string())?);
        run(batches.stdout(File::create(&times).map_err(failed)?))?;
        let mut jraph = Command::new(&python);
        jraph.arg(root().join("xtask/peers/jraph_batches.py")).arg(&folder).arg(&times).args(["--batch-size", size]);
        run(jraph.envs(ENVIRONMENT))?;
        // Kept only where there is a difference to look at.
        fs::remove_dir_all(&folder).map_err(failed)?;
    }
    Ok(())
}
