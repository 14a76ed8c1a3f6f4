//! The histograms that only developers and CI have.

use flate2::read::GzDecoder;
use graphpack_core::Histogram;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The data folder, or a line that says what is skipped.
pub(crate) fn data() -> Option<PathBuf> {
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    let path = std::env::var_os("GRAPHPACK_DATA").map_or_else(default, PathBuf::from);
    if path.is_dir() {
        return Some(path);
    }
    eprintln!("skipped: no data at {} (set GRAPHPACK_DATA)", path.display());
    None
}

/// A file of the folder `histograms`.
pub(crate) fn histogram(data: &Path, file: &str) -> Histogram {
    let path = data.join("histograms").join(file);
    let compressed = path.extension() == Some("gz".as_ref());
    let file = File::open(path).unwrap();
    let reader: Box<dyn Read> = if compressed { Box::new(GzDecoder::new(file)) } else { Box::new(file) };
    let rows = csv::Reader::from_reader(reader).into_deserialize::<(u32, u32, u64)>();
    Histogram::from_counts(rows.map(|row| row.map(|(n, e, count)| ([n, e], count)).unwrap())).unwrap()
}
