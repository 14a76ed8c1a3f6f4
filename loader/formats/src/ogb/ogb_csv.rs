//! [`OgbCsv`]: all graphs of a data set in memory, and its splits.

use super::records::OgbRecords;
use super::splits;
use crate::{Fields, FormatError, Gather, Record, Records};
use graphpack_loader::{Source, Store, Subset};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A data set in OGB's raw layout, see [`ogb`](crate::ogb). Labels that are missing are NaN, which masked losses leave
/// out.
///
/// ```no_run
/// use graphpack_formats::OgbCsv;
/// use graphpack_loader::Loader;
///
/// let data = OgbCsv::open("ogbg_molhiv")?;
/// let training = Loader::new(data.split("train")?).batch_graphs(128).shuffle(42).build()?;
/// let all = Loader::new(data.store().clone()).batch_graphs(128).build()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct OgbCsv {
    store: Arc<Store>,
    directory: PathBuf,
    vocabulary: Vec<String>,
    skipped: Vec<String>,
}

impl OgbCsv {
    /// Reads a data set. Inverse edges are added, unless it is ogbg-code2.
    pub fn open(directory: impl AsRef<Path>) -> Result<Self, FormatError> {
        Self::read(directory.as_ref(), false)
    }

    /// Reads a data set of directed graphs: edges are taken as they are.
    pub fn open_directed(directory: impl AsRef<Path>) -> Result<Self, FormatError> {
        Self::read(directory.as_ref(), true)
    }

    /// The subtokens by their places in `y`, where labels are texts; else empty.
    pub fn vocabulary(&self) -> &[String] {
        &self.vocabulary
    }

    /// What was left out and why, one line each.
    pub fn skipped(&self) -> &[String] {
        &self.skipped
    }

    /// All graphs.
    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// The graphs of a split, `train`, `valid` or `test`, from the only folder in `split/`.
    ///
    /// A data set with several kinds of split wants `kind/part`: `scaffold/train`.
    pub fn split(&self, name: &str) -> Result<Subset<Store>, FormatError> {
        let graphs = self.split_graphs(name)?;
        let split = Subset::new(self.store.clone(), graphs);
        split.map_err(|error| FormatError::wrong(&self.directory, "split", "graphs of the data set", error.to_string()))
    }

    /// The numbers of the graphs of such a split.
    pub fn split_graphs(&self, name: &str) -> Result<Vec<u32>, FormatError> {
        splits::graphs(&self.directory, name, self.store.len())
    }

    fn read(directory: &Path, directed: bool) -> Result<Self, FormatError> {
        let mut records = OgbRecords::open(directory, directed, true)?;
        let (mut gather, mut record) = (Gather::new(directory, Fields::default()), Record::default());
        while records.next(&mut record)? {
            gather.push(&record)?;
        }
        let (store, vocabulary) = (Arc::new(gather.take()?), records.vocabulary().to_vec());
        let skipped = records.skipped().to_vec();
        Ok(Self { store, directory: directory.to_owned(), vocabulary, skipped })
    }
}
