//! [`Column`]: the rows of one feature.

use crate::{Array, LargeGraph};
use graphpack_loader::MappedFile;
use std::ops::Range;
use std::sync::Arc;

/// The rows of a feature, or ids, wherever they are.
#[derive(Clone, Debug)]
pub(super) enum Column {
    /// In memory.
    Array(Arc<Array>),
    /// Of a graph in memory: whether of edges, the type, the position among its features.
    Graph { graph: Arc<LargeGraph>, edges: bool, kind: usize, feature: usize },
    /// In a file.
    File { file: MappedFile, bytes: Range<usize> },
}

impl Column {
    /// All rows.
    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Self::Array(array) => array.bytes(),
            Self::Graph { graph, edges: false, kind, feature } => graph.node_types[*kind].features[*feature].1.bytes(),
            Self::Graph { graph, kind, feature, .. } => graph.edge_types[*kind].features[*feature].1.bytes(),
            Self::File { file, bytes } => &file.bytes()[bytes.clone()],
        }
    }

    /// The rows in a range, each of `width` bytes.
    pub(super) fn rows(&self, rows: Range<usize>, width: usize) -> &[u8] {
        &self.bytes()[rows.start * width..rows.end * width]
    }

    /// Bytes in memory that are the column's own.
    pub(super) fn memory(&self) -> usize {
        match self {
            Self::Array(array) => array.bytes().len(),
            _ => 0,
        }
    }
}
