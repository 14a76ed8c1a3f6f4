//! [`Column`]: a column of numbers, texts or lists of them, row by row; [`push_of_graph`]: a cell becomes a field of
//! the graph.

use crate::common::{Record, Values};
use graphpack_loader::Level;
use parquet::basic::{ConvertedType, LogicalType, Repetition, Type as Physical};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::schema::types::{ColumnDescriptor, Type};
use std::ops::Range;

/// A column of numbers or lists of them.
pub(super) struct Column {
    pub(super) kind: Kind,
    /// How deep lists are: 0 for numbers, 1 for lists, 2 for lists of lists.
    pub(super) lists: i16,
    /// The definition level at which each list has an element.
    filled: Vec<i16>,
    /// The definition level of a number that is there.
    most: i16,
    reader: Option<ColumnReader>,
    definition: Vec<i16>,
    repetition: Vec<i16>,
    /// Numbers; of texts, where they are in `texts`.
    values: Values,
    texts: Vec<String>,
    /// Where the next row is in levels and values.
    level: usize,
    value: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Bool,
    Integer,
    /// Of 32 or 64 bits, without a sign.
    Unsigned,
    Float,
    Text,
}

/// What a row has in a column.
pub(super) struct Cell {
    /// The numbers of each inner list, or of the only list, or the number.
    pub(super) lengths: Vec<usize>,
    /// NaN where a floating point number is null.
    pub(super) values: Values,
}

impl Column {
    /// A column that can be read; the error says what it is instead.
    pub(super) fn new(column: &ColumnDescriptor, root: &Type) -> Result<Self, String> {
        let kind = kind(column)?;
        let (mut level, mut filled, mut inner) = (0, Vec::new(), root);
        for part in column.path().parts() {
            let field = inner.get_fields().iter().find(|field| field.name() == part);
            inner = field.ok_or("a column that the schema lacks")?;
            match inner.get_basic_info().has_repetition().then(|| inner.get_basic_info().repetition()) {
                Some(Repetition::OPTIONAL) => level += 1,
                Some(Repetition::REPEATED) => {
                    level += 1;
                    filled.push(level);
                }
                _ => {}
            }
        }
        let lists = column.max_rep_level();
        // A list is two groups in each other.
        if column.path().parts().len() > 1 + 2 * lists as usize {
            return Err("a group of columns".into());
        }
        if lists > 2 || filled.len() != lists as usize {
            return Err(format!("lists {lists} deep"));
        }
        let (definition, repetition, values, texts) = (Vec::new(), Vec::new(), Values::I64(Vec::new()), Vec::new());
        let most = column.max_def_level();
        Ok(Self { kind, lists, filled, most, reader: None, definition, repetition, values, texts, level: 0, value: 0 })
    }

    /// Goes to a row group.
    pub(super) fn start(&mut self, reader: ColumnReader) {
        self.reader = Some(reader);
        self.fill(0, Values::I64(Vec::new()));
    }

    /// Rows and numbers per row of the lists of a cell; `None` if these are not the same.
    pub(super) fn table(&self, lengths: &[usize]) -> Option<(usize, usize)> {
        if self.lists < 2 {
            return Some((lengths.iter().sum(), 1));
        }
        let width = lengths.first().copied().unwrap_or(0);
        lengths.iter().all(|&length| length == width).then_some((lengths.len(), width))
    }

    /// The texts of a cell with these values.
    pub(super) fn texts(&self, values: &Values) -> impl Iterator<Item = &str> {
        let places = if let Values::I64(places) = values { &places[..] } else { &[] };
        places.iter().filter_map(|&place| Some(&**self.texts.get(usize::try_from(place).ok()?)?))
    }

    fn fill(&mut self, value: usize, values: Values) {
        (self.level, self.value, self.values) = (0, value, values);
    }

