//! Writes the built-in arrays of a batch from the sizes of its graphs.

use crate::layout::{ArrayInfo, Builtin, Dtype, Layout, Level, Shape, Size};
use bytemuck::Pod;

/// Writes `batch` and `ptr` of each set, and masks, padding included; `graph_ids` only in padding.
pub(super) fn write(sizes: &[Size], real: &Shape, layout: &Layout, bytes: &mut [u8]) {
    for (builtin, array) in layout.builtins() {
        match (builtin, array.dtype) {
            (Builtin::Batch(set), Dtype::I32) => batch(sizes, set, cast::<i32>(bytes, array), |graph| graph as i32),
            (Builtin::Batch(set), _) => batch(sizes, set, cast::<i64>(bytes, array), |graph| graph as i64),
            (Builtin::Ptr(set), Dtype::I32) => ptr(sizes, set, cast::<i32>(bytes, array), layout, |row| row as i32),
            (Builtin::Ptr(set), _) => ptr(sizes, set, cast::<i64>(bytes, array), layout, |row| row as i64),
            (Builtin::GraphIds, _) => cast::<i64>(bytes, array)[sizes.len()..].fill(-1),
            (Builtin::Mask(level), _) => {
                let (mask, real) = (&mut bytes[array.range()], real.rows(level));
                mask[..real].fill(1);
                mask[real..].fill(0);
            }
        }
    }
}

/// The graph of each row of a set; all padding rows belong to the first padding graph.
fn batch<T: Copy>(sizes: &[Size], set: u8, mut rows: &mut [T], number: impl Fn(usize) -> T) {
    for (graph, size) in sizes.iter().enumerate() {
        let (of_graph, others) = rows.split_at_mut(size[usize::from(set)] as usize);
        of_graph.fill(number(graph));
        rows = others;
    }
    rows.fill(number(sizes.len()));
}

/// The first row of each graph in a set, and at the end the number of rows.
fn ptr<T: Copy>(sizes: &[Size], set: u8, entries: &mut [T], layout: &Layout, number: impl Fn(usize) -> T) {
    let mut row = 0;
    for (entry, size) in entries.iter_mut().zip(sizes) {
        *entry = number(row);
        row += size[usize::from(set)] as usize;
    }
    // The first padding graph has all padding rows.
    entries[sizes.len()] = number(row);
    entries[sizes.len() + 1..].fill(number(layout.shape().rows(Level::Set(set))));
}

fn cast<'a, T: Pod>(bytes: &'a mut [u8], array: &ArrayInfo) -> &'a mut [T] {
    bytemuck::cast_slice_mut(&mut bytes[array.range()])
}
