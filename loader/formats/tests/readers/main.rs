//! Readers: a file per format, with what its files become and what is said of damaged ones.

mod histogram_csv;
mod npz;
mod ogb;
mod targets;
mod xyz;

use flate2::{Compression, write::GzEncoder};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Writes a file, compressed if its name ends in `.gz`.
fn file(folder: &TempDir, name: &str, text: &str) -> PathBuf {
    let path = folder.path().join(name);
    if name.ends_with(".gz") {
        let mut encoder = GzEncoder::new(fs::File::create(&path).unwrap(), Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap();
    } else {
        fs::write(&path, text).unwrap();
    }
    path
}

/// The data that only developers and CI have.
fn shared_data() -> Option<PathBuf> {
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let path = std::env::var_os("GRAPHPACK_DATA").map_or_else(default, PathBuf::from);
    if path.is_dir() {
        return Some(path);
    }
    eprintln!("skipped: no data at {} (set GRAPHPACK_DATA)", path.display());
    None
}
