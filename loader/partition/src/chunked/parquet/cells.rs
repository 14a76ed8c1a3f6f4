//! [`cells`]: the numbers in a column of a row group.

use crate::ArrayType;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;

/// Where values are missing (definition) and where lists begin (repetition).
#[derive(Default)]
pub(super) struct Levels {
    pub(super) most: i16,
    /// Number in the file of the row that is read next.
    pub(super) row: usize,
    pub(super) definition: Vec<i16>,
    pub(super) repetition: Vec<i16>,
}

/// Appends the numbers in the cells of a column and returns the number of cells.
pub(super) fn cells(
    column: &mut ColumnReader,
    element: ArrayType,
    rows: usize,
    levels: &mut Levels,
    to: &mut Vec<u8>,
) -> Result<usize, String> {
    use ArrayType as E;
    use ColumnReader as C;
    match (column, element) {
        (C::BoolColumnReader(column), E::Bool) => of(column, rows, levels, |&v| Some([u8::from(v)]), to),
        (C::Int32ColumnReader(column), E::I8) => {
            of(column, rows, levels, |&v| Some(i8::try_from(v).ok()?.to_le_bytes()), to)
        }
        (C::Int32ColumnReader(column), E::U8) => {
            of(column, rows, levels, |&v| Some(u8::try_from(v).ok()?.to_le_bytes()), to)
        }
        (C::Int32ColumnReader(column), E::I16) => {
            of(column, rows, levels, |&v| Some(i16::try_from(v).ok()?.to_le_bytes()), to)
        }
        (C::Int32ColumnReader(column), E::U16) => {
            of(column, rows, levels, |&v| Some(u16::try_from(v).ok()?.to_le_bytes()), to)
        }
        // Unsigned numbers have the bits of the signed ones.
        (C::Int32ColumnReader(column), _) => of(column, rows, levels, |v| Some(v.to_le_bytes()), to),
        (C::Int64ColumnReader(column), _) => of(column, rows, levels, |v| Some(v.to_le_bytes()), to),
        (C::FloatColumnReader(column), _) => of(column, rows, levels, |v| Some(v.to_le_bytes()), to),
        (C::DoubleColumnReader(column), _) => of(column, rows, levels, |v| Some(v.to_le_bytes()), to),
        (C::FixedLenByteArrayColumnReader(column), E::F16) => {
            of(column, rows, levels, |v| <[u8; 2]>::try_from(v.data()).ok(), to)
        }
        _ => Err("has columns of other types than its metadata says".into()),
    }
}

fn of<T: DataType, const N: usize>(
    column: &mut ColumnReaderImpl<T>,
    rows: usize,
    levels: &mut Levels,
    number: impl Fn(&T::T) -> Option<[u8; N]>,
    to: &mut Vec<u8>,
) -> Result<usize, String> {
    levels.definition.clear();
    levels.repetition.clear();
    let mut values = Vec::new();
    let (definition, repetition) = (Some(&mut levels.definition), Some(&mut levels.repetition));
    let (read, ..) = column.read_records(rows, definition, repetition, &mut values).map_err(unreadable)?;
    if let Some(row) = levels.definition.iter().position(|&level| level < levels.most) {
        let row = if levels.repetition.is_empty() {
            row
        } else {
            levels.repetition[..=row].iter().filter(|&&level| level == 0).count().saturating_sub(1)
        };
        return Err(format!("has no number in row {}", levels.row + row));
    }
    for value in &values {
        to.extend_from_slice(&number(value).ok_or("has numbers that are out of range for their type")?);
    }
    Ok(read)
}

pub(super) fn unreadable(error: ParquetError) -> String {
    format!("cannot be read: {error}")
}
