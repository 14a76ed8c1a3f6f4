//! [`Rows`]: reads a file of any format, row by row; [`Outline`]: what is known of it before; [`NumpyRows`]: npy's format,
//! also where the file has an array column by column.

use super::{ChunkFormat, ChunkedError};
use crate::{ArrayType, files};
use graphpack_formats::npy::Header;
use graphpack_formats::records::{CellKind, CsvRows};
use graphpack_loader::Error;
use graphpack_loader::extend::file_error;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

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
    pub(super) fn outline(path: &Path, format: ChunkFormat) -> Result<Outline, Error> {
        match format {
            ChunkFormat::Csv { delimiter } => Self::outline_of_csv(path, delimiter),
            ChunkFormat::Numpy => Ok(NumpyRows::open(path)?.outline),
            #[cfg(feature = "parquet")]
            ChunkFormat::Parquet => Ok(super::parquet::ParquetRows::open(path)?.outline),
            #[cfg(not(feature = "parquet"))]
            ChunkFormat::Parquet => Err(no_parquet(path)),
        }
    }

    /// Elements are int64 if all cells are integers, else float32.
    fn outline_of_csv(path: &Path, delimiter: u8) -> Result<Outline, Error> {
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
    pub(super) fn open(path: &Path, format: ChunkFormat, outline: &Outline) -> Result<Self, Error> {
        match format {
            ChunkFormat::Csv { delimiter } => {
                let rows = open_csv(path, delimiter)?;
                Ok(Self::Csv { rows, outline: outline.clone() })
            }
            ChunkFormat::Numpy => {
                let rows = NumpyRows::open(path)?;
                same(path, outline, &rows.outline)?;
                Ok(Self::Numpy(rows))
            }
            #[cfg(feature = "parquet")]
            ChunkFormat::Parquet => {
                let rows = super::parquet::ParquetRows::open(path)?;
                same(path, outline, &rows.outline)?;
                Ok(Self::Parquet(Box::new(rows)))
            }
            #[cfg(not(feature = "parquet"))]
            ChunkFormat::Parquet => Err(no_parquet(path)),
        }
    }

    /// Opens a parquet file with the columns that `pick` chooses, given the names of all.
    #[cfg(feature = "parquet")]
    pub(super) fn picked(
        path: &Path,
        pick: impl FnOnce(Vec<String>) -> Result<Vec<usize>, String>,
    ) -> Result<(Self, Outline), Error> {
        let rows = super::parquet::ParquetRows::picked(path, pick)?;
        let outline = rows.outline.clone();
        Ok((Self::Parquet(Box::new(rows)), outline))
    }

    #[cfg(not(feature = "parquet"))]
    pub(super) fn picked(
        path: &Path,
        _pick: impl FnOnce(Vec<String>) -> Result<Vec<usize>, String>,
    ) -> Result<(Self, Outline), Error> {
        Err(no_parquet(path))
    }

    /// Reads up to `most` rows, fewer only at the end.
    pub(super) fn next(&mut self, most: usize) -> Result<Vec<u8>, Error> {
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
pub(super) fn open_csv(path: &Path, delimiter: u8) -> Result<CsvRows, Error> {
    files::expect(path).map_err(file_error(path))?;
    CsvRows::open(path, delimiter)
}

/// Refuses a file that has changed.
fn same(path: &Path, before: &Outline, now: &Outline) -> Result<(), Error> {
    if before.element == now.element && before.row == now.row && before.rows == now.rows {
        return Ok(());
    }
    let problem = format!(
        "has {} rows of {} {:?}, had {} of {} {:?} when it was opened",
        now.rows, now.element, now.row, before.rows, before.element, before.row
    );
    Err(ChunkedError::File { path: path.to_owned(), problem }.into())
}

/// The error for parquet files without the feature.
#[cfg(not(feature = "parquet"))]
pub(super) fn no_parquet(path: &Path) -> Error {
    let problem = "is in parquet's format, which needs the feature `parquet` of graphpack-partition".into();
    ChunkedError::File { path: path.to_owned(), problem }.into()
}

/// What is known of a file before its rows are read.
#[derive(Clone, Debug)]
pub(super) struct Outline {
    pub(super) element: ArrayType,
    /// Shape of a row.
    pub(super) row: Vec<usize>,
    pub(super) rows: usize,
}

impl Outline {
    /// Number of elements in a row, which can be any number if there are no rows.
    pub(super) fn width(&self) -> usize {
        self.row.iter().fold(1, |width, &n| width.saturating_mul(n))
    }

    /// Number of bytes of a row.
    pub(super) fn row_bytes(&self) -> usize {
        self.width().saturating_mul(self.element.bytes())
    }
}

/// An open file. Arrays in Fortran order are turned while they are read.
pub(super) struct NumpyRows {
    path: PathBuf,
    file: BufReader<File>,
    pub(super) outline: Outline,
    /// Where in the file the elements start.
    start: u64,
    by_row: bool,
    /// Number of rows read so far.
    read: usize,
}

impl NumpyRows {
    /// Opens a file and checks that it has the elements that its header announces.
    pub(super) fn open(path: &Path) -> Result<Self, Error> {
        let io = file_error(path);
        let wrong = |problem| Error::from(ChunkedError::File { path: path.to_owned(), problem });
        let mut file = BufReader::new(files::open(path).map_err(io)?);
        let header = Header::read(&mut file).map_err(wrong)?;
        let element = header.element().map_err(wrong)?;
        let shape = header.any_shape().map_err(wrong)?;
        let (&rows, row) = shape.split_first().ok_or_else(|| wrong("is a single number, expected rows".into()))?;
        let expected = header.data_bytes(element).map_err(wrong)?;
        let found = file.get_ref().metadata().map_err(io)?.len().saturating_sub(header.start());
        if found != expected as u64 {
            let problem = format!("of shape ({}) has {expected} bytes, found {found}", header.shape_text());
            return Err(wrong(problem));
        }
        // Without rows the header may claim rows of any size.
        if row.iter().try_fold(element.bytes(), |bytes, &n| bytes.checked_mul(n)).is_none() {
            return Err(wrong(format!("is of shape ({}), too large to be", header.shape_text())));
        }
        let (outline, by_row) = (Outline { element, row: row.to_vec(), rows }, header.by_row().map_err(wrong)?);
        Ok(Self { path: path.to_owned(), file, outline, start: header.start(), by_row, read: 0 })
    }

    /// Takes columns for rows: `[2, E]` in C order is `[E, 2]` in Fortran order. The array must have two dimensions.
    pub(super) fn turned(mut self) -> Self {
        if let [columns] = self.outline.row[..] {
            self.outline.row = vec![self.outline.rows];
            self.outline.rows = columns;
            self.by_row = !self.by_row;
        }
        self
    }

    /// Reads up to `most` rows, fewer only at the end.
    pub(super) fn next(&mut self, most: usize) -> Result<Vec<u8>, Error> {
        let rows = most.min(self.outline.rows - self.read);
        // The file has that many: its length was compared with the header when it was opened.
        let mut bytes = vec![0; rows * self.outline.row_bytes()];
        let read = if self.by_row { self.file.read_exact(&mut bytes) } else { self.columns(rows, &mut bytes) };
        read.map_err(|source| match source.kind() {
            io::ErrorKind::UnexpectedEof => {
                let problem = format!("ends before row {}", self.read + rows);
                ChunkedError::File { path: self.path.clone(), problem }.into()
            }
            _ => file_error(&self.path)(source),
        })?;
        self.read += rows;
        Ok(bytes)
    }

    /// Reads a range of each column and puts its numbers where they are in rows.
    fn columns(&mut self, rows: usize, to: &mut [u8]) -> io::Result<()> {
        let Outline { element, ref row, rows: all } = self.outline;
        let (bytes, row_bytes) = (element.bytes(), self.outline.row_bytes());
        let mut column = vec![0; rows * bytes];
        for number in 0..if rows == 0 { 0 } else { self.outline.width() } {
            // Along a row the first dimension is the fastest in the file, the last one in memory.
            let (mut rest, mut place) = (number, 0);
            for &n in row {
                (place, rest) = (place * n + rest % n, rest / n);
            }
            self.file.seek(SeekFrom::Start(self.start + ((number * all + self.read) * bytes) as u64))?;
            self.file.read_exact(&mut column)?;
            for (row, cell) in to.chunks_exact_mut(row_bytes).zip(column.chunks_exact(bytes)) {
                row[place * bytes..][..bytes].copy_from_slice(cell);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{ChunkFormat, NumpyRows, Rows};
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
        fs::write(&path, "0.5\n16777216\n16777217\n").expect("written");
        let outline = Rows::outline(&path, format).expect("numbers");
        let error = Rows::open(&path, format, &outline).expect("numbers").next(3).expect_err("16777216").to_string();
        let expected = "\"16777217\" is not an integer that float32 holds exactly: cells that are no integers make the feature float32";
        assert!(error.ends_with(&format!("rows.csv, line 3, column 1: {expected}")), "{error}");
    }

    #[test]
    #[cfg(not(feature = "parquet"))]
    fn parquet_is_refused_with_the_name_of_the_feature() {
        let error = Rows::outline("a.parquet".as_ref(), ChunkFormat::Parquet).expect_err("there is no reader");
        let expected = "a.parquet is in parquet's format, which needs the feature `parquet` of graphpack-partition";
        assert_eq!(error.to_string(), expected);
    }

    /// An array of bytes; the header says how they are meant.
    fn rows(shape: &str, fortran: bool, bytes: &[u8]) -> NumpyRows {
        let order = if fortran { "True" } else { "False" };
        let header = format!("{{'descr': '|u1', 'fortran_order': {order}, 'shape': ({shape}), }}");
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("rows.npy");
        let length = (header.len() as u16).to_le_bytes();
        fs::write(&path, [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), bytes].concat()).expect("written");
        NumpyRows::open(&path).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn rows_are_read_in_pieces() {
        let mut from = rows("3, 2, 1", false, &[1, 2, 3, 4, 5, 6]);
        assert_eq!((from.outline.row.as_slice(), from.outline.rows), (&[2, 1][..], 3));
        let mut read = || from.next(2).expect("rows");
        assert_eq!((read(), read(), read()), (vec![1, 2, 3, 4], vec![5, 6], Vec::new()));
    }

    #[test]
    fn columns_are_turned() {
        // numpy.asfortranarray(numpy.arange(12).reshape(2, 2, 3)).tobytes(order="A")
        let bytes = [0, 6, 3, 9, 1, 7, 4, 10, 2, 8, 5, 11];
        let mut from = rows("2, 2, 3", true, &bytes);
        let mut read = || from.next(1).expect("rows");
        assert_eq!((read(), read(), read()), ((0..6).collect(), (6..12).collect(), Vec::new()));
        assert_eq!(rows("4", true, &[1, 2, 3, 4]).next(9).expect("rows"), [1, 2, 3, 4]);
        assert_eq!(rows("0, 3", true, &[]).next(9).expect("rows"), [0; 0]);
    }
}
