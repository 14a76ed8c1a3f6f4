//! [`Column`]: the rows of one feature.

use crate::{Array, LargeGraph};
use graphpack_loader::{FileError, SharedFile};
use std::ops::Range;
use std::sync::Arc;

/// The rows of a feature, or ids, wherever they are.
#[derive(Clone, Debug)]
pub(super) enum Column {
    /// In memory.
    Array(Arc<Array>),
    /// Of a graph in memory: whether of edges, the type, the position among its features.
    Graph { graph: Arc<LargeGraph>, edges: bool, kind: usize, feature: usize },
    /// In a file, which others may write to.
    File { file: SharedFile, bytes: Range<u64> },
}

/// The rows of a column: in memory, or where they are in a file.
#[derive(Clone, Copy)]
pub(super) enum Rows<'a> {
    Memory(&'a [u8]),
    File(&'a SharedFile, &'a Range<u64>),
}

impl Rows<'_> {
    /// Copies rows of `width` bytes, from `row` on, as many as there is room for.
    pub(super) fn read(self, row: usize, width: usize, into: &mut [u8]) -> Result<(), FileError> {
        match self {
            Self::Memory(bytes) => into.copy_from_slice(&bytes[row * width..][..into.len()]),
            Self::File(file, bytes) => file.read(bytes.start + (row * width) as u64, into)?,
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
            Self::File { file, bytes } => Rows::File(file, bytes),
        }
    }

    /// Copies rows of `width` bytes, from `row` on, as many as there is room for.
    pub(super) fn read(&self, row: usize, width: usize, into: &mut [u8]) -> Result<(), FileError> {
        self.rows().read(row, width, into)
    }

    /// Passes the bytes of all rows on, a piece at a time, each a multiple of 8 but for the last.
    pub(super) fn all(&self, mut each: impl FnMut(&[u8])) -> Result<(), FileError> {
        let (file, bytes) = match self.rows() {
            Rows::Memory(bytes) => {
                each(bytes);
                return Ok(());
            }
            Rows::File(file, bytes) => (file, bytes),
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
