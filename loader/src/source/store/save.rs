//! Writes stores to safetensors files, completely or not at all.

use super::offsets::Offsets;
use super::open::{Description, KEY};
use super::{FileError, Store, dtypes};
use crate::source::Source;
use safetensors::tensor::View;
use safetensors::{Dtype as FileDtype, SafeTensorError};
use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

impl Store {
    /// Writes a safetensors file that [`open`](Self::open) reads. It has a temporary name until it is complete.
    /// `edge_index` has the narrow integers of the store.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), FileError> {
        let path = path.as_ref();
        let io = |source| FileError::Io { path: path.to_owned(), source };
        let tensors = self.tensors();
        let fields = self.schema().fields().iter().map(|field| (field.name.clone(), field.level)).collect();
        let crc32 = tensors.iter().map(|(name, tensor)| (name.clone(), crc(tensor))).collect();
        let description = serde_json::to_string(&Description { fields, crc32 }).map_err(|error| io(error.into()))?;
        let mut part = path.as_os_str().to_owned();
        part.push(".part");
        let part = PathBuf::from(part);
        let metadata = HashMap::from([(KEY.into(), description)]);
        let write = || {
            // safetensors writes a file that only its owner may read; give it ordinary permissions.
            let permissions = File::create(&part)?.metadata()?.permissions();
            safetensors::serialize_to_file(tensors, Some(metadata), &part).map_err(|error| match error {
                SafeTensorError::IoError(error) => error,
                other => io::Error::other(other),
            })?;
            fs::set_permissions(&part, permissions)?;
            File::open(&part)?.sync_all()?;
            fs::rename(&part, path)
        };
        let written = write();
        written.map_err(|error| {
            let _ = fs::remove_file(&part);
            io(error)
        })
    }

    fn tensors(&self) -> Vec<(String, Tensor<'_>)> {
        let edges = self.local_edges();
        let index = Tensor {
            dtype: dtypes::of_index(edges.width()),
            shape: vec![2, edges.len()],
            parts: edges.rows(0..edges.len()).map(|row| row.bytes()).to_vec(),
        };
        let builtin = [
            ("ptr_node", Tensor::of_offsets(self.node_ptr())),
            ("ptr_edge", Tensor::of_offsets(self.edge_ptr())),
            ("edge_index", index),
        ];
        let fields = self.columns().iter().map(|column| {
            let field = column.field();
            let shape = vec![self.rows(field.level), field.width];
            (field.name.clone(), Tensor { dtype: dtypes::of_field(field.dtype), shape, parts: vec![column.bytes()] })
        });
        builtin.into_iter().map(|(name, tensor)| (name.to_owned(), tensor)).chain(fields).collect()
    }
}

/// A tensor to write, in one or more pieces of memory.
struct Tensor<'a> {
    dtype: FileDtype,
    shape: Vec<usize>,
    parts: Vec<&'a [u8]>,
}

impl<'a> Tensor<'a> {
    fn of_offsets(offsets: &'a Offsets) -> Self {
        Self { dtype: FileDtype::I64, shape: vec![offsets.len()], parts: vec![offsets.bytes()] }
    }
}

fn crc(tensor: &Tensor<'_>) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    tensor.parts.iter().for_each(|part| hasher.update(part));
    hasher.finalize()
}

impl View for Tensor<'_> {
    fn dtype(&self) -> FileDtype {
        self.dtype
    }

    fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn data(&self) -> Cow<'_, [u8]> {
        match self.parts.as_slice() {
            [only] => Cow::Borrowed(only),
            parts => Cow::Owned(parts.concat()),
        }
    }

    fn data_len(&self) -> usize {
        self.parts.iter().map(|part| part.len()).sum()
    }
}
