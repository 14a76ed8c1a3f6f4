//! [`StoreFiles`]: a data set in files, read when batches need it; [`FileIndex`]: the file that lists them.
#![allow(unsafe_code, reason = "whoever maps files promises that nobody changes them")]

use super::pages::Sums;
use super::positioned::Positioned;
use super::stored_file::StoredFile;
use super::{FileError, Store, StoreError};
use crate::error::{BoxError, Error, file_error};
use crate::fingerprint;
use crate::layout::{Schema, Size, Slot};
use crate::source::whole_file::WholeFile;
use crate::source::{Each, Graphs, Worker};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::HashSet;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::{fs, io, thread};

/// Graphs in a file or in several of the same fields, one after the other, which batches read when they need them.
///
/// Of all graphs, only where their rows start is in memory: about two bytes for each set. Besides, each worker has the
/// graphs of a batch, and at most 128 MB of neighbouring graphs are kept while an epoch goes through them in blocks. A
/// file that is truncated, changed or cannot be read ends the epoch with an error that names it.
///
/// ```
/// use graphpack_loader::{Loader, Options, Order, StoreFiles, molecules};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("molecules.safetensors");
/// molecules::generate(1, 1000).save(&path)?;
/// let loader = Loader::new(StoreFiles::open(&path)?, Options::graphs(64).order(Order::Blocks(256)))?;
/// # assert!(loader.epoch(0).all(|batch| batch.is_ok()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct StoreFiles {
    files: Files,
    /// The first graph of each file.
    first: Arc<[usize]>,
    graphs: usize,
}

#[derive(Clone, Debug)]
enum Files {
    Positioned(Arc<Positioned>),
    Mapped(Arc<[Store]>),
}

impl StoreFiles {
    /// Opens a folder that [`StoreFilesWriter`](crate::store::StoreFilesWriter) wrote, its `index.json`, or a single
    /// safetensors file.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let open = |path: &Path| StoredFile::open(path).map(|(_, file)| file);
        let said = |file: &StoredFile| (file.len(), file.header.clone());
        let Opened { files, first, graphs } = open_all(path.as_ref(), open, said, |file| &mut file.schema)?;
        Ok(Self { files: Files::Positioned(Arc::new(Positioned::new(files))), first, graphs })
    }

    /// Maps the files that [`open`](Self::open) would read by position. That is faster for files that fit into memory
    /// and are read in random order.
    ///
    /// # Safety
    ///
    /// As for [`Store::map`]: as long as this or a copy is in use, nobody truncates the files or writes to them.
    pub unsafe fn map(path: impl AsRef<Path>) -> Result<Self, Error> {
        // SAFETY: what the caller promises.
        let open = |path: &Path| unsafe { Store::map(path) };
        let header = |store: &Store| store.origin.as_ref().and_then(|origin| origin.header.clone());
        let said = |store: &Store| (store.len(), header(store));
        let Opened { files, first, graphs } = open_all(path.as_ref(), open, said, |store| &mut store.schema)?;
        Ok(Self { files: Files::Mapped(files.into()), first, graphs })
    }

    /// Checks all files and their checksums, as [`Store::verify`] does. Returns the number of tensors that were
    /// compared.
    pub fn verify(&self) -> Result<usize, Error> {
        match &self.files {
            Files::Positioned(files) => files.files().iter().map(|file| StoredFile::verify(&file.path)).sum(),
            Files::Mapped(stores) => stores.iter().map(Store::verify).sum(),
        }
    }

    /// Reads the graphs in a range into a store in memory, whose indices are as narrow as the graphs allow. Errors if
    /// the range goes beyond the last graph.
    pub fn part(&self, graphs: Range<usize>) -> Result<Store, Error> {
        let refused = |source| Error::from(FileError::Refused { path: self.path(0).to_owned(), source });
        if graphs.end > self.len() {
            return Err(refused(StoreError::Graph { graph: graphs.end - 1, graphs: self.len() }.into()));
        }
        let ends = self.first.iter().skip(1).copied().chain([self.graphs]);
        let pieces = self.first.iter().zip(ends).enumerate().filter_map(|(file, (&first, end))| {
            let (from, to) = (graphs.start.max(first), graphs.end.min(end));
            (from < to).then(|| self.part_of(file, from - first..to - first))
        });
        let mut pieces = pieces.collect::<Result<Vec<_>, _>>()?;
        match pieces.len() {
            0 => self.part_of(0, 0..0),
            1 => Ok(pieces.remove(0)),
            _ => Store::concat(&pieces).map_err(refused),
        }
    }

    fn part_of(&self, file: usize, graphs: Range<usize>) -> Result<Store, Error> {
        let part = match &self.files {
            Files::Positioned(files) => files.store(file, graphs)?.to_memory(),
            Files::Mapped(stores) => stores[file].part(graphs),
        };
        part.map_err(|source| Error::from(FileError::Store { path: self.path(file).to_owned(), source }))
    }

    fn path(&self, file: usize) -> &Path {
        match &self.files {
            Files::Positioned(files) => &files.files()[file].path,
            Files::Mapped(stores) => stores[file].origin.as_ref().map_or(Path::new(""), |origin| &origin.path),
        }
    }

    /// The file that a graph is in, and its number there.
    #[inline]
    fn place(&self, graph: usize) -> (usize, usize) {
        // Most often all files but the last have equally many graphs; a search among 160 takes 5 % of a graph's time.
        let guess = self.first.get(1).map_or(0, |&each| graph.checked_div(each).unwrap_or(0));
        let starts = |file: usize| self.first.get(file).is_some_and(|&first| first <= graph);
        let file = match starts(guess) && !starts(guess + 1) {
            true => guess,
            false => self.first.partition_point(|&first| first <= graph) - 1,
        };
        (file, graph - self.first[file])
    }
}

