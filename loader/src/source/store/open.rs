//! Stores in safetensors files: opened or mapped, verified, saved.
#![allow(unsafe_code, reason = "whoever maps a file promises that nobody changes it")]

use super::bytes::{Bytes, Map};
use super::column::LocalIndex;
use super::header::{Header, PIECE};
use super::offsets::Offsets;
use super::pages::{Pages, Sums};
use super::read_at::{FileState, open_regular};
use super::store::{Origin, counted};
use super::stored_file::StoredFile;
use super::tensor_file::{Tensor, write_file};
use super::{Column, FileError, Store};
use crate::error::{Error, file_error};
use crate::layout::Level;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

impl Store {
    /// Reads a safetensors file into memory. It must have the tensors `ptr_node` and `ptr_edge`, int64 `[graphs + 1]`,
    /// and `edge_index`, `[2, edges]` of uint8, uint16, int32 or int64, with nodes counted within each graph; or, where
    /// the metadata name other sets and indices, `ptr_SET` for each set and `[width, rows]` for each index. Every other
    /// tensor is a field, `[rows]` or `[rows, width]`.
    ///
    /// Everything is compared with the checksums that [`save`](Self::save) wrote. Indices are checked when a batch
    /// reads them. The level of a field (a set, or graphs) is in the file's metadata if
    /// [`save`](Self::save) wrote it, otherwise it follows from the number of rows.
    /// [`StoreFiles`](crate::StoreFiles) reads a file that is larger than memory.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let (file, found) = StoredFile::open(path.as_ref())?;
        let mut store = found.store(&file, 0..found.len())?;
        store.origin = Some(Arc::new(Origin { path: found.path, sums: found.sums, header: found.header }));
        Ok(store)
    }

    /// Maps a safetensors file, which the system reads when a batch needs it, otherwise as [`open`](Self::open).
    ///
    /// Batches and copies compare each page with its checksum when they first need it; [`values`](Self::values),
    /// [`edges`](Self::edges) and [`index`](Self::index) do not.
    ///
    /// # Safety
    ///
    /// As long as the store or a copy of it is in use, nobody truncates the file or writes to it, and its disk does not
    /// fail. If it is truncated, the system ends the process with SIGBUS; if it is written to, the program is
    /// undefined.
    /// [`StoreFiles::open`](crate::StoreFiles::open) is for files that others may write to.
    pub unsafe fn map(path: impl AsRef<Path>) -> Result<Self, Error> {
        let (file, found) = StoredFile::open(path.as_ref())?;
        let StoredFile { path, state, schema, starts, ptr, fields, indices, sums, header } = found;
        let places: Vec<u64> = fields.iter().map(Pages::start).collect();
        let (columns, of_indices): (Vec<_>, Vec<_>) =
            indices.into_iter().map(|index| ((index.width, index.columns), index.pages)).unzip();
        let arrays = fields.into_iter().chain(of_indices).collect();
        // SAFETY: what the caller promises.
        let map = unsafe { Map::new(&path, &file, state, arrays) }.map_err(file_error(&path))?;
        let map = Arc::new(map);
        // All were checked against the length of the file.
        let bytes = |array: usize, start: u64, len: usize| {
            Bytes::of_file(map.clone(), array, start as usize..start as usize + len)
        };
        let rows = |level| match level {
            Level::Set(set) => starts[usize::from(set)].total() as usize,
            Level::Graph => starts[0].graphs(),
        };
        // Offsets were read and compared when the file was opened.
        let offsets = ptr.iter().zip(&starts);
        let offsets =
            offsets.map(|(&ptr, of)| Offsets::from_bytes(bytes(usize::MAX, ptr, 8 * (of.graphs() + 1)))).collect();
        let indices = schema.indices().iter().zip(columns).zip(places.len()..).map(|((of, (width, starts)), array)| {
            let column = |start: u64| bytes(array, start, rows(of.level) * width.bytes());
            LocalIndex::new(width, starts.into_iter().map(column).collect())
        });
        let columns = schema.fields().iter().zip(&places).enumerate().map(|(array, (field, &start))| {
            Column::from_parts(field.clone(), bytes(array, start, rows(field.level) * field.row_bytes()))
        });
        let (indices, columns) = (indices.collect(), columns.collect());
        let store = Self::from_parts(schema, offsets, indices, columns, Some(map.clone()));
        let mut store = store.map_err(|source| FileError::Store { path: path.clone(), source })?;
        store.origin = Some(Arc::new(Origin { path, sums, header }));
        Ok(store)
    }

    /// Reads the whole file that the store was opened from, checks all indices and compares each tensor with its
    /// checksum. Returns the number of tensors compared: 0 for a store that is not from a file, or a file that
    /// [`save`](Self::save) did not write. Errors at the first that is damaged.
    pub fn verify(&self) -> Result<usize, Error> {
        self.origin.as_ref().map_or(Ok(0), |origin| StoredFile::verify(&origin.path))
    }
}

