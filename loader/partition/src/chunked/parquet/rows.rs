//! [`ParquetRows`]: reads a table of numbers in a parquet file.

use super::cells::{Levels, cells, element_of, unreadable};
use crate::chunked::ChunkedError;
use crate::chunked::rows::Outline;
use crate::{ArrayType, files};
use graphpack_loader::Error;
use graphpack_loader::extend::file_error;
use parquet::column::reader::ColumnReader;
use parquet::errors::ParquetError;
use parquet::file::metadata::{FileMetaData, ParquetMetaData};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;
use serde::Deserialize;
use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// The key under which DGL writes the shape of an array as a Python tuple.
pub(super) const SHAPE: &str = "shape";

/// What pandas notes of a table.
#[derive(Deserialize)]
struct Pandas {
    #[serde(default)]
    index_columns: Vec<serde_json::Value>,
}

/// An open file. The columns of a row group are read side by side.
pub(in crate::chunked) struct ParquetRows {
    path: PathBuf,
    file: SerializedFileReader<File>,
    pub(in crate::chunked) outline: Outline,
    /// Which columns of the file are read.
    read: Vec<usize>,
    /// Those of the row group; empty before the first group.
    columns: Vec<ColumnReader>,
    /// Number of the next row group.
    group: usize,
    /// Number of rows left in this group.
    left: usize,
    /// Length of each list, if cells are lists.
    list: Option<usize>,
    levels: Levels,
}

impl ParquetRows {
    pub(in crate::chunked) fn open(path: &Path) -> Result<Self, Error> {
        Self::picked(path, |names| Ok((0..names.len()).collect()))
    }

    /// Opens a file with the columns that `pick` chooses, given the names of all.
    pub(in crate::chunked) fn picked(
        path: &Path,
        pick: impl FnOnce(Vec<String>) -> Result<Vec<usize>, String>,
    ) -> Result<Self, Error> {
        caught(path, || Self::open_sound(path, pick))
    }

    fn open_sound(path: &Path, pick: impl FnOnce(Vec<String>) -> Result<Vec<usize>, String>) -> Result<Self, Error> {
        let file = files::open(path).map_err(file_error(path))?;
        let wrong = |problem| Error::from(ChunkedError::File { path: path.to_owned(), problem });
        let file = SerializedFileReader::new(file).map_err(|error| wrong(unreadable(error)))?;
        let (element, rows, read) = table(file.metadata(), pick).map_err(wrong)?;
        let schema = file.metadata().file_metadata().schema_descr();
        let lists = read.iter().any(|&column| schema.column(column).max_rep_level() > 0);
        let mut open = Self {
            path: path.to_owned(),
            file,
            outline: Outline { element, row: vec![read.len()], rows },
            read,
            columns: Vec::new(),
            group: 0,
            left: 0,
            list: None,
            levels: Levels::default(),
        };
        if lists {
            open.list = Some(open.first_list()?);
            open.outline.row = vec![open.list.unwrap_or(0)];
        }
        if let Some(row) = open.shape().map_err(|problem| open.wrong(problem))? {
            open.outline.row = row;
        }
        Ok(open)
    }

    /// Reads up to `most` rows, fewer only at the end.
    pub(in crate::chunked) fn next(&mut self, most: usize) -> Result<Vec<u8>, Error> {
        let path = self.path.clone();
        caught(&path, || self.next_sound(most))
    }

