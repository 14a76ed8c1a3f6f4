//! What the commands need beside cargo: found on this machine, or installed.
//!
//! - [`board`]: a microcontroller in qemu and a compiler for it;
//! - [`libtorch`]: libtorch of the right version;
//! - [`mpi`]: an MPI library and its launcher;
//! - [`nightly`]: the nightly toolchain;
//! - [`packages`]: Debian's packages; [`target`]: targets of the compiler;
//! - [`venv`]: virtual environments of Python.

pub(crate) mod board;
pub(crate) mod libtorch;
pub(crate) mod mpi;
pub(crate) mod nightly;
pub(crate) mod packages;
pub(crate) mod target;
pub(crate) mod venv;
