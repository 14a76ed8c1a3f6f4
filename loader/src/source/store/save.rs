//! Writes stores to safetensors files, completely or not at all.

use super::description::{Description, KEY};
use super::offsets::Offsets;
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
    /// Indices have the narrow integers of the store.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), FileError> {
        let path = path.as_ref();
        let io = |source| FileError::Io { path: path.to_owned(), source };
        let tensors = self.tensors();
        let crc32 = tensors.iter().map(|(name, tensor)| (name.clone(), crc(tensor))).collect();
        let description = Description::new(self.schema(), crc32);
        let description = serde_json::to_string(&description).map_err(|error| io(error.into()))?;
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
        let schema = self.schema();
        let ptr = self.ptr().iter().enumerate();
        let ptr = ptr.map(|(set, ptr)| (format!("ptr_{}", schema.sets().singular(set)), Tensor::of_offsets(ptr)));
        let indices = schema.indices().iter().zip(self.indices()).map(|(of, index)| {
            let parts = index.rows(0..index.len()).map(|column| column.bytes()).collect();
            let (dtype, shape) = (dtypes::of_index(index.width()), vec![of.width(), index.len()]);
            (of.name.clone(), Tensor { dtype, shape, parts })
        });
        let fields = self.columns().iter().map(|column| {
            let field = column.field();
            let shape = [self.rows(field.level)].into_iter().chain(field.columns()).collect();
            (field.name.clone(), Tensor { dtype: dtypes::of_field(field.dtype), shape, parts: vec![column.bytes()] })
        });
        ptr.chain(indices).chain(fields).collect()
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