    fn next_sound(&mut self, most: usize) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        let mut rows = 0;
        while rows < most {
            if self.left == 0 && !self.next_group()? {
                break;
            }
            let more = self.left.min(most - rows);
            self.read(more, &mut bytes).map_err(|problem| self.wrong(problem))?;
            self.left -= more;
            self.levels.row += more;
            rows += more;
        }
        Ok(bytes)
    }

    /// Goes to the next row group with rows; returns false if there is none.
    fn next_group(&mut self) -> Result<bool, Error> {
        while self.group < self.file.num_row_groups() {
            let open = |group| -> Result<_, ParquetError> {
                let group = self.file.get_row_group(group)?;
                let columns = self.read.iter().map(|&column| group.get_column_reader(column));
                Ok((columns.collect::<Result<_, _>>()?, group.metadata().num_rows()))
            };
            let (columns, rows) = open(self.group).map_err(|error| self.wrong(unreadable(error)))?;
            (self.columns, self.left) = (columns, usize::try_from(rows).unwrap_or(0));
            self.group += 1;
            if self.left > 0 {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the length of the first list and goes back to the start.
    fn first_list(&mut self) -> Result<usize, Error> {
        if !self.next_group()? {
            return Ok(0);
        }
        let element = self.outline.element;
        let mut bytes = Vec::new();
        self.levels.most = self.most(0);
        let levels = &mut self.levels;
        let read = self.columns.first_mut().ok_or("has no columns".into());
        let read = read.and_then(|column| cells(column, element, 1, levels, &mut bytes));
        read.map_err(|problem| self.wrong(problem))?;
        (self.group, self.left) = (0, 0);
        Ok(bytes.len() / element.bytes())
    }

    /// The definition of a value that is there, in one of the columns that are read.
    fn most(&self, column: usize) -> i16 {
        self.file.metadata().file_metadata().schema_descr().column(self.read[column]).max_def_level()
    }

    /// The row shape in the key `shape`, if there is one; it must agree with the table.
    fn shape(&self) -> Result<Option<Vec<usize>>, String> {
        let Some(text) = key(self.file.metadata().file_metadata(), SHAPE) else { return Ok(None) };
        let (rows, columns) = (self.outline.rows, self.outline.row[0]);
        let wrong = || format!("has the shape {text} and {rows} rows of {columns} columns");
        let numbers = text.trim().strip_prefix('(').and_then(|text| text.strip_suffix(')')).ok_or_else(wrong)?;
        let numbers = numbers.split(',').map(str::trim).filter(|number| !number.is_empty());
        let shape: Vec<usize> = numbers.map(str::parse).collect::<Result<_, _>>().map_err(|_| wrong())?;
        let (&first, row) = shape.split_first().ok_or_else(wrong)?;
        let width = row.iter().try_fold(1_usize, |width, &n| width.checked_mul(n));
        if first != rows || width != Some(columns) {
            return Err(wrong());
        }
        Ok(Some(row.to_vec()))
    }

    /// Appends rows of this row group.
    fn read(&mut self, rows: usize, to: &mut Vec<u8>) -> Result<(), String> {
        let element = self.outline.element;
        let width = self.outline.row_bytes();
        let (start, columns) = (to.len(), self.columns.len());
        let mut column_bytes = Vec::new();
        for column in 0..columns {
            column_bytes.clear();
            self.levels.most = self.most(column);
            let (reader, levels) = (&mut self.columns[column], &mut self.levels);
            let read = cells(reader, element, rows, levels, &mut column_bytes)?;
            if read != rows {
                return Err(format!("has {read} of {rows} rows in column {column}"));
            }
            if let Some(list) = self.list {
                let starts = |at: usize| at.checked_rem(list) == Some(0);
                let whole = levels.repetition.iter().enumerate().all(|(at, &level)| (level == 0) == starts(at));
                if !whole || column_bytes.len() != rows * width {
                    return Err(format!("has lists of other lengths than the first, which has {list} numbers"));
                }
            }
            if columns == 1 {
                to.extend_from_slice(&column_bytes);
                continue;
            }
            to.resize(start + rows * width, 0);
            let size = element.bytes();
            for (row, cell) in to[start..].chunks_exact_mut(width).zip(column_bytes.chunks_exact(size)) {
                row[column * size..(column + 1) * size].copy_from_slice(cell);
            }
        }
        Ok(())
    }

    fn wrong(&self, problem: String) -> Error {
        ChunkedError::File { path: self.path.clone(), problem }.into()
    }
}

/// Turns a panic into an error: the parquet crate panics on some damaged files.
fn caught<T>(path: &Path, read: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| {
        let problem = "is damaged: reading it panicked".into();
        Err(ChunkedError::File { path: path.to_owned(), problem }.into())
    })
}

/// The value of a key of a file's metadata.
fn key<'a>(file: &'a FileMetaData, key: &str) -> Option<&'a str> {
    file.key_value_metadata()?.iter().find(|found| found.key == key)?.value.as_deref()
}

