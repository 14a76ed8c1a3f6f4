//! [`Column`]: the rows of one feature.

use crate::{Array, LargeGraph};
use graphpack_loader::Error;
use graphpack_loader::store::SharedFile;
use memmap2::MmapMut;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// The rows of a feature, or ids, wherever they are.
#[derive(Clone, Debug)]
pub(super) enum Column {
    /// In memory.
    Array(Arc<Array>),
    /// Of a graph in memory: whether of edges, the type, the position among its features.
    Graph { graph: Arc<LargeGraph>, edges: bool, kind: usize, feature: usize },
    /// In a file, which others may write to.
    File { file: SharedFile, bytes: Range<u64>, kept: Option<Arc<Kept>> },
}

/// Bytes of a file that are read and kept together: as many as a large page has, since rows are drawn from anywhere.
const BLOCK: usize = 1 << 21;

/// Blocks of a column in a file. A block that was read stays in memory as long as there is room: sampling with one read
/// of the file per row took five times as long as sampling from memory, and with blocks in pages of 4 KiB twice as
/// long.
#[derive(Debug)]
pub(super) struct Kept {
    blocks: Box<[OnceLock<MmapMut>]>,
    /// Bytes that are left, for all columns together.
    room: Arc<AtomicU64>,
}

impl Kept {
    fn new(bytes: u64, room: Arc<AtomicU64>) -> Self {
        Self { blocks: (0..bytes.div_ceil(BLOCK as u64)).map(|_| OnceLock::new()).collect(), room }
    }

    /// A block of the column at `column`; `None` if there is no room for it.
    fn block(&self, number: usize, file: &SharedFile, column: &Range<u64>) -> Result<Option<&[u8]>, Error> {
        let slot = &self.blocks[number];
        if let Some(block) = slot.get() {
            return Ok(Some(block));
        }
        let start = column.start + (number * BLOCK) as u64;
        let bytes = (BLOCK as u64).min(column.end - start);
        let took = self.room.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |room| room.checked_sub(bytes));
        if took.is_err() {
            return Ok(None);
        }
        let give_back = || self.room.fetch_add(bytes, Ordering::Relaxed);
        let Ok(mut block) = MmapMut::map_anon(bytes as usize) else {
            give_back();
            return Ok(None);
        };
        #[cfg(target_os = "linux")]
        // Without large pages the block serves, too.
        let _ = block.advise(memmap2::Advice::HugePage);
        let read = file.read(start, &mut block);
        // Another thread may have read it meanwhile.
        if read.is_err() || slot.set(block).is_err() {
            give_back();
        }
        read?;
        Ok(slot.get().map(|block| &**block))
    }
}

/// The rows of a column: in memory, or where they are in a file.
#[derive(Clone, Copy)]
pub(super) enum Rows<'a> {
    Memory(&'a [u8]),
    File(&'a SharedFile, &'a Range<u64>, Option<&'a Kept>),
}

impl Rows<'_> {
    /// Copies rows of `width` bytes, from `row` on, as many as there is room for.
    pub(super) fn read(self, row: usize, width: usize, into: &mut [u8]) -> Result<(), Error> {
        match self {
            Self::Memory(bytes) => into.copy_from_slice(&bytes[row * width..][..into.len()]),
            Self::File(file, bytes, None) => file.read(bytes.start + (row * width) as u64, into)?,
            Self::File(file, bytes, Some(kept)) => {
                let (mut at, mut into) = (row * width, into);
                while !into.is_empty() {
                    let within = at % BLOCK;
                    let (head, rest) = into.split_at_mut(into.len().min(BLOCK - within));
                    match kept.block(at / BLOCK, file, bytes)? {
                        Some(block) => head.copy_from_slice(&block[within..][..head.len()]),
                        None => file.read(bytes.start + at as u64, head)?,
                    }
                    (at, into) = (at + head.len(), rest);
                }
            }
        }
        Ok(())
    }
}

/// Bytes of a file that are read at a time.
const PIECE: usize = 1 << 20;

impl Column {
    /// All rows.
    pub(super) fn rows(&self) -> Rows<'_> {
        match self {
            Self::Array(array) => Rows::Memory(array.bytes()),
            Self::Graph { graph, edges: false, kind, feature } => {
                Rows::Memory(graph.node_types[*kind].features[*feature].1.bytes())
            }
            Self::Graph { graph, kind, feature, .. } => {
                Rows::Memory(graph.edge_types[*kind].features[*feature].1.bytes())
            }
            Self::File { file, bytes, kept } => Rows::File(file, bytes, kept.as_deref()),
        }
    }

    /// Keeps what is read of a file, as long as there is room.
    pub(super) fn keep(&mut self, room: &Arc<AtomicU64>) {
        if let Self::File { bytes, kept, .. } = self {
            *kept = Some(Arc::new(Kept::new(bytes.end - bytes.start, room.clone())));
        }
    }

    /// Copies rows of `width` bytes, from `row` on, as many as there is room for.
    pub(super) fn read(&self, row: usize, width: usize, into: &mut [u8]) -> Result<(), Error> {
        self.rows().read(row, width, into)
    }

    /// Passes the bytes of all rows on, a piece at a time, each a multiple of 8 but for the last.
    pub(super) fn all(&self, mut each: impl FnMut(&[u8])) -> Result<(), Error> {
        let (file, bytes) = match self.rows() {
            Rows::Memory(bytes) => {
                each(bytes);
                return Ok(());
            }
            Rows::File(file, bytes, _) => (file, bytes),
        };
        let mut piece = vec![0; PIECE.min((bytes.end - bytes.start) as usize)];
        for start in bytes.clone().step_by(PIECE) {
            let piece = &mut piece[..PIECE.min((bytes.end - start) as usize)];
            file.read(start, piece)?;
            each(piece);
        }
        Ok(())
    }

    /// Bytes in memory that are the column's own.
    pub(super) fn memory(&self) -> usize {
        match self {
            Self::Array(array) => array.bytes().len(),
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_the_same_whatever_there_is_room_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows");
        let all: Vec<u8> = (0..5_000_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        std::fs::write(&path, &all).unwrap();
        // Rows of 7 bytes begin at any place of a block and may end in the next.
        let (start, width, rows) = (13, 7, 700_000);
        for (room, left) in [(0, 0), (2_500_000, 2_500_000 - BLOCK as u64), (8 << 20, (8 << 20) - 7 * 700_000)] {
            let file = SharedFile::open(&path).unwrap();
            let mut column = Column::File { file, bytes: start..start + (width * rows) as u64, kept: None };
            let room = Arc::new(AtomicU64::new(room));
            column.keep(&room);
            let mut found = vec![0; 3 * width];
            for row in (0..rows - 2).step_by(401).chain([299_593, rows - 3]) {
                column.read(row, width, &mut found).unwrap();
                assert_eq!(found, all[start as usize + row * width..][..3 * width], "row {row}");
            }
            assert_eq!(room.load(Ordering::Relaxed), left);
        }
    }
}
