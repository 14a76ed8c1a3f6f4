//! [`write_file`]: a safetensors file written from front to back, completely or not at all; [`Scratch`]: a growing file
//! without a name for what is not known yet.

use super::description::{Description, KEY, UNITS, Units, file_dtype, file_dtype_of_index, index_width};
use super::header::LONGEST;
use super::pages::{self, Checksums, Summing, Sums};
use crate::error::{Error, file_error};
use crate::layout::{Field, Index, IndexBytes, IndexWidth, Schema};
use crate::source::whole_file::{WholeFile, create_part};
use safetensors::Dtype as FileDtype;
use serde_json::json;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::ops::Range;
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
        Self { name: schema.sets().offsets(set), dtype: FileDtype::I64, shape: vec![graphs + 1] }
    }

    /// An index of this many entries.
    pub(super) fn of_index(index: &Index, width: IndexWidth, rows: usize) -> Self {
        Self { name: index.name.clone(), dtype: file_dtype_of_index(width), shape: vec![index.width(), rows] }
    }

    /// A field of this many rows.
    pub(super) fn of_field(field: &Field, rows: usize) -> Self {
        Self { name: field.name.clone(), dtype: file_dtype(field.dtype), shape: field.shape(rows) }
    }

    fn bytes(&self) -> u64 {
        let elements = self.shape.iter().fold(1, |product: u64, &length| product.saturating_mul(length as u64));
        elements.saturating_mul(self.dtype.bitsize() as u64) / 8
    }
}

/// Passes bytes of a tensor on.
pub(super) type Out<'a> = &'a mut dyn FnMut(&[u8]) -> io::Result<()>;