    /// Reads `rows` rows of the group into memory.
    pub(super) fn read(&mut self, rows: usize) -> Result<(), String> {
        self.definition.clear();
        self.repetition.clear();
        let (definition, repetition) = (&mut self.definition, &mut self.repetition);
        let (read, values) = match (self.reader.as_mut(), self.kind) {
            (Some(ColumnReader::BoolColumnReader(reader)), Kind::Bool) => {
                let (read, values) = numbers(reader, rows, definition, repetition)?;
                (read, Values::Bool(values))
            }
            (Some(ColumnReader::Int32ColumnReader(reader)), Kind::Integer) => {
                let (read, values) = numbers(reader, rows, definition, repetition)?;
                (read, Values::I64(values.into_iter().map(i64::from).collect()))
            }
            (Some(ColumnReader::Int64ColumnReader(reader)), Kind::Integer) => {
                let (read, values) = numbers(reader, rows, definition, repetition)?;
                (read, Values::I64(values))
            }
            // Unsigned numbers have the bits of the signed ones.
            (Some(ColumnReader::Int32ColumnReader(reader)), Kind::Unsigned) => {
                let (read, values) = numbers(reader, rows, definition, repetition)?;
                (read, Values::I64(values.into_iter().map(|value| i64::from(value as u32)).collect()))
            }
            (Some(ColumnReader::Int64ColumnReader(reader)), Kind::Unsigned) => {
                let (read, values) = numbers(reader, rows, definition, repetition)?;
                if values.iter().any(|&value| value < 0) {
                    return Err("an integer beyond int64".into());
                }
                (read, Values::I64(values))
            }
            (Some(ColumnReader::FloatColumnReader(reader)), Kind::Float) => {
                let (read, values) = numbers(reader, rows, definition, repetition)?;
                (read, Values::F64(values.into_iter().map(f64::from).collect()))
            }
            (Some(ColumnReader::DoubleColumnReader(reader)), Kind::Float) => {
                let (read, values) = numbers(reader, rows, definition, repetition)?;
                (read, Values::F64(values))
            }
            (Some(ColumnReader::ByteArrayColumnReader(reader)), Kind::Text) => {
                let (read, texts) = numbers(reader, rows, definition, repetition)?;
                self.texts = texts.iter().map(|text| String::from_utf8_lossy(text.data()).into_owned()).collect();
                (read, Values::I64((0..self.texts.len() as i64).collect()))
            }
            _ => return Err("another type than its metadata says".into()),
        };
        let there = if self.most == 0 {
            values.len()
        } else {
            self.definition.iter().filter(|&&level| level == self.most).count()
        };
        if read != rows || there != values.len() {
            return Err(format!("{read} of {rows} rows, {} of {there} numbers", values.len()));
        }
        self.fill(0, values);
        Ok(())
    }

    /// The next row of those in memory; `None` if it is null. The inner error says what is wrong with it, the outer one
    /// what is wrong with the column, of which the row after it cannot be found.
    pub(super) fn next(&mut self) -> Result<Result<Option<Cell>, String>, String> {
        let start = self.level;
        let mut end = start + 1;
        while self.lists > 0 && self.repetition.get(end).is_some_and(|&level| level > 0) {
            end += 1;
        }
        self.level = end;
        if self.most == 0 {
            self.value += 1;
            let values = slice(&self.values, self.value - 1..self.value)?;
            return Ok(Ok(Some(Cell { lengths: vec![1], values })));
        }
        let definition = self.definition.get(start..end).ok_or("fewer rows than it should have")?;
        let is_null = match self.filled.first() {
            // A list is empty just below the level at which it has an element.
            Some(&filled) => definition[0] < filled - 1,
            None => definition[0] < self.most,
        };
        if is_null {
            return Ok(Ok(None));
        }
        let has_element = |level: i16| self.filled.last().is_none_or(|&filled| level >= filled);
        let mut lengths = Vec::new();
        for (at, &level) in definition.iter().enumerate() {
            let begins = match self.lists {
                0 => true,
                1 => at == 0,
                _ => self.repetition[start + at] < 2 && level >= self.filled[0],
            };
            if begins {
                lengths.push(0);
            }
            if let (true, Some(last)) = (has_element(level), lengths.last_mut()) {
                *last += 1;
            }
        }
        let elements: usize = lengths.iter().sum();
        let there = definition.iter().filter(|&&level| level == self.most).count();
        let values = slice(&self.values, self.value..self.value + there)?;
        self.value += there;
        let values = match values {
            values if there == elements => values,
            Values::F64(numbers) => {
                let mut numbers = numbers.into_iter();
                let levels = definition.iter().filter(|&&level| has_element(level));
                let with_nulls = levels.map(|&level| if level == self.most { numbers.next() } else { None });
                Values::F64(with_nulls.map(|number| number.unwrap_or(f64::NAN)).collect())
            }
            _ => return Ok(Err("a null in a list".into())),
        };
        Ok(Ok(Some(Cell { lengths, values })))
    }
}

