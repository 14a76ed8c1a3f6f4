//! [`Record`]: one graph as a file has it; [`Records`]: the graphs of a file, one after the other.

use super::ArrayType;
use graphpack_loader::{Error, Level, f16};
use std::borrow::Cow;
use std::ops::Range;

/// One graph as a file has it: how many nodes, the fields by name, the edges. Readers fill the same record again for
/// every graph.
///
/// ```
/// use graphpack_formats::records::{Record, Values};
/// use graphpack_loader::Level;
///
/// let mut water = Record { name: "water".into(), nodes: 3, ..Record::default() };
/// water.push("z", Level::NODE, 1, Values::I64(vec![8, 1, 1]));
/// water.push("energy", Level::Graph, 1, Values::F64(vec![-76.4]));
/// assert_eq!(water.field("energy").map(|field| field.width), Some(1));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// What messages call the graph; empty if the file has no name for it.
    pub name: String,
    /// Number of nodes.
    pub nodes: usize,
    /// Sources and targets of the edges, as node numbers from 0; `None` if the file does not say how nodes are
    /// connected.
    pub edges: Option<[Vec<i64>; 2]>,
    /// The fields, each name once. A label that this graph lacks is not among them.
    pub fields: Vec<RecordField>,
    /// Names of the labels that this graph lacks though the file has a place for them: nothing, null or NaN.
    pub missing: Vec<Cow<'static, str>>,
}

/// One field of a [`Record`].
#[derive(Clone, Debug, PartialEq)]
pub struct RecordField {
    /// Its name in the store.
    pub name: Cow<'static, str>,
    /// What it has rows for.
    pub level: Level,
    /// Numbers per row.
    pub width: usize,
    /// The lengths of the axes of a row, if the file says them: `[1]` of an array `[nodes, 1]`. Otherwise one number has
    /// none, nine of `cell`, `stress` and `virial` have `[3, 3]`, and others one axis.
    pub row: Option<Vec<usize>>,
    /// Its numbers, row by row. NaN is a number that the graph lacks.
    pub values: Values,
}

/// Numbers of one type. Stores have floating point numbers in 32 bits unless 64 are asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Floating point numbers.
    F64(Vec<f64>),
    /// Integers.
    I64(Vec<i64>),
    /// True or false.
    Bool(Vec<bool>),
}

impl Record {
    /// Forgets the graph.
    pub fn clear(&mut self) {
        self.name.clear();
        (self.nodes, self.edges) = (0, None);
        self.fields.clear();
        self.missing.clear();
    }

    /// Adds a field.
    pub fn push(&mut self, name: impl Into<Cow<'static, str>>, level: Level, width: usize, values: Values) {
        self.fields.push(RecordField { name: name.into(), level, width, row: None, values });
    }

    /// Sets the lengths of the axes of a row of the field that was added last, unless their product is another number
    /// than it has per row.
    pub fn shape_last(&mut self, row: &[usize]) {
        if let Some(field) = self.fields.last_mut().filter(|field| row.iter().product::<usize>() == field.width) {
            field.row = Some(row.to_vec());
        }
    }

    /// The field with this name.
    pub fn field(&self, name: &str) -> Option<&RecordField> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// Number of rows at a level.
    pub fn rows(&self, level: Level) -> usize {
        match level {
            Level::Graph => 1,
            Level::NODE => self.nodes,
            Level::Set(_) => self.edges.as_ref().map_or(0, |[sources, _]| sources.len()),
        }
    }
}