/// Returns the elements of the columns, the number of rows, and which columns have them: those that `pick` chooses of
/// all but the index of a pandas table, which DGL leaves out, too.
fn table(
    metadata: &ParquetMetaData,
    pick: impl FnOnce(Vec<String>) -> Result<Vec<usize>, String>,
) -> Result<(ArrayType, usize, Vec<usize>), String> {
    let file = metadata.file_metadata();
    let columns = file.schema_descr().columns();
    // Names of columns, and descriptions of indices that are no columns.
    let index: Vec<serde_json::Value> = match key(file, "pandas") {
        None => Vec::new(),
        Some(text) => {
            let pandas: Pandas = serde_json::from_str(text).map_err(|error| format!("has a key pandas: {error}"))?;
            pandas.index_columns
        }
    };
    let is_index = |column: &ColumnDescriptor| {
        let name = column.path().parts().first();
        name.is_some_and(|name| index.iter().any(|index| index.as_str() == Some(name)))
    };
    let all: Vec<usize> = (0..columns.len()).filter(|&column| !is_index(&columns[column])).collect();
    let names = all.iter().map(|&column| columns[column].name().to_owned()).collect();
    let read: Vec<usize> = pick(names)?.into_iter().map(|place| all[place]).collect();
    let columns: Vec<&ColumnDescriptor> = read.iter().map(|&column| &*columns[column]).collect();
    let element = element_of(columns.first().ok_or("has no columns")?)?;
    for &column in &columns {
        let found = element_of(column)?;
        if found != element {
            return Err(format!("has a column of {found}, {:?}, after one of {element}", column.name()));
        }
        let lists = column.max_rep_level();
        if lists > 1 || (lists == 1 && columns.len() > 1) {
            return Err(format!("has lists in column {:?}, expected numbers or one column of lists", column.name()));
        }
    }
    for column in metadata.row_groups().iter().flat_map(|group| group.columns()) {
        let start = column.dictionary_page_offset().unwrap_or_else(|| column.data_page_offset());
        if start < 0 || column.compressed_size() < 0 {
            return Err(format!("has a column of {} bytes at byte {start}", column.compressed_size()));
        }
    }
    let rows = metadata
        .row_groups()
        .iter()
        .try_fold(0_usize, |sum, group| sum.checked_add(usize::try_from(group.num_rows()).ok()?));
    let rows = rows.filter(|&rows| usize::try_from(file.num_rows()) == Ok(rows));
    rows.map(|rows| (element, rows, read))
        .ok_or_else(|| format!("does not have the {} rows of its metadata", file.num_rows()))
}

#[cfg(test)]
mod tests {
    use super::ParquetRows;
    use crate::chunked::EdgeList;
    use parquet::basic::{BrotliLevel, Compression, GzipLevel, ZstdLevel};
    use parquet::data_type::Int64Type;
    use parquet::file::metadata::KeyValue;
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;
    use std::fs::File;
    use std::sync::Arc;
    use tempfile::NamedTempFile;

    type Column<'a> = (&'a [i64], Option<&'a [i16]>);

