//! [`StoredFile`]: one file of graphs, opened: where its tensors lie, and how rows of them are read and checked.

use super::bytes::Bytes;
use super::chunks::RunRows;
use super::column::LocalIndex;
use super::offsets::{Offsets, Starts};
use super::pages::{PAGE, Pages, Sums};
use super::read_at::{FileState, read_at, read_cached};
use super::{Column, FileError, Store};
use crate::error::{Error, file_error};
use crate::fingerprint::{mix, mix_bytes};
use crate::layout::{IndexBytes, IndexWidth, Level, MAX_COLUMNS, MAX_SETS, Schema, Size, Slot};
use crate::source::will_read;
use std::convert::Infallible;
use std::fs::File;
use std::ops::Range;
use std::path::PathBuf;

/// The contents of a file, and where they lie in it.
#[derive(Debug)]
pub(super) struct StoredFile {
    pub(super) path: PathBuf,
    pub(super) state: FileState,
    pub(super) schema: Schema,
    /// Where the rows of each graph start, for each set.
    pub(super) starts: Vec<Starts>,
    /// Where the offsets of each set start in the file.
    pub(super) ptr: Vec<u64>,
    /// Where each field is in the file.
    pub(super) fields: Vec<Pages>,
    pub(super) indices: Vec<StoredIndex>,
    /// Checksums of all values and their numbers of bytes, if the file has them: of each field, and of each column of
    /// each index as int64.
    pub(super) sums: Option<Vec<(u32, u64)>>,
    /// Checksum of the header, if there is one.
    pub(super) header: Option<Sums>,
}

/// Where an index is in a file.
#[derive(Debug)]
pub(super) struct StoredIndex {
    pub(super) width: IndexWidth,
    /// Where each column starts.
    pub(super) columns: Vec<u64>,
    pub(super) pages: Pages,
}

/// What a graph has of a column.
enum Piece<'a> {
    Field(&'a [u8]),
    Index(&'a [IndexBytes<'a>]),
}

impl StoredFile {
    /// Number of graphs.
    pub(super) fn len(&self) -> usize {
        self.starts[0].graphs()
    }

    #[inline]
    pub(super) fn size(&self, graph: usize) -> Size {
        match &self.starts[..] {
            [nodes, edges] => Size::new([nodes.count(graph), edges.count(graph)]),
            all => Size::of(all.len(), |set| all[set].count(graph)),
        }
    }

    /// Number of columns: of fields, and of each index.
    pub(super) fn columns(&self) -> usize {
        self.fields.len() + self.indices.iter().map(|index| index.columns.len()).sum::<usize>()
    }

    /// Where the rows of some graphs are in each column: the array, the first byte, and the number of bytes.
    pub(super) fn places(&self, graphs: Range<usize>) -> impl Iterator<Item = (&Pages, u64, usize)> {
        let rows = move |level| match level {
            Level::Set(set) => {
                self.starts[usize::from(set)].at(graphs.start)..self.starts[usize::from(set)].at(graphs.end)
            }
            Level::Graph => graphs.start as u64..graphs.end as u64,
        };
        let place = move |start: u64, rows: Range<u64>, row: usize| {
            (start + rows.start * row as u64, (rows.end - rows.start) as usize * row)
        };
        let fields = self.schema.fields().iter().zip(&self.fields).map(move |(field, pages)| {
            let (start, bytes) = place(pages.start(), rows(field.level), field.row_bytes());
            (pages, start, bytes)
        });
        let indices = self.schema.indices().iter().zip(&self.indices).flat_map(move |(of, index)| {
            let (rows, row) = (rows(of.level), index.width.bytes());
            index.columns.iter().map(move |&start| {
                let (start, bytes) = place(start, rows.clone(), row);
                (&index.pages, start, bytes)
            })
        });
        fields.chain(indices)
    }

