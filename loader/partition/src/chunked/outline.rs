//! [`Outline`]: what is known of a file before its rows are read.

use crate::ArrayType;

/// What is known of a file before its rows are read.
#[derive(Clone, Debug)]
pub(super) struct Outline {
    pub(super) element: ArrayType,
    /// Shape of a row.
    pub(super) row: Vec<usize>,
    pub(super) rows: usize,
}

impl Outline {
    /// Number of elements in a row, which can be any number if there are no rows.
    pub(super) fn width(&self) -> usize {
        self.row.iter().fold(1, |width, &n| width.saturating_mul(n))
    }

    /// Number of bytes of a row.
    pub(super) fn row_bytes(&self) -> usize {
        self.width().saturating_mul(self.element.bytes())
    }
}
