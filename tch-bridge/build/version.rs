//! The versions of libtorch that the shim can be compiled against.

use std::fs;
use std::path::Path;

/// What the shim must know of a libtorch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Version {
    pub(crate) name: &'static str,
    /// Bytes of its class of CUDA graphs, up to the end of the last member.
    pub(crate) graph: usize,
}

/// The versions that tch 0.24 and 0.26 are for; there is no tch 0.25.
pub(crate) const VERSIONS: [Version; 2] =
    [Version { name: "2.11.0", graph: 98 }, Version { name: "2.13.0", graph: 344 }];

/// The headers that name libtorch's version, among all others; versions before 2.9 have only the second.
pub(crate) const HEADERS: [&str; 2] = ["torch/headeronly/version.h", "torch/csrc/api/include/torch/version.h"];

/// Returns the version that the headers are of; an error if it is none of [`VERSIONS`].
pub(crate) fn check(include: &Path) -> Result<Version, String> {
    let version = |header: &&str| {
        let text = fs::read_to_string(include.join(header)).ok()?;
        let (_, after) = text.split_once("#define TORCH_VERSION ")?;
        after.split('"').nth(1).map(str::to_owned)
    };
    let found = HEADERS.iter().find_map(version);
    let found = found.as_deref().unwrap_or("none that says its version");
    VERSIONS.into_iter().find(|version| version.name == found).ok_or_else(|| {
        let expected = VERSIONS.map(|version| version.name).join(" or ");
        format!("expected libtorch {expected}, found {found} in {}", include.display())
    })
}
