//! Writing stores to safetensors files, whole or not at all.

use super::bytes::Bytes;
use super::file::{Description, KEY};
use super::offsets::Offsets;
use super::{Column, FileError, Store};
use crate::index::IndexWidth;
use crate::{Dtype, Source};
use safetensors::tensor::View;
use safetensors::{Dtype as FileDtype, SafeTensorError};
use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

impl Store {
    /// Writes a file that [`open`](Self::open) reads, under a temporary name until it is whole. Edges are as narrow as they are kept.
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
            // safetensors writes a file that nobody else may read; this one is to be like any other.
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
        let width = match self.edges.width {
            IndexWidth::U8 => FileDtype::U8,
            IndexWidth::U16 => FileDtype::U16,
            IndexWidth::I32 => FileDtype::I32,
            IndexWidth::I64 => FileDtype::I64,
        };
        let ptr = |offsets: &'_ Offsets| vec![offsets.len()];
        let own = [
            ("ptr_node", FileDtype::I64, ptr(&self.node_ptr), vec![self.node_ptr.bytes()]),
            ("ptr_edge", FileDtype::I64, ptr(&self.edge_ptr), vec![self.edge_ptr.bytes()]),
            ("edge_index", width, vec![2, self.edges.len()], self.edges.rows.iter().map(Bytes::as_slice).collect()),
        ];
        let own = own.into_iter().map(|(name, dtype, shape, parts)| (name.to_owned(), Tensor { dtype, shape, parts }));
        let fields = self.columns.iter().map(|Column { field, bytes }| {
            let dtype = match field.dtype {
                Dtype::F32 => FileDtype::F32,
                Dtype::F64 => FileDtype::F64,
                Dtype::I64 => FileDtype::I64,
                Dtype::I32 => FileDtype::I32,
                Dtype::U8 => FileDtype::U8,
                Dtype::Bool => FileDtype::BOOL,
            };
            let rows = field.level.of([self.nodes, self.edges.len(), self.len()]);
            (field.name.clone(), Tensor { dtype, shape: vec![rows, field.width], parts: vec![bytes.as_slice()] })
        });
        own.chain(fields).collect()
    }
}

/// A tensor to be written, in one or more pieces of memory.
struct Tensor<'a> {
    dtype: FileDtype,
    shape: Vec<usize>,
    parts: Vec<&'a [u8]>,
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