/// Reads rows into levels and returns their number and their values.
fn numbers<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    rows: usize,
    definition: &mut Vec<i16>,
    repetition: &mut Vec<i16>,
) -> Result<(usize, Vec<T::T>), String> {
    let mut values = Vec::new();
    let read = reader.read_records(rows, Some(definition), Some(repetition), &mut values);
    Ok((read.map_err(|error| error.to_string())?.0, values))
}

fn slice(values: &Values, range: Range<usize>) -> Result<Values, String> {
    if range.end > values.len() {
        return Err("fewer numbers than its lists say".into());
    }
    Ok(values.slice(range))
}

/// What the numbers of a column are; the error says what they are instead.
fn kind(column: &ColumnDescriptor) -> Result<Kind, String> {
    use ConvertedType as Converted;
    let (logical, converted) = (column.logical_type_ref(), column.converted_type());
    let unsigned = match (logical, converted) {
        (Some(LogicalType::Integer(integer)), _) => !integer.is_signed,
        (None, Converted::UINT_8 | Converted::UINT_16 | Converted::UINT_32 | Converted::UINT_64) => true,
        (None, Converted::INT_8 | Converted::INT_16 | Converted::INT_32 | Converted::INT_64 | Converted::NONE) => false,
        (Some(LogicalType::String | LogicalType::Enum | LogicalType::Uuid | LogicalType::Json), _)
        | (None, Converted::UTF8 | Converted::ENUM | Converted::JSON) => return Ok(Kind::Text),
        // The name without the parameters.
        (Some(other), _) => return Err(format!("{other:?}").split('(').next().unwrap_or_default().to_owned()),
        (None, other) => return Err(other.to_string()),
    };
    match column.physical_type() {
        Physical::BOOLEAN => Ok(Kind::Bool),
        Physical::INT32 | Physical::INT64 if unsigned => Ok(Kind::Unsigned),
        Physical::INT32 | Physical::INT64 => Ok(Kind::Integer),
        Physical::FLOAT | Physical::DOUBLE => Ok(Kind::Float),
        Physical::BYTE_ARRAY => Ok(Kind::Text),
        other => Err(other.to_string()),
    }
}

/// Adds the field `name` of the graph, which is what `means` says. Numbers that are missing in a `y` of several are 0,
/// and `has_y` says which are there; any other field is missing as a whole, and so is `y` unless `width` says how many
/// numbers it has. Errors with a number that is infinite.
pub(super) fn push_of_graph(
    record: &mut Record,
    name: &str,
    means: &str,
    mut values: Values,
    width: Option<usize>,
) -> Result<(), String> {
    let of_several = width.filter(|&width| means == "y" && width > 1);
    if let (true, Some(width)) = (values.is_empty(), of_several) {
        values = Values::F64(vec![f64::NAN; width]);
    }
    let width = values.len();
    if is_missing(&values) && of_several.is_none() {
        record.missing.push(name.to_owned().into());
        return Ok(());
    }
    if means == "y" && width > 1 && matches!(values, Values::F64(_)) {
        record.push(format!("has_{name}"), Level::Graph, width, Values::Bool(values.mask_nan()));
    }
    if let Some((at, number)) = values.infinite() {
        return Err(format!("{number} at column {at}"));
    }
    let values = values.of_graph(means);
    record.push(name.to_owned(), Level::Graph, values.len(), values);
    Ok(())
}

/// Whether there are no numbers: none, or NaN alone.
pub(super) fn is_missing(values: &Values) -> bool {
    match values {
        Values::F64(numbers) => numbers.iter().all(|number| number.is_nan()),
        others => others.is_empty(),
    }
}

/// What a number that is not finite is in the file.
pub(super) fn null_or(number: f64) -> String {
    if number.is_nan() { "null or NaN".into() } else { number.to_string() }
}
