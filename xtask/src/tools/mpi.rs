//! [`Mpi`]: an MPI library, its launcher, and libclang, which the bindings are made with.

use crate::run::Outcome;
use crate::tools::packages::{exists, install, says};
use std::env;
use std::path::Path;
use std::process::Command;

const DEBIAN: [&str; 3] = ["libopenmpi-dev", "openmpi-bin", "libclang-dev"];

/// Shows that all of it is installed.
pub(crate) struct Mpi(());

impl Mpi {
    pub(crate) fn find_or_install() -> Outcome<Self> {
        if !(exists("mpicc") && exists("mpirun") && has_libclang()) {
            install(&DEBIAN)?;
        }
        Ok(Self(()))
    }

    /// Tells bindgen where C's headers are: libclang alone does not bring them. A value set before stays.
    pub(crate) fn apply(&self, command: &mut Command) {
        const ARGUMENTS: &str = "BINDGEN_EXTRA_CLANG_ARGS";
        if env::var_os(ARGUMENTS).is_none()
            && let Some(folder) = says("gcc", &["-print-file-name=include"])
        {
            command.env(ARGUMENTS, format!("-I{}", folder.trim()));
        }
    }

    /// Runs a program, which is to be the first argument, on this number of ranks.
    pub(crate) fn run(&self, ranks: usize) -> Command {
        let mut command = Command::new("mpirun");
        // Without these it refuses to run as root, and more ranks than cores.
        command.args(["--allow-run-as-root", "--oversubscribe", "-n", &ranks.to_string()]);
        command
    }
}

/// Whether libclang is in `LIBCLANG_PATH` or where Debian's package has it.
fn has_libclang() -> bool {
    let debian = || says("sh", &["-c", "ls /usr/lib/llvm-*/lib/libclang.so*"]).is_some();
    env::var_os("LIBCLANG_PATH").is_some_and(|folder| Path::new(&folder).exists()) || debian()
}
