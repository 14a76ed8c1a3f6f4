//! [`StoreWriter`]: a data set written piece by piece, whose pieces may differ in their fields; [`StoreFilesWriter`]:
//! the same into several files.

use super::files::{Entry, FileIndex};
use super::pages::Sums;
use super::store::counted;
use super::tensor_file::{Scratch, Tensor, write_file};
use super::written_column::{WrittenColumn, WrittenIndex};
use super::{Column, FileError, Store, StoreError};
use crate::error::{Error, file_error};
use crate::layout::{Field, Index, Level, Schema};
use crate::source::whole_file::{create_part, expect_file, without_links};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Writes a data set piece by piece into one file, or into a folder of files, so that it may be larger than memory.
///
/// Pieces have the same sets and indices. A field that only some graphs have becomes a field of all of them: its rows
/// are 0 where a graph lacks it, and the field `has_NAME`, bool, says which graphs have it. NaN is a value that a graph
/// lacks, as [`Store::with_masks`] says. If a piece has a mask `has_NAME` with a row for each row of the field, it is
/// true for all rows of pieces without one.
///
/// Labels of a field are those of the first piece, then what later ones have besides.
///
/// A field of several dtypes gets the widest of them: bools become integers, and integers floating point. Errors if
/// this would round an integer, if bools meet floating point numbers, or if two pieces state different units of a
/// field; it has no unit if one of them states none.
///
/// ```
/// use graphpack_loader::store::StoreWriter;
/// use graphpack_loader::{Column, Level, Store};
///
/// let column = |name: &str, value: f32| Column::new(name, Level::Graph, 1, vec![value]);
/// let one = |columns| Store::of_columns(vec![0, 3], vec![0, 1], [vec![0], vec![2]], columns);
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("both.safetensors");
/// let mut writer = StoreWriter::create(&path)?;
/// writer.push(&one(vec![column("energy", 1.5)])?)?;
/// writer.push(&one(vec![column("energy", 2.5), column("stress", 0.1)])?)?;
/// writer.finish()?;
/// let store = Store::open(&path)?;
/// assert_eq!(store.values::<f32>("stress")?, [0.0, 0.1]);
/// assert_eq!(store.values::<bool>("has_stress")?, [false, true]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Until [`finish`](Self::finish), graphs are in temporary files beside the target, which take as much room on disk as
/// the data set and are removed with the writer.
#[derive(Debug)]
pub struct StoreWriter {
    path: PathBuf,
    graphs_per_file: Option<usize>,
    /// Of the graphs so far.
    schema: Schema,
    graphs: u64,
    ptr: Vec<Scratch>,
    /// Rows so far, for each set.
    rows: Vec<u64>,
    indices: Vec<WrittenIndex>,
    columns: Vec<WrittenColumn>,
    /// Whether a piece was written in part.
    failed: bool,
}

impl StoreWriter {
    /// Writes the file `path`.
    pub fn create(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        expect_file(path).map_err(file_error(path))?;
        Self::new(path, None)
    }

    /// Writes the folder `path`, which must be empty or not exist, of files with `graphs_per_file` graphs each, at
    /// least 1. It may be a link or where another disk is mounted.
    pub fn create_folder(path: impl AsRef<Path>, graphs_per_file: usize) -> Result<Self, Error> {
        let path = path.as_ref();
        if graphs_per_file == 0 {
            let problem = io::Error::new(io::ErrorKind::InvalidInput, "expected at least 1 graph per file, found 0");
            return Err(file_error(path)(problem));
        }
        if path.exists() {
            FileIndex::expect_empty(path)?;
        }
        Self::new(path, Some(graphs_per_file))
    }

    fn new(path: &Path, graphs_per_file: Option<usize>) -> Result<Self, Error> {
        let path = &without_links(path);
        let (rows, indices, columns) = (Vec::new(), Vec::new(), Vec::new());
        let schema = Schema::default();
        let mut writer = Self {
            path: path.to_owned(),
            graphs_per_file,
            schema,
            graphs: 0,
            ptr: vec![],
            rows,
            indices,
            columns,
            failed: false,
        };
        // Creates files, so that a target that cannot be written fails now rather than after hours.
        writer.begin(&Schema::default()).map_err(file_error(path))?;
        Ok(writer)
    }