/// Writes a file with the fields of `schema`. `write` passes on all bytes of the tensor with this position in
/// `tensors`. The file has a temporary name until it is complete. Returns the checksum of its header.
pub(super) fn write_file(
    path: &Path,
    schema: &Schema,
    tensors: &[Tensor],
    mut write: impl FnMut(usize, Out<'_>) -> io::Result<()>,
) -> Result<Sums, Error> {
    let mut complete = || -> io::Result<Sums> {
        let whole = WholeFile::create(path)?;
        // As safetensors orders them: wide elements first, so that each tensor begins at a multiple of its elements'
        // length.
        let mut order: Vec<usize> = (0..tensors.len()).collect();
        order.sort_by_key(|&tensor| (std::cmp::Reverse(tensors[tensor].dtype), &tensors[tensor].name));
        let mut crc32: BTreeMap<String, u32> = tensors.iter().map(|tensor| (tensor.name.clone(), u32::MAX)).collect();
        let page = pages::page_of(tensors.iter().map(Tensor::bytes).sum());
        let mut sums = Checksums::room(page, schema, tensors.iter().map(|tensor| (&*tensor.name, tensor.bytes())));
        // Checksums are known once all is written: the header is as long as it can become, and blanks fill it up.
        let room = header(schema, tensors, &order, crc32.clone(), &mut sums)?.len().next_multiple_of(8);
        if room as u64 > LONGEST {
            let problem = format!("the header has {room} bytes, at most {LONGEST} can be read: use shorter names");
            return Err(io::Error::other(problem));
        }
        let mut file = BufWriter::with_capacity(1 << 20, whole.file());
        file.write_all(&(room as u64).to_le_bytes())?;
        file.write_all(&vec![b' '; room])?;
        for &tensor in &order {
            let Tensor { name, shape, .. } = &tensors[tensor];
            let mut summing = Summing::new(page);
            let mut entries = Entries::of(schema, &tensors[tensor]);
            write(tensor, &mut |bytes| {
                summing.push(bytes);
                entries.iter_mut().for_each(|entries| entries.push(bytes));
                file.write_all(bytes)
            })?;
            let (written, expected) = (summing.bytes, tensors[tensor].bytes());
            if written != expected {
                let problem = format!("tensor {name} {shape:?} has {written} bytes, expected {expected}");
                return Err(io::Error::other(problem));
            }
            let (whole, pages) = summing.finish();
            crc32.insert(name.clone(), whole);
            sums.pages.insert(name.clone(), pages);
            sums.entries.extend(entries.map(|entries| (name.clone(), entries.finish())));
        }
        let mut file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.seek(SeekFrom::Start(8))?;
        file.write_all(header(schema, tensors, &order, crc32, &mut sums)?.as_bytes())?;
        whole.finish()?;
        Ok(sums.header)
    };
    complete().map_err(file_error(path))
}

/// Returns the header, whose tensors come in the order of the file, with its own checksum among `sums`.
fn header(
    schema: &Schema,
    tensors: &[Tensor],
    order: &[usize],
    crc32: BTreeMap<String, u32>,
    sums: &mut Checksums,
) -> serde_json::Result<String> {
    let description = serde_json::to_string(&Description::new(schema, crc32))?;
    sums.header = sums.of_header(&description, tensors.iter().map(|of| (&*of.name, of.dtype, &*of.shape)))?;
    let units = schema.fields().iter().filter_map(|field| Some((field.name.clone(), field.unit.clone()?)));
    let units: Units = units.collect();
    let units = if units.is_empty() { String::new() } else { serde_json::to_string(&units)? };
    sums.units = pages::of_units(&units);
    let mut metadata = json!({ KEY: description, pages::KEY: serde_json::to_string(sums)? });
    if !units.is_empty() {
        metadata[UNITS] = units.into();
    }
    let mut header = format!("{{\"__metadata__\":{metadata}");
    let mut start = 0;
    for tensor in order.iter().map(|&tensor| &tensors[tensor]) {
        let end = start + tensor.bytes();
        let [name, dtype, shape] = [json!(tensor.name), json!(tensor.dtype), json!(tensor.shape)];
        header += &format!(",{name}:{{\"dtype\":{dtype},\"shape\":{shape},\"data_offsets\":[{start},{end}]}}");
        start = end;
    }
    Ok(header + "}")
}

/// Checksums of the columns of an index, of int64 whatever it is written in.
struct Entries {
    width: IndexWidth,
    /// Entries of a column.
    rows: usize,
    columns: Vec<crc32fast::Hasher>,
    /// Entries so far.
    pushed: usize,
}

impl Entries {
    /// Those of a tensor that is an index.
    fn of(schema: &Schema, tensor: &Tensor) -> Option<Self> {
        let (width, &[columns, rows]) = (index_width(tensor.dtype)?, &*tensor.shape) else { return None };
        schema.find_index(&tensor.name)?;
        Some(Self { width, rows, columns: vec![crc32fast::Hasher::new(); columns], pushed: 0 })
    }

    /// Adds the next entries, of whole numbers.
    fn push(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() && self.rows > 0 {
            let (column, before) = (self.pushed / self.rows, self.pushed % self.rows);
            let count = (bytes.len() / self.width.bytes()).min(self.rows - before).min(1 << 16);
            let (here, rest) = bytes.split_at(count * self.width.bytes());
            let Some(hasher) = self.columns.get_mut(column).filter(|_| count > 0) else { return };
            hasher.update(&IndexBytes::new(self.width, here).in_width(IndexWidth::I64));
            self.pushed += count;
            bytes = rest;
        }
    }

    fn finish(self) -> Sums {
        Sums(self.columns.into_iter().map(crc32fast::Hasher::finalize).collect())
    }
}

/// Bytes that are copied at a time.
const COPIED: usize = 1 << 18;

/// Bytes in a file without a name, beside the file that they will be part of: nothing is left of it, however the
/// process ends.
#[derive(Debug)]
pub(super) struct Scratch {
    file: BufWriter<File>,
    len: u64,
}

impl Scratch {
    /// An empty one for the file or folder `target`.
    pub(super) fn create(target: &Path) -> io::Result<Self> {
        let (path, file) = create_part(target, |part| File::create_new(part))?;
        fs::remove_file(path)?;
        Ok(Self { file: BufWriter::with_capacity(1 << 16, file), len: 0 })
    }

    /// Number of bytes.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Appends bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.len += bytes.len() as u64;
        self.file.write_all(bytes)
    }

    /// Appends the same byte `count` times. Zeros take no room on disk.
    pub(super) fn fill(&mut self, byte: u8, count: u64) -> io::Result<()> {
        if byte == 0 && count > COPIED as u64 {
            self.len += count;
            self.file.flush()?;
            self.file.get_ref().set_len(self.len)?;
            return self.file.seek(SeekFrom::Start(self.len)).map(|_| ());
        }
        let same = vec![byte; (count as usize).min(COPIED)];
        let mut left = count;
        while left > 0 {
            let bytes = &same[..same.len().min(left as usize)];
            self.push(bytes)?;
            left -= bytes.len() as u64;
        }
        Ok(())
    }

    /// Passes on the bytes in `range`, in pieces whose lengths are multiples of 8 but for the last.
    pub(super) fn read(&mut self, range: Range<u64>, out: Out<'_>) -> io::Result<()> {
        self.file.flush()?;
        let file = self.file.get_mut();
        file.seek(SeekFrom::Start(range.start))?;
        let mut left = range.end.saturating_sub(range.start);
        let mut piece = vec![0; COPIED.min(left as usize)];
        while left > 0 {
            let piece = &mut piece[..COPIED.min(left as usize)];
            file.read_exact(piece)?;
            out(piece)?;
            left -= piece.len() as u64;
        }
        file.seek(SeekFrom::Start(self.len)).map(|_| ())
    }
}
