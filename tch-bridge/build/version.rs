//! The version of libtorch that the shim is compiled against.

use std::fs;
use std::path::Path;

/// The version that tch 0.24 is for.
pub(crate) const VERSION: &str = "2.11.0";

/// The headers that name libtorch's version, among all others; versions before 2.9 have only the second.
pub(crate) const HEADERS: [&str; 2] = ["torch/headeronly/version.h", "torch/csrc/api/include/torch/version.h"];

/// An error if the headers are not those of the expected libtorch.
pub(crate) fn check(include: &Path) -> Result<(), String> {
    let version = |header: &&str| {
        let text = fs::read_to_string(include.join(header)).ok()?;
        let (_, after) = text.split_once("#define TORCH_VERSION ")?;
        after.split('"').nth(1).map(str::to_owned)
    };
    match HEADERS.iter().find_map(version) {
        Some(found) if found == VERSION => Ok(()),
        Some(found) => Err(format!("expected libtorch {VERSION}, found {found} in {}", include.display())),
        None => Err(format!("expected libtorch {VERSION}, found none that says its version in {}", include.display())),
    }
}