impl StoreFiles {
    /// The sets, fields and indices that each graph has.
    pub fn schema(&self) -> &Schema {
        match &self.files {
            Files::Positioned(files) => &files.files()[0].schema,
            Files::Mapped(stores) => stores[0].schema(),
        }
    }

    /// Number of graphs.
    pub fn len(&self) -> usize {
        self.graphs
    }

    /// Whether there are no graphs.
    pub fn is_empty(&self) -> bool {
        self.graphs == 0
    }

    /// Returns how many rows of each set graph `graph` has. Errors if there is no such graph.
    pub fn size(&self, graph: usize) -> Result<Size, Error> {
        let graphs = self.len();
        if graph < graphs { Ok(self.size_of(graph)) } else { Err(StoreError::Graph { graph, graphs }.into()) }
    }

    /// Returns the sizes of all graphs, in their order.
    pub fn sizes(&self) -> impl ExactSizeIterator<Item = Size> {
        (0..self.len()).map(|graph| self.size_of(graph))
    }

    /// The size of a graph, which must exist.
    fn size_of(&self, graph: usize) -> Size {
        let (file, graph) = self.place(graph);
        match &self.files {
            Files::Positioned(files) => files.files()[file].size(graph),
            Files::Mapped(stores) => stores[file].size_of(graph),
        }
    }

    /// Returns the fingerprint that a [`Store`] of the same graphs has. Contents that cannot be read give another.
    pub fn fingerprint(&self) -> u64 {
        fingerprint::samples(self.len()).fold(self.sizes_fingerprint(), |hash, graph| {
            let (file, graph) = self.place(graph);
            match &self.files {
                Files::Positioned(files) => files.mix_graph(hash, file, graph),
                Files::Mapped(stores) => stores[file].mix_graph(hash, graph),
            }
        })
    }
}

impl Graphs for StoreFiles {
    fn schema(&self) -> &Schema {
        self.schema()
    }

    fn len(&self) -> usize {
        self.len()
    }

    fn size(&self, graph: usize) -> Size {
        self.size_of(graph)
    }

