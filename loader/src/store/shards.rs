//! [`Shards`]: a data set in several files.

use super::{FileError, Store, StoreError};
use crate::source::{Source, SourceError};
use crate::{Schema, Slot, fingerprint};
use graphpack_core::Size;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

/// The file in a folder that lists its shards. Written last: a folder without it is not whole.
const INDEX: &str = "index.json";

#[derive(Debug, Default, Serialize, Deserialize)]
struct Index {
    shards: Vec<Shard>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Shard {
    file: PathBuf,
    graphs: usize,
}

/// Graphs in several files of the same fields, one after the other, each mapped as by [`Store::open`].
#[derive(Clone, Debug)]
pub struct Shards {
    stores: Vec<Store>,
    /// The first graph of each store.
    first: Vec<usize>,
}

impl Shards {
    /// Opens a folder that [`ShardWriter`] wrote, its `index.json`, or a single safetensors file.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        let index = if path.is_dir() { path.join(INDEX) } else { path.to_owned() };
        if index.extension().is_none_or(|extension| extension != "json") {
            return Ok(Self { stores: vec![Store::open(path)?], first: vec![0] });
        }
        let text = fs::read_to_string(&index).map_err(|source| FileError::Io { path: index.clone(), source })?;
        let wrong = |problem: String| FileError::Shards { path: index.clone(), problem };
        let Index { shards } = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        let (mut stores, mut first, mut graphs) = (Vec::<Store>::new(), Vec::new(), 0);
        for Shard { file, graphs: expected } in shards {
            // Nothing else of the machine is opened because an index says so.
            if !file.components().all(|part| matches!(part, Component::Normal(_))) {
                return Err(wrong(format!("{} is not in the folder of the index", file.display())));
            }
            let store = Store::open(index.with_file_name(&file))?;
            let file = file.display();
            if store.len() != expected {
                return Err(wrong(format!("{file} has {} graphs, {expected} are listed", store.len())));
            }
            if let Some(other) = stores.first().filter(|other| other.schema() != store.schema()) {
                let names =
                    |schema: &Schema| schema.fields().iter().map(|field| field.name.clone()).collect::<Vec<_>>();
                let (other, found) = (names(other.schema()), names(store.schema()));
                return Err(wrong(format!(
                    "{file} has fields {found:?}, the first shard {other:?}, or others of the same names"
                )));
            }
            first.push(graphs);
            graphs += expected;
            stores.push(store);
        }
        if stores.is_empty() {
            return Err(wrong("no shards are listed".into()));
        }
        Ok(Self { stores, first })
    }

    /// Compares all files with their checksums, see [`Store::verify`].
    pub fn verify(&self) -> Result<usize, FileError> {
        self.stores.iter().map(Store::verify).sum()
    }

    /// The graphs in a range, as a data set of their own, in memory.
    pub fn part(&self, graphs: Range<usize>) -> Result<Store, StoreError> {
        if graphs.end > self.len() {
            return Err(StoreError::Graph { graph: graphs.end - 1, graphs: self.len() });
        }
        let pieces = self.stores.iter().zip(&self.first).filter_map(|(store, &first)| {
            let from = graphs.start.saturating_sub(first).min(store.len());
            let to = graphs.end.saturating_sub(first).min(store.len());
            (from < to).then(|| store.part(from..to))
        });
        Store::concat(&pieces.collect::<Result<Vec<_>, _>>()?)
    }

    fn place(&self, graph: usize) -> (&Store, usize) {
        let shard = self.first.partition_point(|&first| first <= graph) - 1;
        (&self.stores[shard], graph - self.first[shard])
    }
}

impl Source for Shards {
    fn schema(&self) -> &Schema {
        self.stores[0].schema()
    }

    fn len(&self) -> usize {
        self.first[self.first.len() - 1] + self.stores[self.stores.len() - 1].len()
    }

    fn size(&self, graph: usize) -> Size<2> {
        let (store, graph) = self.place(graph);
        store.size(graph)
    }

    fn write(&self, graph: usize, slot: &mut Slot<'_>) -> Result<(), SourceError> {
        let (store, graph) = self.place(graph);
        store.write(graph, slot)
    }

    fn will_write(&self, graph: usize) {
        let (store, graph) = self.place(graph);
        store.will_write(graph);
    }

    fn fingerprint(&self) -> u64 {
        fingerprint::samples(self.len()).fold(self.sizes_fingerprint(), |hash, graph| {
            let (store, graph) = self.place(graph);
            store.mix_graph(hash, graph)
        })
    }

    fn check(&self) -> Result<(), SourceError> {
        self.stores.iter().try_for_each(Source::check)
    }
}

/// Writes a folder of shards, one store at a time, so that a data set larger than memory can be written.
///
/// ```
/// use graphpack_loader::{ShardWriter, Shards, Source, molecules};
///
/// let folder = tempfile::tempdir()?;
/// let mut writer = ShardWriter::create(folder.path())?;
/// for part in 0..3 {
///     writer.push(&molecules::generate(part, 100))?;
/// }
/// writer.finish()?;
/// assert_eq!(Shards::open(folder.path())?.len(), 300);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ShardWriter {
    folder: PathBuf,
    index: Index,
}

impl ShardWriter {
    /// Begins a folder, which must be empty or not exist.
    pub fn create(folder: impl AsRef<Path>) -> Result<Self, FileError> {
        let folder = folder.as_ref().to_owned();
        let io = |source| FileError::Io { path: folder.clone(), source };
        fs::create_dir_all(&folder).map_err(io)?;
        if fs::read_dir(&folder).map_err(io)?.next().is_some() {
            return Err(io(io::Error::new(io::ErrorKind::AlreadyExists, "the folder is not empty")));
        }
        Ok(Self { folder, index: Index::default() })
    }

    /// Writes the next shard.
    pub fn push(&mut self, store: &Store) -> Result<(), FileError> {
        let file = PathBuf::from(format!("shard-{:05}.safetensors", self.index.shards.len()));
        store.save(self.folder.join(&file))?;
        self.index.shards.push(Shard { file, graphs: store.len() });
        Ok(())
    }

    /// Writes the index, without which the folder cannot be opened.
    pub fn finish(self) -> Result<(), FileError> {
        let path = self.folder.join(INDEX);
        let part = path.with_extension("part");
        let written = serde_json::to_string_pretty(&self.index)
            .map_err(io::Error::from)
            .and_then(|text| fs::write(&part, text))
            .and_then(|()| fs::rename(&part, &path));
        written.map_err(|source| FileError::Io { path, source })
    }
}
