//! [`NumpyRows`]: reads an array in npy's format row by row, also where the file has it column by column.

use super::ChunkedError;
use super::outline::Outline;
use crate::input_file;
use graphpack_formats::npy::Header;
use graphpack_loader::IoError;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// An open file. Arrays in Fortran order are turned while they are read.
pub(super) struct NumpyRows {
    path: PathBuf,
    file: BufReader<File>,
    outline: Outline,
    /// Where in the file the elements start.
    start: u64,
    by_row: bool,
    /// Number of rows read so far.
    read: usize,
}

impl NumpyRows {
    /// Opens a file and checks that it has the elements that its header announces.
    pub(super) fn open(path: &Path) -> Result<Self, ChunkedError> {
        let io = |source| ChunkedError::Io(IoError { path: path.to_owned(), source });
        let wrong = |problem| ChunkedError::File { path: path.to_owned(), problem };
        let mut file = BufReader::new(input_file::open(path).map_err(io)?);
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

    pub(super) fn outline(&self) -> &Outline {
        &self.outline
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
    pub(super) fn next(&mut self, most: usize) -> Result<Vec<u8>, ChunkedError> {
        let rows = most.min(self.outline.rows - self.read);
        // The file has that many: its length was compared with the header when it was opened.
        let mut bytes = vec![0; rows * self.outline.row_bytes()];
        let read = if self.by_row { self.file.read_exact(&mut bytes) } else { self.columns(rows, &mut bytes) };
        read.map_err(|source| match source.kind() {
            io::ErrorKind::UnexpectedEof => {
                let problem = format!("ends before row {}", self.read + rows);
                ChunkedError::File { path: self.path.clone(), problem }
            }
            _ => ChunkedError::Io(IoError { path: self.path.clone(), source }),
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
    use super::NumpyRows;
    use std::fs;

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
        assert_eq!((from.outline().row.as_slice(), from.outline().rows), (&[2, 1][..], 3));
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

    #[test]
    fn two_long_rows_are_pairs() {
        for (shape, fortran, bytes) in [("2, 3", false, [0, 1, 2, 7, 8, 9]), ("2, 3", true, [0, 7, 1, 8, 2, 9])] {
            let mut from = rows(shape, fortran, &bytes).turned();
            assert_eq!((from.outline().row.as_slice(), from.outline().rows), (&[2][..], 3));
            let read = [from.next(2).expect("rows"), from.next(2).expect("rows")];
            assert_eq!(read, [vec![0, 7, 1, 8], vec![2, 9]]);
        }
    }
}