impl Values {
    /// Little-endian numbers of a type; `None` if one is beyond int64. Bytes that are less than a number are not seen.
    pub fn from_bytes(element: ArrayType, bytes: &[u8]) -> Option<Self> {
        macro_rules! numbers {
            ($type:ty, $to:expr) => {
                bytes.as_chunks().0.iter().map(|bytes| $to(<$type>::from_le_bytes(*bytes))).collect()
            };
        }
        Some(match element {
            ArrayType::I8 => Self::I64(numbers!(i8, i64::from)),
            ArrayType::I16 => Self::I64(numbers!(i16, i64::from)),
            ArrayType::I32 => Self::I64(numbers!(i32, i64::from)),
            ArrayType::I64 => Self::I64(numbers!(i64, i64::from)),
            ArrayType::U8 => Self::I64(numbers!(u8, i64::from)),
            ArrayType::U16 => Self::I64(numbers!(u16, i64::from)),
            ArrayType::U32 => Self::I64(numbers!(u32, i64::from)),
            ArrayType::U64 => {
                let numbers: Vec<Option<i64>> = numbers!(u64, |number| i64::try_from(number).ok());
                Self::I64(numbers.into_iter().collect::<Option<_>>()?)
            }
            ArrayType::F16 => Self::F64(numbers!(u16, |bits| f16::from_bits(bits).to_f64())),
            ArrayType::F32 => Self::F64(numbers!(f32, f64::from)),
            ArrayType::F64 => Self::F64(numbers!(f64, f64::from)),
            ArrayType::Bool => Self::Bool(bytes.iter().map(|&byte| byte != 0).collect()),
        })
    }

    /// As floating point numbers; true is 1.
    pub(crate) fn floats(self) -> Vec<f64> {
        match self {
            Self::F64(numbers) => numbers,
            Self::I64(numbers) => numbers.into_iter().map(|number| number as f64).collect(),
            Self::Bool(numbers) => numbers.into_iter().map(f64::from).collect(),
        }
    }

    /// The numbers times a factor, as floating point numbers unless it is 1.
    pub(crate) fn times(self, factor: f64) -> Self {
        if factor == 1.0 {
            return self;
        }
        Self::F64(self.floats().into_iter().map(|number| number * factor).collect())
    }

    /// Replaces NaN by 0. Returns a mask, true for the numbers that were not NaN.
    pub(crate) fn mask_nan(&mut self) -> Vec<bool> {
        let Self::F64(numbers) = self else { return vec![true; self.len()] };
        let has = numbers.iter().map(|number| !number.is_nan()).collect();
        numbers.iter_mut().filter(|number| number.is_nan()).for_each(|number| *number = 0.0);
        has
    }

    /// Some of the numbers.
    pub fn slice(&self, range: Range<usize>) -> Self {
        match self {
            Self::F64(numbers) => Self::F64(numbers[range].to_vec()),
            Self::I64(numbers) => Self::I64(numbers[range].to_vec()),
            Self::Bool(numbers) => Self::Bool(numbers[range].to_vec()),
        }
    }

