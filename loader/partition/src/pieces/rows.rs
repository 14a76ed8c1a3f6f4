//! Copying rows of features into a slot.

use graphpack_loader::{IndexBytes, IndexWidth};

/// Copies rows of a table in the order in which their numbers are given.
pub(super) fn copy_rows(to: &mut [u8], table: &[u8], width: usize, rows: impl Iterator<Item = usize>) {
    if width == 0 {
        return;
    }
    for (to, row) in to.chunks_exact_mut(width).zip(rows) {
        to.copy_from_slice(&table[row * width..(row + 1) * width]);
    }
}

/// Copies pieces one after the other; together they must be as long as `to`.
pub(super) fn copy_pieces<'a>(mut to: &mut [u8], pieces: impl Iterator<Item = &'a [u8]>) {
    for piece in pieces {
        let (head, rest) = std::mem::take(&mut to).split_at_mut(piece.len());
        head.copy_from_slice(piece);
        to = rest;
    }
}

/// Nodes of edges as the loader takes them. All are below 2^31: larger graphs are refused.
pub(super) fn index(nodes: &[u32]) -> IndexBytes<'_> {
    IndexBytes::new(IndexWidth::I32, bytemuck::cast_slice(nodes))
}
