//! Writes stores in memory to safetensors files.

use super::pages::Sums;
use super::tensor_file::{Tensor, write_file};
use super::{FileError, Store};
use crate::error::Error;
use std::path::Path;

impl Store {
    /// Writes a safetensors file that [`open`](Self::open) reads. It has a temporary name until it is complete.
    /// Indices have the narrow integers of the store.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        self.save_file(path.as_ref()).map(drop)
    }

    /// Returns the checksum of the header, too.
    pub(super) fn save_file(&self, path: &Path) -> Result<Sums, Error> {
        let refused = |source| Error::from(FileError::Store { path: path.to_owned(), source });
        self.schema().check().map_err(refused)?;
        (0..self.len()).try_for_each(|graph| self.check_pages(graph, u64::MAX))?;
        let schema = self.schema();
        let ptr = self
            .ptr()
            .iter()
            .enumerate()
            .map(|(set, ptr)| (Tensor::of_offsets(schema, set, self.len()), vec![ptr.bytes()]));
        let indices = schema.indices().iter().zip(self.indices()).map(|(of, index)| {
            let columns = index.rows(0..index.len()).map(|column| column.bytes());
            (Tensor::of_index(of, index.width(), index.len()), columns.collect())
        });
        let fields = self
            .columns()
            .iter()
            .map(|column| (Tensor::of_field(column.field(), self.rows(column.field().level)), vec![column.bytes()]));
        let (tensors, bytes): (Vec<_>, Vec<Vec<&[u8]>>) = ptr.chain(indices).chain(fields).unzip();
        write_file(path, schema, &tensors, |tensor, out| bytes[tensor].iter().try_for_each(|bytes| out(bytes)))
    }
}