impl Store {
    /// Writes a safetensors file that [`open`](Self::open) reads. It has a temporary name until it is complete.
    /// Indices have the narrow integers of the store.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        self.save_file(path.as_ref()).map(drop)
    }

    /// Returns the checksum of the header, too.
    pub(super) fn save_file(&self, path: &Path) -> Result<Sums, Error> {
        let refused = |source| Error::from(FileError::Refused { path: path.to_owned(), source });
        self.schema().check().map_err(refused)?;
        (0..self.len()).try_for_each(|graph| self.check_pages(graph))?;
        let schema = self.schema();
        let ptr = self
            .ptr
            .iter()
            .enumerate()
            .map(|(set, ptr)| (Tensor::of_offsets(schema, set, self.len()), vec![ptr.bytes()]));
        let indices = schema.indices().iter().zip(&self.indices).map(|(of, index)| {
            let columns = index.rows(0..index.len()).map(|column| column.bytes());
            (Tensor::of_index(of, index.width(), index.len()), columns.collect())
        });
        let fields = self
            .columns
            .iter()
            .map(|column| (Tensor::of_field(column.field(), self.rows(column.field().level)), vec![column.bytes()]));
        let (tensors, bytes): (Vec<_>, Vec<Vec<&[u8]>>) = ptr.chain(indices).chain(fields).unzip();
        write_file(path, schema, &tensors, |tensor, out| bytes[tensor].iter().try_for_each(|bytes| out(bytes)))
    }
}

impl StoredFile {
    /// Opens a file, and reads and checks its header and its offsets.
    pub(super) fn open(path: &Path) -> Result<(File, Self), Error> {
        let file = open_regular(path).map_err(file_error(path))?;
        let state = FileState::of(&file).map_err(file_error(path))?;
        let found = Header::new(path, &file, state)?.found()?;
        Ok((file, found))
    }

    /// Reads a whole file, as [`Store::verify`] does, a piece at a time.
    pub(super) fn verify(path: &Path) -> Result<usize, Error> {
        let (file, found) = Self::open(path)?;
        let header = Header::new(path, &file, found.state)?;
        let written = &header.description.crc32;
        let mut names = header.metadata.offset_keys().into_iter();
        if let Some(tensor) = names.find(|name| !written.is_empty() && !written.contains_key(name)) {
            return Err(FileError::Missing { path: path.to_owned(), tensor: format!("checksum of {tensor}") }.into());
        }
        written.keys().try_for_each(|tensor| header.read(tensor, |_| Ok(())))?;
        found.all_checked();
        let each = (8 * PIECE / found.bytes(0..found.len()).div_ceil(found.len().max(1)).max(1)).max(1);
        for first in (0..found.len()).step_by(each) {
            let store = found.store(&file, first..found.len().min(first + each))?;
            for graph in 0..store.len() {
                store.check_values(graph).map_err(|error| found.invalid(counted(error, first)))?;
            }
        }
        Ok(written.len())
    }
}
