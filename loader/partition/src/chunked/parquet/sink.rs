//! [`ParquetSink`]: writes a table of numbers into a parquet file.

use super::cells::column_type;
use super::rows::SHAPE;
use crate::ArrayType;
use crate::chunked::rows::Outline;
use bytemuck::pod_read_unaligned;
use parquet::basic::Compression;
use parquet::data_type::{
    BoolType, DataType, DoubleType, FixedLenByteArray, FixedLenByteArrayType, FloatType, Int32Type, Int64Type,
};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;
use std::fs::File;
use std::io::{self, BufWriter};
use std::sync::Arc;

/// Approximate number of bytes of a row group.
const GROUP_BYTES: usize = 16 << 20;

/// A file with a column for each number of a row, as pandas writes arrays, and with the shape under DGL's key.
pub(in crate::chunked) struct ParquetSink {
    writer: SerializedFileWriter<BufWriter<File>>,
    outline: Outline,
    /// Rows of the next row group.
    rows: Vec<u8>,
}

impl ParquetSink {
    pub(in crate::chunked) fn new(to: BufWriter<File>, outline: &Outline) -> io::Result<Self> {
        let columns = outline.width();
        if columns == 0 || columns > 1 << 20 {
            let problem = format!("rows of {columns} numbers, parquet takes 1 to {}", 1 << 20);
            return Err(io::Error::new(io::ErrorKind::InvalidInput, problem));
        }
        let column = |column: usize| column_type(&column.to_string(), outline.element).map(Arc::new);
        let columns = (0..columns).map(column).collect::<Result<_, _>>()?;
        let schema = Type::group_type_builder("schema").with_fields(columns).build()?;
        let numbers: Vec<String> = [outline.rows].iter().chain(&outline.row).map(usize::to_string).collect();
        let comma = if numbers.len() == 1 { "," } else { "" };
        let shape = KeyValue::new(SHAPE.into(), format!("({}{comma})", numbers.join(", ")));
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY);
        let properties = properties.set_key_value_metadata(Some(vec![shape])).build();
        let writer = SerializedFileWriter::new(to, Arc::new(schema), Arc::new(properties))?;
        Ok(Self { writer, outline: outline.clone(), rows: Vec::new() })
    }

    pub(in crate::chunked) fn push(&mut self, rows: &[u8]) -> io::Result<()> {
        self.rows.extend_from_slice(rows);
        if self.rows.len() >= GROUP_BYTES { Ok(self.write_group()?) } else { Ok(()) }
    }

    pub(in crate::chunked) fn finish(mut self) -> io::Result<File> {
        self.write_group()?;
        self.writer.into_inner()?.into_inner().map_err(io::IntoInnerError::into_error)
    }

    fn write_group(&mut self) -> Result<(), ParquetError> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let (element, width) = (self.outline.element, self.outline.row_bytes());
        let mut group = self.writer.next_row_group()?;
        let mut column = 0;
        while let Some(mut writer) = group.next_column()? {
            let at = column * element.bytes();
            let cells = self.rows.chunks_exact(width).map(|row| &row[at..at + element.bytes()]);
            write_column(&mut writer, element, cells)?;
            writer.close()?;
            column += 1;
        }
        group.close()?;
        self.rows.clear();
        Ok(())
    }
}

fn write_column<'a>(
    to: &mut SerializedColumnWriter<'_>,
    element: ArrayType,
    cells: impl Iterator<Item = &'a [u8]>,
) -> Result<(), ParquetError> {
    use ArrayType as E;
    match element {
        E::Bool => write::<BoolType>(to, cells.map(|cell| cell[0] != 0)),
        E::I8 => write::<Int32Type>(to, cells.map(|cell| i32::from(cell[0] as i8))),
        E::U8 => write::<Int32Type>(to, cells.map(|cell| i32::from(cell[0]))),
        E::I16 => write::<Int32Type>(to, cells.map(|cell| i32::from(i16::from_le_bytes(pod_read_unaligned(cell))))),
        E::U16 => write::<Int32Type>(to, cells.map(|cell| i32::from(u16::from_le_bytes(pod_read_unaligned(cell))))),
        E::I32 | E::U32 => write::<Int32Type>(to, cells.map(|cell| i32::from_le_bytes(pod_read_unaligned(cell)))),
        E::I64 | E::U64 => write::<Int64Type>(to, cells.map(|cell| i64::from_le_bytes(pod_read_unaligned(cell)))),
        E::F16 => write::<FixedLenByteArrayType>(to, cells.map(|cell| FixedLenByteArray::from(cell.to_vec()))),
        E::F32 => write::<FloatType>(to, cells.map(|cell| f32::from_le_bytes(pod_read_unaligned(cell)))),
        E::F64 => write::<DoubleType>(to, cells.map(|cell| f64::from_le_bytes(pod_read_unaligned(cell)))),
    }
}

fn write<T: DataType>(
    to: &mut SerializedColumnWriter<'_>,
    cells: impl Iterator<Item = T::T>,
) -> Result<(), ParquetError> {
    to.typed::<T>().write_batch(&cells.collect::<Vec<_>>(), None, None)?;
    Ok(())
}