    /// Number of graphs so far.
    pub fn len(&self) -> usize {
        self.graphs as usize
    }

    /// Whether there are no graphs yet.
    pub fn is_empty(&self) -> bool {
        self.graphs == 0
    }

    /// The sets, fields and indices so far.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Appends the graphs of a store. After an error the writer can only be dropped.
    pub fn push(&mut self, store: &Store) -> Result<(), Error> {
        self.expect_whole()?;
        self.failed = true;
        self.push_whole(store)?;
        self.failed = false;
        Ok(())
    }

    /// Refuses to go on after an error.
    fn expect_whole(&self) -> Result<(), Error> {
        let problem = "an earlier piece could not be written: the writer can only be dropped";
        if self.failed { Err(file_error(&self.path)(io::Error::other(problem))) } else { Ok(()) }
    }

    fn push_whole(&mut self, store: &Store) -> Result<(), Error> {
        if store.is_empty() && !self.is_empty() {
            return Ok(());
        }
        if self.is_empty() {
            self.begin(store.schema()).map_err(file_error(&self.path))?;
        }
        store.schema().check().map_err(|error| self.refused(error))?;
        let store = &*store.with_masks().map_err(|error| self.refused(error))?;
        let check = |graph| {
            store.check_pages(graph)?;
            store.check_values(graph).map_err(|source| self.refused(counted(source, self.len())))
        };
        (0..store.len()).try_for_each(check)?;
        self.unite(store)?;
        let fields: Vec<Field> = self.columns.iter().map(|column| column.field.clone()).collect();
        let store = &*store.coded(&fields).map_err(|source| self.refused(counted(source, self.len())))?;
        self.append(store).map_err(file_error(&self.path))?;
        let masked = self.columns.iter().flat_map(|column| [&column.field].into_iter().chain(column.mask()).cloned());
        let (sets, fields, indices) = (self.schema.sets(), masked.collect(), self.schema.indices().to_vec());
        self.schema = Schema::from_parts(sets, fields, indices).map_err(|error| self.refused(error))?;
        Ok(())
    }

    /// Takes the sets and indices of the first graphs.
    fn begin(&mut self, schema: &Schema) -> io::Result<()> {
        self.schema = schema.clone();
        self.columns.clear();
        self.rows = vec![0; schema.sets().len()];
        let offsets = |_: &u64| {
            let mut offsets = Scratch::create(&self.path)?;
            offsets.push(&[0; 8]).map(|()| offsets)
        };
        self.ptr = self.rows.iter().map(offsets).collect::<io::Result<_>>()?;
        let index = |index: &Index| WrittenIndex::create(&self.path, index.width());
        self.indices = schema.indices().iter().map(index).collect::<io::Result<_>>()?;
        Ok(())
    }

    /// Adds the fields of a store that the graphs before lack, and makes room in those that both have.
    fn unite(&mut self, store: &Store) -> Result<(), Error> {
        let (found, expected) = (store.schema(), &self.schema);
        if (found.sets(), found.indices()) != (expected.sets(), expected.indices()) {
            let text = |schema: &Schema| {
                let indices: Vec<&str> = schema.indices().iter().map(|index| &*index.name).collect();
                format!("{:?} with {indices:?}", &**schema.sets())
            };
            let (what, expected, found) = ("sets and indices".into(), text(expected), text(found));
            return Err(self.refused(StoreError::Other { what, graph: 0, expected, found }.into()));
        }
        for (column, _) in with_masks(store) {
            let (field, graphs) = (column.field(), self.graphs);
            // Graphs that lack a field lack it whatever a mask of theirs says.
            if self.columns.iter().any(|written| field.is_mask_of(&written.field)) {
                continue;
            }
            self.columns.retain(|written| !written.field.is_mask_of(field));
            let result = match self.columns.iter_mut().find(|written| written.field.name == field.name) {
                Some(written) => written.unite(&self.path, column, graphs, self.schema.sets()),
                None => self.create_column(field).map(Ok),
            };
            result.map_err(file_error(&self.path))?.map_err(|error| self.refused(error))?;
        }
        Ok(())
    }

