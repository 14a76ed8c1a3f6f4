//! [`write_file`]: a safetensors file written from front to back, completely or not at all.

use super::description::{Description, KEY};
use super::{FileError, dtypes};
use crate::error::IoError;
use crate::layout::{Field, Index, IndexWidth, Schema};
use crate::source::whole_file::WholeFile;
use safetensors::Dtype as FileDtype;
use serde_json::json;
use std::collections::BTreeMap;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::Path;

/// A tensor of a file.
pub(super) struct Tensor {
    pub(super) name: String,
    pub(super) dtype: FileDtype,
    pub(super) shape: Vec<usize>,
}

impl Tensor {
    /// The offsets of a set.
    pub(super) fn of_offsets(schema: &Schema, set: usize, graphs: usize) -> Self {
        let name = format!("ptr_{}", schema.sets().singular(set));
        Self { name, dtype: FileDtype::I64, shape: vec![graphs + 1] }
    }

    /// An index of this many entries.
    pub(super) fn of_index(index: &Index, width: IndexWidth, rows: usize) -> Self {
        Self { name: index.name.clone(), dtype: dtypes::of_index(width), shape: vec![index.width(), rows] }
    }

    /// A field of this many rows.
    pub(super) fn of_field(field: &Field, rows: usize) -> Self {
        let shape = [rows].into_iter().chain(field.columns()).collect();
        Self { name: field.name.clone(), dtype: dtypes::of_field(field.dtype), shape }
    }

    fn bytes(&self) -> u64 {
        let elements = self.shape.iter().fold(1, |product: u64, &length| product.saturating_mul(length as u64));
        elements.saturating_mul(self.dtype.bitsize() as u64) / 8
    }
}

/// Passes bytes of a tensor on.
pub(super) type Out<'a> = &'a mut dyn FnMut(&[u8]) -> io::Result<()>;

/// Writes a file with the fields of `schema`. `write` passes on all bytes of the tensor with this position in `tensors`.
/// The file has a temporary name until it is complete.
pub(super) fn write_file(
    path: &Path,
    schema: &Schema,
    tensors: &[Tensor],
    mut write: impl FnMut(usize, Out<'_>) -> io::Result<()>,
) -> Result<(), FileError> {
    let mut complete = || -> io::Result<()> {
        let whole = WholeFile::create(path)?;
        // As safetensors orders them: wide elements first, so that each tensor begins at a multiple of its elements' length.
        let mut order: Vec<usize> = (0..tensors.len()).collect();
        order.sort_by_key(|&tensor| (std::cmp::Reverse(tensors[tensor].dtype), &tensors[tensor].name));
        let mut crc32: BTreeMap<String, u32> = tensors.iter().map(|tensor| (tensor.name.clone(), u32::MAX)).collect();
        // Checksums are known once all is written: the header is as long as it can become, and blanks fill it up.
        let room = header(schema, tensors, &order, crc32.clone())?.len().next_multiple_of(8);
        let mut file = BufWriter::with_capacity(1 << 20, whole.file());
        file.write_all(&(room as u64).to_le_bytes())?;
        file.write_all(&vec![b' '; room])?;
        for &tensor in &order {
            let (mut hasher, mut written) = (crc32fast::Hasher::new(), 0);
            write(tensor, &mut |bytes| {
                hasher.update(bytes);
                written += bytes.len() as u64;
                file.write_all(bytes)
            })?;
            let Tensor { name, .. } = &tensors[tensor];
            if written != tensors[tensor].bytes() {
                let (expected, shape) = (tensors[tensor].bytes(), &tensors[tensor].shape);
                let problem = format!("tensor {name} {shape:?} has {written} bytes, expected {expected}");
                return Err(io::Error::other(problem));
            }
            crc32.insert(name.clone(), hasher.finalize());
        }
        let mut file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.seek(SeekFrom::Start(8))?;
        file.write_all(header(schema, tensors, &order, crc32)?.as_bytes())?;
        whole.finish()
    };
    Ok(complete().map_err(IoError::at(path))?)
}

/// Returns the header, whose tensors come in the order of the file.
fn header(
    schema: &Schema,
    tensors: &[Tensor],
    order: &[usize],
    crc32: BTreeMap<String, u32>,
) -> serde_json::Result<String> {
    let description = serde_json::to_string(&Description::new(schema, crc32))?;
    let mut header = format!("{{\"__metadata__\":{}", json!({ KEY: description }));
    let mut start = 0;
    for tensor in order.iter().map(|&tensor| &tensors[tensor]) {
        let end = start + tensor.bytes();
        let [name, dtype, shape] = [json!(tensor.name), json!(tensor.dtype), json!(tensor.shape)];
        header += &format!(",{name}:{{\"dtype\":{dtype},\"shape\":{shape},\"data_offsets\":[{start},{end}]}}");
        start = end;
    }
    Ok(header + "}")
}
