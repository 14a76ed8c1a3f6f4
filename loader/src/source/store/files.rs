//! [`StoreFiles`]: a data set in several files.

use super::file_index::{Entry, FileIndex};
use super::{FileError, Store, StoreError};
use crate::fingerprint;
use crate::layout::{Schema, Size, Slot};
use crate::source::{Source, SourceError};
use std::fs;
use std::ops::Range;
use std::path::{Component, Path};

/// Graphs in several files of the same fields, one after the other, each mapped as by [`Store::open`].
#[derive(Clone, Debug)]
pub struct StoreFiles {
    stores: Vec<Store>,
    /// The first graph of each store.
    first: Vec<usize>,
}

impl StoreFiles {
    /// Opens a folder that [`StoreFilesWriter`](crate::StoreFilesWriter) wrote, its `index.json`, or a single safetensors file.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        let index = if path.is_dir() { path.join(FileIndex::NAME) } else { path.to_owned() };
        if index.extension().is_none_or(|extension| extension != "json") {
            return Ok(Self { stores: vec![Store::open(path)?], first: vec![0] });
        }
        let text = fs::read_to_string(&index).map_err(|source| FileError::Io { path: index.clone(), source })?;
        let wrong = |problem: String| FileError::Index { path: index.clone(), problem };
        let FileIndex { files } = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        let (mut stores, mut first, mut graphs) = (Vec::<Store>::new(), Vec::new(), 0);
        for Entry { file, graphs: expected } in files {
            // An index must not make us open files outside its folder.
            if !file.components().all(|part| matches!(part, Component::Normal(_))) {
                return Err(wrong(format!("{} is not in the folder of the index", file.display())));
            }
            let store = Store::open(index.with_file_name(&file))?;
            let file = file.display();
            if store.len() != expected {
                return Err(wrong(format!("{file} has {} graphs, the index says {expected}", store.len())));
            }
            if let Some(other) = stores.first().filter(|other| other.schema() != store.schema()) {
                let names = |schema: &Schema| {
                    let fields: Vec<_> = schema.fields().iter().map(|field| &field.name).collect();
                    let indices: Vec<_> = schema.indices().iter().map(|index| &index.name).collect();
                    format!("sets {:?}, fields {fields:?} and indices {indices:?}", &**schema.sets())
                };
                let (other, found) = (names(other.schema()), names(store.schema()));
                return Err(wrong(format!(
                    "{file} has {found}, the first file {other}; these, levels, dtypes, widths and padding must agree"
                )));
            }
            first.push(graphs);
            graphs += expected;
            stores.push(store);
        }
        if stores.is_empty() {
            return Err(wrong("it lists no files".into()));
        }
        Ok(Self { stores, first })
    }

    /// Checks all files and their checksums, as [`Store::verify`] does. Returns the number of tensors that were
    /// compared.
    pub fn verify(&self) -> Result<usize, FileError> {
        self.stores.iter().map(Store::verify).sum()
    }

    /// Copies the graphs in a range into a store in memory. Errors if the range goes beyond the last graph.
    pub fn part(&self, graphs: Range<usize>) -> Result<Store, StoreError> {
        if graphs.end > self.len() {
            return Err(StoreError::Graph { graph: graphs.end - 1, graphs: self.len() });
        }
        let pieces = self.stores.iter().zip(&self.first).filter_map(|(store, &first)| {
            let from = graphs.start.saturating_sub(first).min(store.len());
            let to = graphs.end.saturating_sub(first).min(store.len());
            (from < to).then(|| store.part(from..to))
        });
        let pieces = pieces.collect::<Result<Vec<_>, _>>()?;
        if pieces.is_empty() { self.stores[0].part(0..0) } else { Store::concat(&pieces) }
    }

    fn place(&self, graph: usize) -> (&Store, usize) {
        let file = self.first.partition_point(|&first| first <= graph) - 1;
        (&self.stores[file], graph - self.first[file])
    }
}

impl Source for StoreFiles {
    fn schema(&self) -> &Schema {
        self.stores[0].schema()
    }

    fn len(&self) -> usize {
        self.first[self.first.len() - 1] + self.stores[self.stores.len() - 1].len()
    }

    fn size(&self, graph: usize) -> Size {
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
