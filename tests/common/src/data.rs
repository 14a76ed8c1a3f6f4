//! [`test_data`]: data of tests that every clone has; [`shared_data`]: real data sets, which only developers and CI
//! have.

use std::path::{Path, PathBuf};

/// The folder `tests/data`.
pub fn test_data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../data")
}

/// The folder of the real data sets. A test that reads it is ignored, with this as its reason, and has a name that
/// begins with `on_real_data`: `cargo xtask ci` runs those where there is the folder.
pub fn shared_data() -> PathBuf {
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let path = std::env::var_os("GRAPHPACK_DATA").map_or_else(default, PathBuf::from);
    assert!(path.is_dir(), "no folder of real data sets at {} (GRAPHPACK_DATA)", path.display());
    path
}