    /// Writes a file of columns of int64, each with its numbers and, where some may be missing, which are there.
    fn written(schema: &str, columns: &[Column<'_>], keys: &[(&str, &str)]) -> NamedTempFile {
        let file = tempfile::Builder::new().suffix(".parquet").tempfile().expect("a file");
        let schema = Arc::new(parse_message_type(schema).expect("a schema"));
        let keys = keys.iter().map(|(key, value)| KeyValue::new((*key).to_owned(), (*value).to_owned())).collect();
        let properties = Arc::new(WriterProperties::builder().set_key_value_metadata(Some(keys)).build());
        let to = file.reopen().expect("opened");
        let mut writer = SerializedFileWriter::new(to, schema, properties).expect("begun");
        let mut group = writer.next_row_group().expect("begun");
        for (numbers, there) in columns {
            let mut column = group.next_column().expect("begun").expect("a column");
            column.typed::<Int64Type>().write_batch(numbers, *there, None).expect("written");
            column.close().expect("ended");
        }
        group.close().expect("ended");
        writer.close().expect("ended");
        file
    }

    fn read(schema: &str, columns: &[Column<'_>], keys: &[(&str, &str)]) -> Result<(Vec<usize>, Vec<i64>), String> {
        let file = written(schema, columns, keys);
        let mut rows = ParquetRows::open(file.path()).map_err(|error| error.to_string())?;
        let bytes = rows.next(9999).map_err(|error| error.to_string())?;
        Ok((rows.outline.row.clone(), bytes.as_chunks().0.iter().map(|&number| i64::from_le_bytes(number)).collect()))
    }

    #[test]
    fn numbers_may_be_missing_in_one_column_and_not_in_another() {
        for schema in ["REQUIRED INT64 a; OPTIONAL INT64 b;", "OPTIONAL INT64 b; REQUIRED INT64 a;"] {
            let schema = format!("message m {{ {schema} }}");
            let read = |numbers: &[i64], there: &[i16]| {
                let mut columns: [Column<'_>; 2] = [(&[7, 8, 9], None), (numbers, Some(there))];
                if schema.contains("{ OPTIONAL") {
                    columns.reverse();
                }
                read(&schema, &columns, &[])
            };
            let (row, numbers) = read(&[1, 2, 3], &[1, 1, 1]).expect("whole");
            let expected = if schema.contains("{ OPTIONAL") { [1, 7, 2, 8, 3, 9] } else { [7, 1, 8, 2, 9, 3] };
            assert_eq!((row, numbers), (vec![2], expected.to_vec()));
            let message = read(&[1, 2], &[1, 0, 1]).expect_err("one is missing");
            assert!(message.ends_with("has no number in row 1"), "{message}");
        }
    }

    /// As `DataFrame.to_parquet` writes the rows of a mask.
    #[test]
    fn the_index_of_a_pandas_table_is_no_feature() {
        let schema = "message m { REQUIRED INT64 label; REQUIRED INT64 __index_level_0__; }";
        let columns: [Column<'_>; 2] = [(&[5, 6], None), (&[1, 3], None)];
        let pandas = r#"{"index_columns": ["__index_level_0__"], "columns": []}"#;
        assert_eq!(read(schema, &columns, &[("pandas", pandas)]), Ok((vec![1], vec![5, 6])));
        let range = r#"{"index_columns": [{"kind": "range", "start": 0, "stop": 2, "step": 1}]}"#;
        assert_eq!(read(schema, &columns, &[("pandas", range)]), Ok((vec![2], vec![5, 1, 6, 3])));
        let message = read(schema, &columns, &[("pandas", "{")]).expect_err("no JSON");
        assert!(message.contains("has a key pandas: EOF"), "{message}");
    }

    #[test]
    fn edges_are_found_by_the_names_of_columns() {
        let edges = |names: &[&str]| {
            let schema: String = names.iter().map(|name| format!("REQUIRED INT64 {name}; ")).collect();
            let columns: Vec<Column<'_>> =
                names.iter().map(|name| (&NUMBERS[usize::from(*name == "dst")][..], None)).collect();
            let file = written(&format!("message m {{ {schema} }}"), &columns, &[]);
            let list = EdgeList::open(file.path(), None).map_err(|error| error.to_string())?;
            Ok::<_, String>((list.unread().join(" "), list.map(|edge| edge.expect("an edge")).collect::<Vec<_>>()))
        };
        const NUMBERS: [[i64; 2]; 2] = [[0, 1], [7, 8]];
        for (names, unread) in [
            (&["src", "dst"][..], ""),
            (&["dst", "src"], ""),
            (&["id", "dst", "w", "src"], "id w"),
            (&["a", "dst", "src"], "a"),
        ] {
            assert_eq!(edges(names), Ok((unread.to_owned(), vec![[0, 7], [1, 8]])), "{names:?}");
        }
        let message = edges(&["a", "b", "c"]).unwrap_err();
        assert!(message.contains(" has the columns a, b, c, expected one of sources and one of targets"), "{message}");
    }

    #[test]
    fn every_compression_is_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let numbers: Vec<i64> = (0..5000).map(|number| number / 3).collect();
        for compression in [
            Compression::UNCOMPRESSED,
            Compression::SNAPPY,
            Compression::GZIP(GzipLevel::default()),
            Compression::BROTLI(BrotliLevel::default()),
            Compression::LZ4,
            Compression::LZ4_RAW,
            Compression::ZSTD(ZstdLevel::default()),
        ] {
            let path = folder.path().join("numbers.parquet");
            let schema = Arc::new(parse_message_type("message m { REQUIRED INT64 a; }").expect("a schema"));
            let properties = Arc::new(WriterProperties::builder().set_compression(compression).build());
            let file = File::create(&path).expect("created");
            let mut writer = SerializedFileWriter::new(file, schema, properties).expect("begun");
            let mut group = writer.next_row_group().expect("begun");
            let mut column = group.next_column().expect("begun").expect("a column");
            column.typed::<Int64Type>().write_batch(&numbers, None, None).expect("written");
            column.close().and_then(|()| group.close()).expect("ended");
            writer.close().expect("ended");
            let bytes = ParquetRows::open(&path).and_then(|mut rows| rows.next(9999)).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(bytes, bytemuck::cast_slice::<_, u8>(&numbers), "{compression}");
        }
    }
}