    /// Adds a field that the graphs so far lack. Of a mask of rows, they have what they have of its field.
    fn create_column(&mut self, field: &Field) -> io::Result<()> {
        let (graphs, rows) = (self.graphs, rows_at(&self.rows, self.graphs, field.level));
        let of = self.columns.iter_mut().find(|of| field.is_mask_of_rows(&of.field));
        let column = match (of, field.level) {
            (Some(of), Level::Set(set)) => {
                let mut column = WrittenColumn::create(&self.path, field.clone(), 0, 0)?;
                let (ptr, mut first) = (&mut self.ptr[usize::from(set)], 0);
                for graph in 0..graphs {
                    let (mut has, end) = (1, offset(ptr, graph + 1)?);
                    of.read_mask(graph..graph + 1, &mut |bytes| {
                        has = bytes[0];
                        Ok(())
                    })?;
                    column.fill(has, end - first)?;
                    first = end;
                }
                of.is_masked = true;
                column
            }
            _ => WrittenColumn::create(&self.path, field.clone(), graphs, rows)?,
        };
        self.columns.push(column);
        Ok(())
    }

    fn append(&mut self, store: &Store) -> io::Result<()> {
        let (path, earlier, graphs) = (&self.path, self.graphs, store.len() as u64);
        let found: Vec<_> = with_masks(store).collect();
        let fields: Vec<Field> = self.columns.iter().map(|written| written.field.clone()).collect();
        for written in &mut self.columns {
            let rows = store.rows(written.field.level) as u64;
            let of = fields.iter().find(|of| written.field.is_mask_of_rows(of));
            let find = |field: &Field| found.iter().find(|(column, _)| column.field().name == field.name);
            match (find(&written.field), of) {
                (Some((column, mask)), _) => written.push(path, column, *mask, earlier, graphs)?,
                // All that these graphs have of the field is there.
                (None, Some(of)) => match find(of) {
                    Some((column, Some(mask))) => {
                        let rows = |graph| store.span(column.field().level, graph).len() as u64;
                        let mut graphs = mask.bytes().iter().enumerate();
                        graphs.try_for_each(|(graph, &has)| written.fill(has, rows(graph)))?;
                    }
                    all => written.fill(u8::from(all.is_some()), rows)?,
                },
                (None, None) => written.push_none(path, rows, earlier, graphs)?,
            }
        }
        for ((of, written), index) in self.schema.indices().iter().zip(&mut self.indices).zip(&store.indices) {
            let sets = of.targets.iter().map(|&set| &store.ptr[usize::from(set)]);
            let largest = sets.flat_map(|ptr| (0..store.len()).map(|graph| ptr.count(graph))).max();
            written.push(path, index, largest.unwrap_or_default().into())?;
        }
        for ((written, rows), ptr) in self.ptr.iter_mut().zip(&mut self.rows).zip(&store.ptr) {
            let ends = (0..store.len()).flat_map(|graph| (*rows + ptr.span(graph).end as u64).to_le_bytes());
            written.push(&ends.collect::<Vec<_>>())?;
            *rows += ptr.total();
        }
        self.graphs += graphs;
        Ok(())
    }