    fn write(&self, graph: usize, slot: &mut Slot<'_>, _: &mut Worker) -> Result<(), BoxError> {
        let (file, graph) = self.place(graph);
        match &self.files {
            Files::Positioned(files) => files.write(file, graph, slot),
            Files::Mapped(stores) => stores[file].write_graph(graph, slot),
        }
    }

    fn will_write(&self, graph: usize) {
        let (file, graph) = self.place(graph);
        match &self.files {
            Files::Positioned(files) => files.will_write(file, graph),
            Files::Mapped(stores) => stores[file].will_write(graph),
        }
    }

    fn fingerprint(&self) -> u64 {
        self.fingerprint()
    }

    fn checksum(&self) -> Option<u64> {
        match &self.files {
            Files::Positioned(files) => StoredFile::checksum(files.files().iter().map(|file| file.sums.as_deref())),
            Files::Mapped(stores) => {
                let sums = |store: &'_ Store| store.origin.as_ref().and_then(|origin| origin.sums.clone());
                let sums: Vec<_> = stores.iter().map(sums).collect();
                StoredFile::checksum(sums.iter().map(Option::as_deref))
            }
        }
    }

    /// What cannot be read here is an error when it is written.
    fn prepare(&self, graphs: Each<'_>, _: &mut Worker) -> Result<(), BoxError> {
        if let Files::Positioned(files) = &self.files {
            files.will_write_all(|each| {
                graphs(&mut |graph| {
                    let (file, graph) = self.place(graph);
                    each(file, graph);
                });
            });
        }
        Ok(())
    }

    /// Errors if a mapped file that has one of `graphs` was changed. Files that are read by position are checked
    /// whenever they are read.
    fn check(&self, graphs: Each<'_>) -> Result<(), BoxError> {
        thread_local! {
            static FILES: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
        }
        let Files::Mapped(stores) = &self.files else { return Ok(()) };
        FILES.with_borrow_mut(|files| {
            files.clear();
            graphs(&mut |graph| files.push(self.place(graph).0));
            files.sort_unstable();
            files.dedup();
            files.iter().try_for_each(|&file| stores[file].check(&|_| ()))
        })
    }
}

struct Opened<T> {
    files: Vec<T>,
    /// The first graph of each.
    first: Arc<[usize]>,
    graphs: usize,
}

/// Opens all files of a data set, on all cores.
fn open_all<T: Send>(
    path: &Path,
    open: impl Fn(&Path) -> Result<T, Error> + Sync,
    said: impl Fn(&T) -> (usize, Option<Sums>),
    schema_of: impl Fn(&mut T) -> &mut Schema,
) -> Result<Opened<T>, Error> {
    let index = if path.is_dir() { path.join(FileIndex::NAME) } else { path.to_owned() };
    if index.extension().is_none_or(|extension| extension != "json") {
        let file = open(path)?;
        let (graphs, _) = said(&file);
        return Ok(Opened { files: vec![file], first: [0].into(), graphs });
    }
    let text = fs::read_to_string(&index).map_err(file_error(&index))?;
    let wrong = |problem: String| Error::from(FileError::Index { path: index.clone(), problem });
    let FileIndex { files: entries } = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    // An index must not make us open files outside its folder.
    let outside = |entry: &&Entry| !entry.file.components().all(|part| matches!(part, Component::Normal(_)));
    if let Some(Entry { file, .. }) = entries.iter().find(outside) {
        return Err(wrong(format!("{} is not in the folder of the index", file.display())));
    }
    let mut listed = HashSet::new();
    if let Some(Entry { file, .. }) = entries.iter().find(|entry| !listed.insert(&entry.file)) {
        return Err(wrong(format!("it lists {} twice", file.display())));
    }
    let paths: Vec<PathBuf> = entries.iter().map(|entry| index.with_file_name(&entry.file)).collect();
    let (mut files, mut first, mut graphs) = (Vec::<T>::new(), Vec::new(), 0_usize);
    for (Entry { file, graphs: expected, header }, opened) in entries.iter().zip(each_file(&paths, open)) {
        let mut opened = opened?;
        let (found, found_header) = said(&opened);
        if found != *expected {
            return Err(wrong(format!("{} has {found} graphs, the index says {expected}", file.display())));
        }
        if let Some(first) = files.first_mut() {
            let (first, found) = (schema_of(first), schema_of(&mut opened));
            FileIndex::expect_schema(first, file, found).map_err(wrong)?;
        }
        if header.is_some() && *header != found_header {
            return Err(wrong(format!("{} is another file than the one that was written with it", file.display())));
        }
        first.push(graphs);
        graphs = graphs.checked_add(found).ok_or_else(|| wrong("it has more graphs than can be counted".into()))?;
        files.push(opened);
    }
    let Some(mut schema) = files.first_mut().map(|first| schema_of(first).clone()) else {
        return Err(wrong("it lists no files".into()));
    };
    let schemas: Vec<&Schema> = files.iter_mut().map(|file| &*schema_of(file)).collect();
    schema.agree(&schemas).map_err(|error| wrong(error.to_string()))?;
    *schema_of(&mut files[0]) = schema;
    Ok(Opened { files, first: first.into(), graphs })
}