    /// How many numbers there are.
    pub fn len(&self) -> usize {
        match self {
            Self::F64(values) => values.len(),
            Self::I64(values) => values.len(),
            Self::Bool(values) => values.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// What all formats of numbers do with them.
impl Values {
    /// The numbers of a graph's field as all formats have it: those of a stress or virial that has six, in Voigt's
    /// order (xx, yy, zz, yz, xz, xy), become 3 x 3.
    pub(crate) fn of_graph(self, name: &str) -> Self {
        match self {
            Self::F64(numbers) if ["stress", "virial", "virials"].contains(&name) => match numbers[..] {
                [xx, yy, zz, yz, xz, xy] => Self::F64(vec![xx, xy, xz, xy, yy, yz, xz, yz, zz]),
                _ => Self::F64(numbers),
            },
            other => other,
        }
    }

    /// Where the first number is that is not finite, and the number.
    pub(crate) fn not_finite(&self) -> Option<(usize, f64)> {
        self.first(|number| !number.is_finite())
    }

    /// Where the first number is that is infinite, and the number.
    pub(crate) fn infinite(&self) -> Option<(usize, f64)> {
        self.first(f64::is_infinite)
    }

    fn first(&self, is: impl Fn(f64) -> bool) -> Option<(usize, f64)> {
        match self {
            Self::F64(numbers) => numbers.iter().copied().enumerate().find(|(_, number)| is(*number)),
            Self::I64(_) | Self::Bool(_) => None,
        }
    }
}

/// What was read of one record, or why it cannot be read; the outer error is one after which the next record cannot be
/// found.
pub(crate) type OfRecord<T> = Result<Result<T, Error>, Error>;

/// The graphs of a file or folder, one after the other, so that a file may be larger than memory.
pub trait Records: Send {
    /// Reads the next graph into `record`, whatever it held before; returns false at the end.
    fn next(&mut self, record: &mut Record) -> Result<bool, Error>;

    /// How much of the file was read, and how much there is, in a unit of the reader's own (bytes, rows).
    fn progress(&self) -> (u64, Option<u64>) {
        (0, None)
    }

    /// What was passed over and why, such as columns of text, one line each, for the user to see at the end. Of fields
    /// of atoms, the first 200 names are listed.
    fn skipped(&self) -> &[String] {
        &[]
    }

    /// The unit of a field of the graphs so far, if the format or the file says it.
    fn unit(&self, _field: &str) -> Option<&str> {
        None
    }

    /// What the codes of a field of the graphs so far stand for, if they are codes of texts; otherwise empty.
    fn labels(&self, _field: &str) -> &[String] {
        &[]
    }

    /// Makes it an error if a graph has one of these fields and it cannot be read, where it would be passed over.
    /// Called before the first graph is read. Only formats that pass fields over do anything.
    fn select(&mut self, _names: &[String]) {}

    /// Whether, after an error, [`next`](Self::next) reads the record after the one that is wrong. By default a file
    /// cannot be read further.
    fn goes_on(&self) -> bool {
        false
    }

    /// The column of a table of targets that has the names of graphs.
    fn name_column(&self) -> &'static str {
        "name"
    }
}

impl<R: Records + ?Sized> Records for Box<R> {
    fn next(&mut self, record: &mut Record) -> Result<bool, Error> {
        (**self).next(record)
    }

    fn progress(&self) -> (u64, Option<u64>) {
        (**self).progress()
    }

    fn skipped(&self) -> &[String] {
        (**self).skipped()
    }

    fn unit(&self, field: &str) -> Option<&str> {
        (**self).unit(field)
    }

    fn labels(&self, field: &str) -> &[String] {
        (**self).labels(field)
    }

    fn select(&mut self, names: &[String]) {
        (**self).select(names);
    }

    fn goes_on(&self) -> bool {
        (**self).goes_on()
    }

    fn name_column(&self) -> &'static str {
        (**self).name_column()
    }
}

/// Whether a text says that there is no value: it is empty, or `nan`, `-nan`, `NA`, `<NA>`, `N/A`, `null` or
/// `None` in any case.
pub(crate) fn says_none(text: &str) -> bool {
    let all = ["nan", "-nan", "na", "<na>", "n/a", "null", "none"];
    text.is_empty() || all.iter().any(|none| text.eq_ignore_ascii_case(none))
}

#[cfg(test)]
mod tests {
    use super::{ArrayType, Values};

    #[test]
    fn numbers_of_all_types_are_read() {
        let half = |bits: u16| match Values::from_bytes(ArrayType::F16, &bits.to_le_bytes()) {
            Some(Values::F64(numbers)) => numbers[0],
            other => panic!("{other:?}"),
        };
        assert_eq!(
            [0x3c00, 0xc000, 1, 0x7bff, 0xfc00].map(half),
            [1.0, -2.0, 2_f64.powi(-24), 65504.0, f64::NEG_INFINITY]
        );
        assert!(half(0x7e00).is_nan());
        assert_eq!(Values::from_bytes(ArrayType::I16, &[0xff, 0xff, 2, 0, 9]), Some(Values::I64(vec![-1, 2])));
        assert_eq!(Values::from_bytes(ArrayType::U64, &[0xff; 8]), None);
        assert_eq!(Values::from_bytes(ArrayType::F32, &1.5_f32.to_le_bytes()), Some(Values::F64(vec![1.5])));
        assert_eq!(Values::from_bytes(ArrayType::Bool, &[0, 1]), Some(Values::Bool(vec![false, true])));
    }
}