    /// Writes the file or the folder. Until then, nothing has its name; a folder that was there can be opened once its
    /// last file, the index, is written.
    pub fn finish(mut self) -> Result<(), Error> {
        self.expect_whole()?;
        let path = self.path.clone();
        let rows = |level| rows_at(&self.rows, self.graphs, level);
        let complete = self.columns.iter().try_for_each(|column| column.check(rows(column.field.level), self.graphs));
        let mut indices = self.schema.indices().iter().zip(&self.indices);
        let complete = complete.and_then(|()| indices.try_for_each(|(of, index)| index.check(rows(of.level))));
        complete.map_err(file_error(&path))?;
        let Some(each) = self.graphs_per_file else { return self.write(&path, 0..self.graphs).map(drop) };
        if FileIndex::expect_empty(&path).is_ok() {
            // Nothing can be renamed to where a disk is mounted.
            return self.write_folder(&path, each as u64);
        }
        let (part, ()) = create_part(&path, |part| fs::create_dir(part)).map_err(file_error(&path))?;
        self.write_folder(&part, each as u64).inspect_err(|_| drop(fs::remove_dir(&part)))?;
        let kept = |error: io::Error| io::Error::new(error.kind(), format!("{error}; all is in {}", part.display()));
        fs::rename(&part, &path).map_err(kept).map_err(file_error(&path))
    }

    /// Writes the files into an empty folder, which is empty again if that fails.
    fn write_folder(&mut self, folder: &Path, each: u64) -> Result<(), Error> {
        let files = 0..self.graphs.div_ceil(each).max(1);
        let written = self.write_files(folder, each, files.clone());
        written.inspect_err(|_| {
            files.for_each(|number| drop(fs::remove_file(folder.join(FileIndex::file(number as usize)))));
        })
    }

    fn write_files(&mut self, folder: &Path, each: u64, files: Range<u64>) -> Result<(), Error> {
        let mut index = FileIndex::default();
        for number in files {
            let graphs = number * each..self.graphs.min((number + 1) * each);
            let file = FileIndex::file(number as usize);
            let header = Some(self.write(&folder.join(&file), graphs.clone())?);
            index.files.push(Entry { file, graphs: (graphs.end - graphs.start) as usize, header });
        }
        index.save(folder)
    }

    /// Writes a file of some of the graphs.
    fn write(&mut self, path: &Path, graphs: Range<u64>) -> Result<Sums, Error> {
        let spans = self.ptr.iter_mut().map(|ptr| Ok(offset(ptr, graphs.start)?..offset(ptr, graphs.end)?));
        let spans: Vec<Range<u64>> = spans.collect::<io::Result<_>>().map_err(file_error(path))?;
        let span = |level| match level {
            Level::Set(set) => spans[usize::from(set)].clone(),
            Level::Graph => graphs.clone(),
        };
        let rows = |level| (span(level).end - span(level).start) as usize;
        let (mut tensors, mut of) = (Vec::new(), Vec::new());
        for set in 0..spans.len() {
            tensors.push(Tensor::of_offsets(&self.schema, set, rows(Level::Graph)));
            of.push(Of::Offsets(set));
        }
        for (position, (index, written)) in self.schema.indices().iter().zip(&self.indices).enumerate() {
            tensors.push(Tensor::of_index(index, written.width(), rows(index.level)));
            of.push(Of::Index(position, index.level));
        }
        for (position, column) in self.columns.iter().enumerate() {
            tensors.push(Tensor::of_field(&column.field, rows(column.field.level)));
            of.push(Of::Rows(position));
            if let Some(mask) = column.mask() {
                tensors.push(Tensor::of_field(mask, rows(Level::Graph)));
                of.push(Of::Mask(position));
            }
        }
        let Self { schema, ptr, indices, columns, .. } = self;
        write_file(path, schema, &tensors, |tensor, out| match of[tensor] {
            Of::Offsets(set) => {
                let first = spans[set].start;
                ptr[set].read(8 * graphs.start..8 * (graphs.end + 1), &mut |bytes| {
                    let offsets = bytes.as_chunks::<8>().0.iter();
                    let counted = offsets.flat_map(|bytes| (u64::from_le_bytes(*bytes) - first).to_le_bytes());
                    out(&counted.collect::<Vec<_>>())
                })
            }
            Of::Index(position, level) => indices[position].read(span(level), out),
            Of::Rows(position) => {
                let column = &mut columns[position];
                column.read(span(column.field.level), out)
            }
            Of::Mask(position) => columns[position].read_mask(graphs.clone(), out),
        })
    }

