//! [`ChunkedFeature`]: a feature in one or more files.

use super::rows::{Outline, Rows};
use super::{ChunkFormat, ChunkedError};
use crate::{Array, ArrayType};
use graphpack_loader::Error;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A feature of the nodes or edges of a type, in one or more files that are read one at a time.
///
/// Numpy arrays may have any shape. Rows of csv files have one dimension; they are int64 if all cells of all files are
/// integers, else float32, where an empty cell is NaN and an integer that would be rounded is an error. The columns of a parquet file are one dimension, unless the key
/// `shape` in the file, which DGL writes, has another shape. A single column of lists of equal length is a dimension of
/// that length.
#[derive(Clone, Debug)]
pub struct ChunkedFeature {
    name: String,
    format: ChunkFormat,
    element: ArrayType,
    row: Vec<usize>,
    files: Vec<(PathBuf, usize)>,
}

impl ChunkedFeature {
    /// Opens a feature in files that no metadata lists. Reads the header of each file, and all lines of csv files.
    pub fn open(name: impl Into<String>, format: ChunkFormat, files: Vec<PathBuf>) -> Result<Self, Error> {
        let mut feature =
            Self { name: name.into(), format, element: ArrayType::I64, row: Vec::new(), files: Vec::new() };
        let mut first: Option<PathBuf> = None;
        for path in files {
            let outline = Rows::outline(&path, format)?;
            let csv = matches!(format, ChunkFormat::Csv { .. });
            let empty_csv = csv && outline.rows == 0;
            match &first {
                None if empty_csv => {}
                None => {
                    (feature.element, feature.row) = (outline.element, outline.row);
                    first = Some(path.clone());
                }
                Some(_) if empty_csv => {}
                // One file may have integers and another one other numbers.
                Some(_) if csv && outline.row == feature.row => {
                    if outline.element == ArrayType::F32 {
                        feature.element = ArrayType::F32;
                    }
                }
                Some(_) if outline.element == feature.element && outline.row == feature.row => {}
                Some(first) => {
                    let problem = format!(
                        "has rows of {} {:?}, {} has rows of {} {:?}",
                        outline.element,
                        outline.row,
                        first.display(),
                        feature.element,
                        feature.row
                    );
                    return Err(ChunkedError::File { path, problem }.into());
                }
            }
            feature.files.push((path, outline.rows));
        }
        Ok(feature)
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The type of its elements.
    pub fn element(&self) -> ArrayType {
        self.element
    }

    /// The shape of a row; empty if a row is one number.
    pub fn row(&self) -> &[usize] {
        &self.row
    }

    /// Number of bytes of a row, at most `usize::MAX`.
    pub fn row_bytes(&self) -> usize {
        self.row.iter().fold(self.element.bytes(), |bytes, &n| bytes.saturating_mul(n))
    }

    pub(crate) fn format(&self) -> ChunkFormat {
        self.format
    }

    /// The files, and the number of rows of each.
    pub(crate) fn paths_and_rows(&self) -> impl Iterator<Item = (&Path, usize)> {
        self.files.iter().map(|(path, rows)| (&**path, *rows))
    }

    /// Number of rows of each file.
    pub fn files(&self) -> impl ExactSizeIterator<Item = usize> {
        self.files.iter().map(|&(_, rows)| rows)
    }

    /// Number of rows of all files.
    pub fn rows(&self) -> usize {
        self.files.iter().fold(0, |sum, &(_, rows)| sum.saturating_add(rows))
    }

    /// Reads all rows of a file.
    pub fn read(&self, file: usize) -> Result<Array, Error> {
        let Some(&(_, rows)) = self.files.get(file) else {
            return Err(ChunkedError::Chunk { of: self.name.clone(), chunk: file, chunks: self.files.len() }.into());
        };
        self.array(self.open_file(file)?.next(rows)?, rows, file)
    }

    /// Reads all rows in order, at most `most` at a time and never from two files. Items are the range of row numbers
    /// and the rows.
    pub fn ranges(&self, most: usize) -> FeatureRanges<'_> {
        FeatureRanges {
            feature: self,
            most: most.max(1),
            file: 0,
            end: self.files.len(),
            within: 0,
            start: 0,
            rows: None,
        }
    }

    /// Reads the rows of one file in order, at most `most` at a time. Row numbers count the rows of all files.
    pub fn ranges_of(&self, file: usize, most: usize) -> FeatureRanges<'_> {
        let start = self.files().take(file).fold(0, usize::saturating_add);
        FeatureRanges { file, end: self.files.len().min(file.saturating_add(1)), start, ..self.ranges(most) }
    }

    fn open_file(&self, file: usize) -> Result<Rows, Error> {
        let (path, rows) = &self.files[file];
        let outline = Outline { element: self.element, row: self.row.clone(), rows: *rows };
        Rows::open(path, self.format, &outline)
    }

    /// Makes an array of rows; fails if the file has become shorter since it was opened.
    fn array(&self, bytes: Vec<u8>, rows: usize, file: usize) -> Result<Array, Error> {
        let shape = [rows].into_iter().chain(self.row.iter().copied()).collect();
        Array::new(self.element, shape, bytes).map_err(|error| {
            let problem = format!("was changed while it was read: {error}");
            ChunkedError::File { path: self.files[file].0.clone(), problem }.into()
        })
    }
}

/// Iterates over the rows of a [`ChunkedFeature`], a range at a time. Ends after the first error.
pub struct FeatureRanges<'a> {
    feature: &'a ChunkedFeature,
    most: usize,
    file: usize,
    /// The end of the files.
    end: usize,
    /// Number of rows of this file read so far.
    within: usize,
    /// Number of the next row, counted over all files.
    start: usize,
    rows: Option<Rows>,
}

impl FeatureRanges<'_> {
    fn read(&mut self, rows: usize) -> Result<Array, Error> {
        let mut from = match self.rows.take() {
            Some(from) => from,
            None => self.feature.open_file(self.file)?,
        };
        let array = self.feature.array(from.next(rows)?, rows, self.file)?;
        self.rows = Some(from);
        Ok(array)
    }
}

impl Iterator for FeatureRanges<'_> {
    type Item = Result<(Range<usize>, Array), Error>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.within == self.feature.files[..self.end].get(self.file)?.1 {
            (self.file, self.within, self.rows) = (self.file + 1, 0, None);
        }
        let rows = self.most.min(self.feature.files[self.file].1 - self.within);
        let range = self.start..self.start + rows;
        let read = self.read(rows);
        if read.is_err() {
            self.file = self.end;
        }
        self.within += rows;
        self.start += rows;
        Some(read.map(|array| (range, array)))
    }
}
