//! Targets of the compiler.

use super::packages::says;
use std::path::Path;

/// Whether the toolchain has the standard library of a target.
pub(crate) fn is_installed(target: &str) -> bool {
    let sysroot = says("rustc", &["--print", "sysroot"]);
    sysroot.is_some_and(|sysroot| Path::new(sysroot.trim()).join("lib/rustlib").join(target).is_dir())
}
