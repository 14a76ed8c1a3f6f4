//! The histograms of `tests/data`.

use flate2::read::GzDecoder;
use graphpack_core::Histogram;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The folder of the committed histograms.
pub(crate) fn histograms() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/histograms")
}

/// One of the committed histograms.
pub(crate) fn histogram(file: &str) -> Histogram {
    let path = histograms().join(file);
    let compressed = path.extension() == Some("gz".as_ref());
    let file = File::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let reader: Box<dyn Read> = if compressed { Box::new(GzDecoder::new(file)) } else { Box::new(file) };
    let rows = csv::Reader::from_reader(reader).into_deserialize::<(u32, u32, u64)>();
    Histogram::from_counts(rows.map(|row| row.map(|(n, e, count)| ([n, e], count)).unwrap())).unwrap()
}
