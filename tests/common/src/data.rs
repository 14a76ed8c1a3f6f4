//! [`shared_data`]: real data sets, which only developers and CI have.

use std::path::{Path, PathBuf};

/// Returns the folder of the real data sets; without one it says on standard error that a test is skipped.
pub fn shared_data() -> Option<PathBuf> {
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let path = std::env::var_os("GRAPHPACK_DATA").map_or_else(default, PathBuf::from);
    if path.is_dir() {
        return Some(path);
    }
    eprintln!("skipped: no data at {} (set GRAPHPACK_DATA)", path.display());
    None
}
