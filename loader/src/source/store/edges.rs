//! [`LocalEdges`]: sources and targets of all edges, in narrow integers.

use super::bytes::Bytes;
use crate::layout::{IndexBytes, IndexWidth};
use std::ops::Range;

/// Sources and targets of all edges, as node numbers counted within each graph.
#[derive(Clone, Debug)]
pub(super) struct LocalEdges {
    width: IndexWidth,
    rows: [Bytes; 2],
}

impl LocalEdges {
    /// Stores `rows` in the narrowest integers for graphs of at most `nodes` nodes. All numbers must be below `nodes`.
    pub(super) fn narrow(rows: [Vec<i64>; 2], nodes: u64) -> Self {
        let width = IndexWidth::for_nodes(nodes);
        let rows = rows.map(|row| {
            let mut bytes = Vec::with_capacity(row.len() * width.bytes());
            match width {
                IndexWidth::U8 => bytes.extend(row.iter().map(|&node| node as u8)),
                IndexWidth::U16 => bytes.extend(row.iter().flat_map(|&node| (node as u16).to_le_bytes())),
                IndexWidth::I32 => bytes.extend(row.iter().flat_map(|&node| (node as i32).to_le_bytes())),
                IndexWidth::I64 => bytes.extend(row.iter().flat_map(|&node| node.to_le_bytes())),
            }
            Bytes::new(&bytes)
        });
        Self { width, rows }
    }

    /// Takes sources and targets of the given width as they are.
    pub(super) fn new(width: IndexWidth, rows: [Bytes; 2]) -> Self {
        Self { width, rows }
    }

    /// Type of the numbers.
    pub(super) fn width(&self) -> IndexWidth {
        self.width
    }

    /// Number of edges.
    pub(super) fn len(&self) -> usize {
        self.rows[0].len() / self.width.bytes()
    }

    /// Returns sources and targets of the edges in `rows`, which must exist.
    pub(super) fn rows(&self, rows: Range<usize>) -> [IndexBytes<'_>; 2] {
        let width = self.width;
        let bytes = rows.start * width.bytes()..rows.end * width.bytes();
        self.rows.each_ref().map(|row| IndexBytes::new(width, &row.as_slice()[bytes.clone()]))
    }
}
