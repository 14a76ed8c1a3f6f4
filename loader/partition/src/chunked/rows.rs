//! [`Rows`]: reads a file of any format, row by row.

use super::numpy::NumpyRows;
use super::outline::Outline;
use super::{ChunkFormat, ChunkedError};
use crate::{ArrayType, input_file};
use graphpack_formats::{CellKind, CsvRows};
use graphpack_loader::IoError;
use std::path::Path;

/// An open file, whose rows are read as little-endian bytes.
pub(super) enum Rows {
    Csv {
        rows: CsvRows,
        outline: Outline,
    },
    Numpy(NumpyRows),
    #[cfg(feature = "parquet")]
    Parquet(Box<super::parquet::ParquetRows>),
}

impl Rows {
    /// Reads the header of a file, or all lines of a csv file.
    pub(super) fn outline(path: &Path, format: ChunkFormat) -> Result<Outline, ChunkedError> {
        match format {
            ChunkFormat::Csv { delimiter } => Self::outline_of_csv(path, delimiter),
            ChunkFormat::Numpy => Ok(NumpyRows::open(path)?.outline().clone()),
            #[cfg(feature = "parquet")]
            ChunkFormat::Parquet => Ok(super::parquet::ParquetRows::open(path)?.outline().clone()),
            #[cfg(not(feature = "parquet"))]
            ChunkFormat::Parquet => Err(no_parquet(path)),
        }
    }

    /// Elements are int64 if all cells are integers, else float32.
    fn outline_of_csv(path: &Path, delimiter: u8) -> Result<Outline, ChunkedError> {
        let mut csv = open_csv(path, delimiter)?;
        let (mut kind, mut width, mut rows) = (CellKind::default(), None, 0);
        while csv.advance()? {
            let width = *width.get_or_insert(csv.width());
            csv.expect_width(width)?;
            (0..width).try_for_each(|column| kind.see(&csv, column).map(drop))?;
            rows += 1;
        }
        let element = if kind.are_integers()? { ArrayType::I64 } else { ArrayType::F32 };
        Ok(Outline { element, row: vec![width.unwrap_or(0)], rows })
    }

    /// Opens a file, which must still have the outline.
    pub(super) fn open(path: &Path, format: ChunkFormat, outline: &Outline) -> Result<Self, ChunkedError> {
        match format {
            ChunkFormat::Csv { delimiter } => {
                let rows = open_csv(path, delimiter)?;
                Ok(Self::Csv { rows, outline: outline.clone() })
            }
            ChunkFormat::Numpy => {
                let rows = NumpyRows::open(path)?;
                same(path, outline, rows.outline())?;
                Ok(Self::Numpy(rows))
            }
            #[cfg(feature = "parquet")]
            ChunkFormat::Parquet => {
                let rows = super::parquet::ParquetRows::open(path)?;
                same(path, outline, rows.outline())?;
                Ok(Self::Parquet(Box::new(rows)))
            }
            #[cfg(not(feature = "parquet"))]
            ChunkFormat::Parquet => Err(no_parquet(path)),
        }
    }

    /// Reads up to `most` rows, fewer only at the end.
    pub(super) fn next(&mut self, most: usize) -> Result<Vec<u8>, ChunkedError> {
        match self {
            Self::Csv { rows, outline } => {
                let width = outline.width();
                let mut bytes = Vec::new();
                for _ in 0..most {
                    if !rows.advance()? {
                        break;
                    }
                    rows.expect_width(width)?;
                    for column in 0..width {
                        match outline.element {
                            ArrayType::I64 => bytes.extend_from_slice(&rows.integer(column)?.to_le_bytes()),
                            _ => bytes.extend_from_slice(&rows.float(column)?.to_le_bytes()),
                        }
                    }
                }
                Ok(bytes)
            }
            Self::Numpy(rows) => rows.next(most),
            #[cfg(feature = "parquet")]
            Self::Parquet(rows) => rows.next(most),
        }
    }
}

/// Opens a csv file; a pipe is refused.
pub(super) fn open_csv(path: &Path, delimiter: u8) -> Result<CsvRows, ChunkedError> {
    input_file::expect(path).map_err(IoError::at(path))?;
    Ok(CsvRows::open(path, delimiter)?)
}

/// Refuses a file that has changed.
fn same(path: &Path, before: &Outline, now: &Outline) -> Result<(), ChunkedError> {
    if before.element == now.element && before.row == now.row && before.rows == now.rows {
        return Ok(());
    }
    let problem = format!(
        "has {} rows of {} {:?}, had {} of {} {:?} when it was opened",
        now.rows, now.element, now.row, before.rows, before.element, before.row
    );
    Err(ChunkedError::File { path: path.to_owned(), problem })
}

/// The error for parquet files without the feature.
#[cfg(not(feature = "parquet"))]
pub(super) fn no_parquet(path: &Path) -> ChunkedError {
    let problem = "is in parquet's format, which needs the feature `parquet` of graphpack-partition".into();
    ChunkedError::File { path: path.to_owned(), problem }
}

#[cfg(test)]
mod tests {
    use super::{ChunkFormat, Rows};
    use crate::ArrayType;
    use std::fs;

    #[test]
    fn rows_of_csv_are_int64_if_all_cells_are_integers() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("rows.csv");
        let format = ChunkFormat::Csv { delimiter: b';' };
        for (text, element, row, rows, last) in [
            ("1;2\n3;-4\n", ArrayType::I64, 2, 2, (-4_i64).to_le_bytes().to_vec()),
            ("1.5\n 9223372036854775808", ArrayType::F32, 1, 2, 9_223_372_036_854_775_808_f32.to_le_bytes().to_vec()),
            ("9223372036854775808\n2.", ArrayType::F32, 1, 2, 2_f32.to_le_bytes().to_vec()),
            ("-9223372036854775808\n+9223372036854775807", ArrayType::I64, 1, 2, i64::MAX.to_le_bytes().to_vec()),
            ("1;\n3;1e3\n", ArrayType::F32, 2, 2, 1000_f32.to_le_bytes().to_vec()),
            ("", ArrayType::I64, 0, 0, Vec::new()),
        ] {
            fs::write(&path, text).expect("written");
            let outline = Rows::outline(&path, format).expect("numbers");
            assert_eq!((outline.element, outline.row.as_slice(), outline.rows), (element, &[row][..], rows));
            let mut from = Rows::open(&path, format, &outline).expect("numbers");
            let read = [from.next(1).expect("a row"), from.next(9).expect("the rest"), from.next(9).expect("the end")];
            assert_eq!(
                read.each_ref().map(Vec::len),
                [rows.min(1), rows.saturating_sub(1), 0].map(|rows| rows * outline.row_bytes())
            );
            assert!(read[1].ends_with(&last), "{text}");
        }
        fs::write(&path, "1;2\n3; 99999999999999999999\n").expect("written");
        let error = Rows::outline(&path, format).expect_err("float32 would keep eight digits").to_string();
        assert!(
            error.ends_with("rows.csv, line 2, column 2: \" 99999999999999999999\" is not within int64"),
            "{error}"
        );
    }

    #[test]
    #[cfg(not(feature = "parquet"))]
    fn parquet_is_refused_with_the_name_of_the_feature() {
        let error = Rows::outline("a.parquet".as_ref(), ChunkFormat::Parquet).expect_err("there is no reader");
        let expected = "a.parquet is in parquet's format, which needs the feature `parquet` of graphpack-partition";
        assert_eq!(error.to_string(), expected);
    }
}
