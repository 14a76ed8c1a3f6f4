//! [`cells`]: the numbers in a column of a row group; the [`ArrayType`]s of columns.

use crate::ArrayType;
use parquet::basic::{ConvertedType, LogicalType, Repetition, Type as Physical};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::schema::types::{ColumnDescriptor, Type};

/// Where values are missing (definition) and where lists begin (repetition).
#[derive(Default)]
pub(super) struct Levels {
    /// The definition of a value that is there, which columns of a file may differ in.
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

/// Describes a column without missing values.
pub(super) fn column_type(name: &str, element: ArrayType) -> Result<Type, ParquetError> {
    use ArrayType as E;
    let (physical, logical) = match element {
        E::I8 => (Physical::INT32, Some(LogicalType::integer(8, true))),
        E::I16 => (Physical::INT32, Some(LogicalType::integer(16, true))),
        E::I32 => (Physical::INT32, None),
        E::I64 => (Physical::INT64, None),
        E::U8 => (Physical::INT32, Some(LogicalType::integer(8, false))),
        E::U16 => (Physical::INT32, Some(LogicalType::integer(16, false))),
        E::U32 => (Physical::INT32, Some(LogicalType::integer(32, false))),
        E::U64 => (Physical::INT64, Some(LogicalType::integer(64, false))),
        E::F16 => (Physical::FIXED_LEN_BYTE_ARRAY, Some(LogicalType::Float16)),
        E::F32 => (Physical::FLOAT, None),
        E::F64 => (Physical::DOUBLE, None),
        E::Bool => (Physical::BOOLEAN, None),
    };
    let column = Type::primitive_type_builder(name, physical).with_repetition(Repetition::REQUIRED);
    let column = if element == E::F16 { column.with_length(2) } else { column };
    column.with_logical_type(logical).build()
}

/// Returns the elements of a column; an error is a text that says what is wrong with the file.
pub(super) fn element_of(column: &ColumnDescriptor) -> Result<ArrayType, String> {
    use ConvertedType as C;
    // The converted type follows from the logical one, but is none for some, such as times in nanoseconds.
    let (logical, converted) = (column.logical_type_ref(), column.converted_type());
    let plain = logical.is_none();
    match (column.physical_type(), converted) {
        (Physical::BOOLEAN, C::NONE) if plain => Ok(ArrayType::Bool),
        (Physical::INT32, C::INT_8) => Ok(ArrayType::I8),
        (Physical::INT32, C::INT_16) => Ok(ArrayType::I16),
        (Physical::INT32, C::INT_32) => Ok(ArrayType::I32),
        (Physical::INT32, C::NONE) if plain => Ok(ArrayType::I32),
        (Physical::INT32, C::UINT_8) => Ok(ArrayType::U8),
        (Physical::INT32, C::UINT_16) => Ok(ArrayType::U16),
        (Physical::INT32, C::UINT_32) => Ok(ArrayType::U32),
        (Physical::INT64, C::INT_64) => Ok(ArrayType::I64),
        (Physical::INT64, C::NONE) if plain => Ok(ArrayType::I64),
        (Physical::INT64, C::UINT_64) => Ok(ArrayType::U64),
        (Physical::FLOAT, C::NONE) if plain => Ok(ArrayType::F32),
        (Physical::DOUBLE, C::NONE) if plain => Ok(ArrayType::F64),
        (Physical::FIXED_LEN_BYTE_ARRAY, _) if logical == Some(&LogicalType::Float16) && column.type_length() == 2 => {
            Ok(ArrayType::F16)
        }
        (physical, _) => {
            let what = logical.map_or_else(|| format!("{physical}"), |logical| format!("{physical}, {logical:?}"));
            Err(format!("has a column of {what}, {:?}, expected numbers or bool", column.name()))
        }
    }
}
