//! Readers: a file per format, with what its files become and what is said of damaged ones.

mod alloys;
#[cfg(feature = "ase_db")]
mod ase_db;
mod aselmdb;
mod compressed;
mod gather;
#[cfg(feature = "hdf5")]
mod hdf5;
mod histogram_csv;
mod labels;
mod npz;
mod npz_names;
mod ogb;
mod ogb_features;
mod open;
#[cfg(feature = "parquet")]
mod parquet;
mod same;
mod sdf;
mod smiles;
mod targets;
mod texts;
mod tu;
mod xyz;

use flate2::{Compression, write::GzEncoder};
use graphpack_formats::records::{Record, Records};
use graphpack_formats::{Fields, FileFormat, Pieces, ReadOptions};
use graphpack_loader::{Error, Store};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Writes a file and the folders above it, compressed if its name ends in `.gz`.
fn file(folder: &TempDir, name: &str, text: &str) -> PathBuf {
    let path = folder.path().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, if name.ends_with(".gz") { gzip(text) } else { text.into() }).unwrap();
    path
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

/// All records, and what was passed over.
fn records_of(mut records: impl Records) -> Result<(Vec<Record>, Vec<String>), Error> {
    let (mut all, mut record) = (Vec::new(), Record::default());
    while records.next(&mut record)? {
        for field in &record.fields {
            assert_eq!(field.values.len(), record.rows(field.level) * field.width, "{}", field.name);
        }
        all.push(record.clone());
    }
    Ok((all, records.skipped().to_vec()))
}

/// The records that can be read, and what is wrong with the others, after which the file can be read on.
fn refused(mut records: impl Records) -> (Vec<Record>, Vec<String>) {
    let (mut all, mut refused, mut record) = (Vec::new(), Vec::new(), Record::default());
    loop {
        match records.next(&mut record) {
            Ok(true) => all.push(record.clone()),
            Ok(false) => return (all, refused),
            Err(error) => {
                assert!(records.goes_on(), "{error}");
                refused.push(error.to_string());
            }
        }
    }
}

/// All records of a file without mistakes.
fn all(records: impl Records) -> Vec<Record> {
    records_of(records).unwrap().0
}

/// The graphs of a file without the records that cannot be read, and what is said of those.
fn left_out(path: &Path) -> Result<(Store, Vec<String>), String> {
    let skip = ReadOptions { skips_errors: true, ..ReadOptions::default() };
    let read = || {
        let mut pieces = Pieces::with(path, FileFormat::of(path)?, &Fields::default(), &skip)?;
        let (store, lines) = (pieces.read()?, pieces.skipped());
        let failed = lines.iter().filter(|line| line.starts_with("record ")).count();
        assert_eq!(pieces.failed(), failed as u64);
        Ok((store, lines))
    };
    read().map_err(|error: Error| error.to_string())
}

/// Reads a file that is cut, which is an error that has its name, and one with a byte that is changed, which may be:
/// at places with these steps between them.
fn damaged(
    whole: &[u8],
    name: &str,
    [of_cuts, of_changes]: [usize; 2],
    mut read: impl FnMut(&[u8]) -> Result<(), String>,
) {
    for length in (0..whole.len()).step_by(of_cuts) {
        let message = read(&whole[..length]).expect_err("it was cut");
        assert!(message.contains(name), "{message}");
    }
    for place in (0..whole.len()).step_by(of_changes) {
        let mut changed = whole.to_vec();
        changed[place] ^= [0x01, 0x80, 0xff, 0x41][place % 4];
        let _ = read(&changed);
    }
}