    /// Bytes of some graphs.
    pub(super) fn bytes(&self, graphs: Range<usize>) -> usize {
        self.places(graphs).map(|(_, _, bytes)| bytes).sum()
    }

    /// Reads the rows of neighbouring graphs, those of each column to where it `starts` in `bytes`, and compares the
    /// pages that they are of, which `page` has room for a part of. If `around` is given, returns whether the system
    /// had all of them in memory; it is asked for the others and this many bytes around them.
    pub(super) fn read(
        &self,
        file: &File,
        graphs: Range<usize>,
        starts: &[usize],
        bytes: &mut [u8],
        page: &mut [u8],
        around: Option<u64>,
    ) -> Result<bool, Error> {
        let fetch = |offset: u64, into: &mut [u8]| match around {
            Some(around) => Ok(read_cached(file, offset, into, around)),
            None => read_at(file, &self.path, offset, into).map(|()| true),
        };
        let mut whole = true;
        for ((pages, offset, length), &start) in self.places(graphs).zip(starts) {
            let into = &mut bytes[start..start + length];
            whole &= fetch(offset, into)? && pages.check(&self.path, offset, into, page, fetch)?;
        }
        Ok(whole)
    }

    /// Returns a checksum of all values in files of one schema, one after the other: the same for any division into
    /// files and any type of indices. `None` unless all have their [`sums`](Self::sums).
    pub(super) fn checksum<'a>(files: impl IntoIterator<Item = Option<&'a [(u32, u64)]>>) -> Option<u64> {
        let mut all: Vec<crc32fast::Hasher> = Vec::new();
        for sums in files {
            let sums = sums?;
            all.resize(sums.len(), crc32fast::Hasher::new());
            let of = |&(sum, bytes): &(u32, u64)| crc32fast::Hasher::new_with_initial_len(sum, bytes);
            all.iter_mut().zip(sums).for_each(|(all, sum)| all.combine(&of(sum)));
        }
        Some(all.into_iter().fold(0, |hash, sum| mix(hash, sum.finalize().into())))
    }

    /// All was compared with its checksums.
    pub(super) fn all_checked(&self) {
        self.fields.iter().chain(self.indices.iter().map(|index| &index.pages)).for_each(Pages::all_checked);
    }

    /// Errors if the file is not as it was when it was opened.
    pub(super) fn check(&self, file: &File) -> Result<(), Error> {
        self.state.check(&self.path, FileState::of(file))
    }

    /// The rows of a graph in each set, and at the end the graph itself, counted from the first ones of `rows`.
    #[inline]
    fn spans(&self, rows: RunRows<'_>, graph: usize, spans: &mut [Range<usize>; MAX_SETS + 1]) {
        for (span, starts) in spans.iter_mut().zip(&self.starts) {
            let (found, first) = (starts.span(graph), starts.at(rows.graph) as usize);
            *span = found.start - first..found.end - first;
        }
        spans[MAX_SETS] = graph - rows.graph..graph - rows.graph + 1;
    }

    /// Calls `each` with the rows of a graph of each field, then with those of each index.
    #[inline]
    fn pieces<E>(
        &self,
        rows: RunRows<'_>,
        graph: usize,
        mut each: impl FnMut(usize, Piece<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut spans = [const { 0..0 }; MAX_SETS + 1];
        self.spans(rows, graph, &mut spans);
        let part = |start: usize, level: Level, row: usize| {
            let span = match level {
                Level::Set(set) => &spans[usize::from(set)],
                Level::Graph => &spans[MAX_SETS],
            };
            &rows.bytes[start + span.start * row..start + span.end * row]
        };
        let (fields, mut columns) = rows.starts.split_at(self.fields.len());
        for (position, (of, &start)) in self.schema.fields().iter().zip(fields).enumerate() {
            each(position, Piece::Field(part(start, of.level, of.row_bytes())))?;
        }
        for (position, (of, StoredIndex { width, .. })) in self.schema.indices().iter().zip(&self.indices).enumerate() {
            let (own, others) = columns.split_at(of.width());
            let mut found = [IndexBytes::EMPTY; MAX_COLUMNS];
            for (found, &start) in found.iter_mut().zip(own) {
                *found = IndexBytes::new(*width, part(start, of.level, width.bytes()));
            }
            each(position, Piece::Index(&found[..of.width()]))?;
            columns = others;
        }
        Ok(())
    }

    /// Writes a graph of `rows` into a batch.
    #[inline]
    pub(super) fn write(&self, rows: RunRows<'_>, graph: usize, slot: &mut Slot<'_>) -> Result<(), Error> {
        self.pieces(rows, graph, |position, piece| match piece {
            Piece::Field(bytes) => slot.set_at(position, bytes),
            Piece::Index(columns) => slot.set_index_at(position, columns),
        })
    }

    /// Hints to the processor that a graph of `rows` will be written.
    pub(super) fn will_write(&self, rows: RunRows<'_>, graph: usize) {
        let _ = self.pieces(rows, graph, |_, piece| {
            match piece {
                Piece::Field(bytes) => will_read(bytes),
                Piece::Index(columns) => columns.iter().for_each(|column| will_read(column.bytes())),
            }
            Ok::<(), Infallible>(())
        });
    }

    /// Returns `hash` with the rows of every field and index of a graph mixed in, as of a store in memory.
    pub(super) fn mix_graph(&self, mut hash: u64, rows: RunRows<'_>, graph: usize) -> u64 {
        let _ = self.pieces(rows, graph, |_, piece| {
            hash = match piece {
                Piece::Field(bytes) => mix_bytes(hash, bytes),
                Piece::Index(columns) => {
                    columns.iter().flat_map(|column| column.iter()).fold(hash, |hash, row| mix(hash, row as u64))
                }
            };
            Ok::<(), Infallible>(())
        });
        hash
    }

    /// Reads neighbouring graphs into a store, whose indices are not checked; their pages are.
    pub(super) fn store(&self, file: &File, graphs: Range<usize>) -> Result<Store, Error> {
        let store = self.read_store(file, graphs);
        // Bytes of a file that was changed may also be damaged.
        self.check(file)?;
        store
    }

    fn read_store(&self, file: &File, graphs: Range<usize>) -> Result<Store, Error> {
        let (mut places, mut page) = (self.places(graphs.clone()), vec![0; PAGE as usize]);
        let fetch = |offset: u64, into: &mut [u8]| read_at(file, &self.path, offset, into).map(|()| true);
        let mut next = || {
            let Some((pages, start, bytes)) = places.next() else { return Ok(Bytes::new(&[])) };
            let read = |into: &mut [u8]| {
                fetch(start, into)?;
                pages.check(&self.path, start, into, &mut page, fetch).map(|_| ())
            };
            Bytes::filled(bytes, read, file_error(&self.path))
        };
        let fields = self.schema.fields().iter().map(|field| Ok(Column::from_parts(field.clone(), next()?)));
        let fields = fields.collect::<Result<Vec<_>, Error>>()?;
        let index = |index: &StoredIndex| {
            let columns = index.columns.iter().map(|_| next()).collect::<Result<_, Error>>()?;
            Ok(LocalIndex::new(index.width, columns))
        };
        let indices = self.indices.iter().map(index).collect::<Result<_, Error>>()?;
        let ptr = self.starts.iter().map(|starts| {
            let first = starts.at(graphs.start);
            let offsets = (graphs.start..=graphs.end).map(|graph| starts.at(graph) - first);
            Offsets::from_vec(&offsets.collect::<Vec<_>>())
        });
        let store = Store::from_parts(self.schema.clone(), ptr.collect(), indices, fields, None);
        store.map_err(|source| self.invalid(source))
    }

    pub(super) fn invalid(&self, source: Error) -> Error {
        FileError::Store { path: self.path.clone(), source }.into()
    }
}
