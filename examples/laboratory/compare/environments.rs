//! The environments of Python with the peers, installed once below `target/peers`.

use std::path::PathBuf;
use xtask::run::{Outcome, target};

/// So that each side has one thread.
pub(crate) const ONE_THREAD: [(&str, &str); 5] = [
    ("JAX_PLATFORMS", "cpu"),
    ("OMP_NUM_THREADS", "1"),
    ("OPENBLAS_NUM_THREADS", "1"),
    ("NPROC", "1"),
    ("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false"),
];

/// jraph and the packages that it needs.
const JRAPH: [&str; 4] = ["jraph==0.0.6.dev0", "jax==0.10.2", "numpy==2.4.6", "safetensors==0.8.0"];
/// This torch has CUDA, as PyPI has no other.
const PYG: [&str; 3] = ["torch==2.13.0", "torch_geometric==2.8.1", "psutil==7.2.2"];
/// What finds near atoms, and ASE, which reads them.
const NEIGHBOURS: [&str; 4] = ["vesin==0.6.2", "matscipy==1.3.1", "ase==3.29.0", "numpy==2.4.6"];

/// Returns a python with vesin and matscipy.
pub(crate) fn neighbours() -> Outcome<PathBuf> {
    find_or_install("neighbours", &NEIGHBOURS, "")
}

/// Returns a python with jraph.
pub(crate) fn jraph() -> Outcome<PathBuf> {
    find_or_install("jraph", &JRAPH, "")
}

/// Returns a python with PyTorch Geometric and jraph.
pub(crate) fn pyg() -> Outcome<PathBuf> {
    find_or_install("all", &[&PYG[..], &JRAPH].concat(), " (a download of 2.8 GB, 5.2 GB on disk)")
}

fn find_or_install(folder: &str, packages: &[&str], size: &str) -> Outcome<PathBuf> {
    let versions = packages.join(" ");
    xtask::venv(&target().join("peers").join(folder), &versions, &format!("{versions}{size}"), packages)
}