    fn refused(&self, source: Error) -> Error {
        FileError::Refused { path: self.path.clone(), source }.into()
    }
}

/// What a tensor holds, by position.
#[derive(Clone, Copy)]
enum Of {
    Offsets(usize),
    Index(usize, Level),
    Rows(usize),
    Mask(usize),
}

/// The columns of a store but masks, each with the mask that says which graphs have it.
fn with_masks(store: &Store) -> impl Iterator<Item = (&Column, Option<&Column>)> {
    let columns = &store.columns;
    let is_mask = |mask: &Column| columns.iter().any(|column| mask.field().is_mask_of(column.field()));
    let mask = |column: &Column| columns.iter().find(|mask| mask.field().is_mask_of(column.field()));
    columns.iter().filter(move |column| !is_mask(column)).map(move |column| (column, mask(column)))
}

fn rows_at(rows: &[u64], graphs: u64, level: Level) -> u64 {
    match level {
        Level::Set(set) => rows[usize::from(set)],
        Level::Graph => graphs,
    }
}

/// Where the rows of a graph start.
fn offset(ptr: &mut Scratch, graph: u64) -> io::Result<u64> {
    let mut found = [0; 8];
    ptr.read(8 * graph..8 * graph + 8, &mut |bytes| {
        found.copy_from_slice(bytes);
        Ok(())
    })?;
    Ok(u64::from_le_bytes(found))
}

/// Writes a data set into a folder of files, one store at a time, so that a data set larger than memory can be written.
///
/// ```
/// use graphpack_loader::store::StoreFilesWriter;
/// use graphpack_loader::{StoreFiles, molecules};
///
/// let folder = tempfile::tempdir()?;
/// let mut writer = StoreFilesWriter::create(folder.path())?;
/// for part in 0..3 {
///     writer.push(&molecules::generate(part, 100))?;
/// }
/// writer.finish()?;
/// assert_eq!(StoreFiles::open(folder.path())?.len(), 300);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct StoreFilesWriter {
    folder: PathBuf,
    /// The schema of all files, with the units that any of them states.
    schema: Option<Schema>,
    index: FileIndex,
}

impl StoreFilesWriter {
    /// Creates `folder`, which must be empty or not exist.
    pub fn create(folder: impl AsRef<Path>) -> Result<Self, Error> {
        let folder = folder.as_ref().to_owned();
        fs::create_dir_all(&folder).map_err(file_error(&folder))?;
        FileIndex::expect_empty(&folder)?;
        Ok(Self { folder, schema: None, index: FileIndex::default() })
    }

    /// Writes `store` as the next file. Errors if it has other sets, fields, indices or labels than the first, or if a
    /// field is in another unit than in an earlier one.
    pub fn push(&mut self, store: &Store) -> Result<(), Error> {
        let file = FileIndex::file(self.index.files.len());
        let first = self.schema.get_or_insert_with(|| store.schema().clone());
        let units = || first.clone().agree(&[first, store.schema()]).map_err(|error| error.to_string());
        FileIndex::expect_schema(first, &file, store.schema())
            .and_then(|()| units())
            .map_err(|problem| FileError::Index { path: self.folder.join(FileIndex::NAME), problem })?;
        let fields = first.fields().iter().zip(store.schema().fields());
        let stated =
            fields.map(|(first, found)| Field { unit: first.unit.clone().or(found.unit.clone()), ..first.clone() });
        let united = Schema::from_parts(first.sets(), stated.collect(), first.indices().to_vec())?;
        let header = Some(store.save_file(&self.folder.join(&file))?);
        self.schema = Some(united);
        self.index.files.push(Entry { file, graphs: store.len(), header });
        Ok(())
    }

    /// Writes the index, without which the folder cannot be opened. If no store was pushed, first writes a file without
    /// graphs.
    pub fn finish(mut self) -> Result<(), Error> {
        if self.index.files.is_empty() {
            self.push(&Store::new(Schema::default()))?;
        }
        self.index.save(&self.folder)
    }
}
