//! [`Table`]: a feature of all clusters.

use super::chosen::Chosen;
use super::rows::copy_rows;
use crate::Array;
use graphpack_loader::Field;
use std::ops::Range;

/// A feature of all clusters, one cluster after the other.
#[derive(Debug)]
pub(super) struct Table {
    chosen: Chosen,
    bytes: Vec<u8>,
}

impl Table {
    pub(super) fn new(chosen: Chosen) -> Self {
        Self { chosen, bytes: Vec::new() }
    }

    /// The name of the feature with its type, as in parts.
    pub(super) fn full_name(&self) -> &str {
        self.chosen.full_name()
    }

    /// The field of batches that it becomes.
    pub(super) fn field(&self) -> &Field {
        self.chosen.field()
    }

    /// Bytes of all rows.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Adds the rows of an array, in the order of the numbers in `order` where there is one.
    pub(super) fn append(&mut self, array: &Array, order: Option<&[u32]>) {
        match order {
            None => self.bytes.extend_from_slice(array.bytes()),
            Some(order) => {
                let width = array.row_bytes();
                for &row in order {
                    self.bytes.extend_from_slice(&array.bytes()[row as usize * width..(row as usize + 1) * width]);
                }
            }
        }
    }

    /// Bytes of some rows.
    pub(super) fn rows(&self, rows: Range<usize>) -> &[u8] {
        let width = self.field().row_bytes();
        &self.bytes[rows.start * width..rows.end * width]
    }

    /// Copies rows by number.
    pub(super) fn copy(&self, to: &mut [u8], rows: impl Iterator<Item = usize>) {
        copy_rows(to, &self.bytes, self.field().row_bytes(), rows);
    }
}