/// Returns what `open` makes of each file, in their order.
fn each_file<T: Send>(paths: &[PathBuf], open: impl Fn(&Path) -> Result<T, Error> + Sync) -> Vec<Result<T, Error>> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let (open, share) = (&open, paths.len().div_ceil(threads).max(1));
    thread::scope(|scope| {
        let opened = paths.chunks(share).map(|paths| {
            let work = move || paths.iter().map(|path| open(path)).collect::<Vec<_>>();
            (paths, thread::Builder::new().spawn_scoped(scope, work).ok())
        });
        let opened: Vec<_> = opened.collect();
        let opened = opened.into_iter().flat_map(|(paths, thread)| match thread.map(thread::ScopedJoinHandle::join) {
            Some(Ok(opened)) => opened,
            // Where no thread can be started, this one does the work.
            _ => paths.iter().map(|path| open(path)).collect(),
        });
        opened.collect()
    })
}

/// The files of a data set in their order, each with its number of graphs.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileIndex {
    pub(super) files: Vec<Entry>,
}

/// One file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    pub(super) file: PathBuf,
    pub(super) graphs: usize,
    /// Checksum of its header, which has those of all its contents; none of files of other programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) header: Option<Sums>,
}

impl FileIndex {
    /// The name of the file with this number.
    pub(super) fn file(number: usize) -> PathBuf {
        format!("graphs-{number:05}.safetensors").into()
    }

    /// Writes the index of a folder.
    pub(super) fn save(&self, folder: &Path) -> Result<(), Error> {
        let path = folder.join(Self::NAME);
        let json = serde_json::to_vec_pretty(self).map_err(io::Error::from);
        let written = json.and_then(|json| WholeFile::write(&path, &json));
        written.map_err(file_error(&path))
    }

    /// Errors unless `folder` is empty.
    pub(super) fn expect_empty(folder: &Path) -> Result<(), Error> {
        let full = || io::Error::new(io::ErrorKind::AlreadyExists, "the folder is not empty");
        let found = fs::read_dir(folder).and_then(|mut found| found.next().map_or(Ok(()), |_| Err(full())));
        found.map_err(file_error(folder))
    }

    /// Errors with what is wrong unless the schema of `file` is that of the first file.
    pub(super) fn expect_schema(first: &Schema, file: &Path, found: &Schema) -> Result<(), String> {
        if found == first {
            return Ok(());
        }
        let names = |schema: &Schema| {
            let fields: Vec<_> = schema.fields().iter().map(|field| &field.name).collect();
            let indices: Vec<_> = schema.indices().iter().map(|index| &index.name).collect();
            format!("sets {:?}, fields {fields:?} and indices {indices:?}", &**schema.sets())
        };
        let (file, found, first) = (file.display(), names(found), names(first));
        Err(format!("{file} has {found}, the first file {first}; these, levels, dtypes, widths and padding must agree"))
    }

    /// Name of the index file. It is written last, so that a folder without it is incomplete.
    pub(super) const NAME: &str = "index.json";
}
