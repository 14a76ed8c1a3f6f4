//! [`SortedBy`]: the order of the rows of a set by a column of an index, and how its row pointers are written.

use super::Dtype;
use super::dtype::cast;
use super::numbers::BatchInteger;

/// Rows of a set that are in the order of one column of an index of the set: edges in the order of their targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SortedBy {
    /// The position of the index.
    pub index: u8,
    /// The column of the index.
    pub column: u8,
    /// The set whose rows are sorted, which the index is of: `edges`.
    pub edges: u8,
    /// The set that the column points into: `nodes`.
    pub set: u8,
}

impl SortedBy {
    /// Writes all of [`Builtin::IndexPtr`](super::Builtin::IndexPtr): where the entries begin that point to each row,
    /// and at the end the number of entries. `entries` is the whole column, sorted; all are of type `index`.
    pub fn write_ptr([ptr, entries]: [&mut [u8]; 2], index: Dtype) {
        fn write<T: BatchInteger>(ptr: &mut [T], entries: &[T]) {
            let mut first = 0;
            for (entry, row) in entries.iter().enumerate() {
                let end = row.number().saturating_add(1);
                if let Some(rows) = ptr.get_mut(first..end) {
                    rows.fill(T::of(entry));
                    first = end;
                }
            }
            ptr.get_mut(first..).unwrap_or_default().fill(T::of(entries.len()));
        }
        match index {
            Dtype::I32 => write::<i32>(cast(ptr), cast(entries)),
            _ => write::<i64>(cast(ptr), cast(entries)),
        }
    }
}
