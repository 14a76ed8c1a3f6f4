//! [`Value`]: what stands beside a name; [`List`]: values that are added one by one, and become numbers if all are of one
//! shape; [`ndarray`]: arrays of NumPy as ASE encodes them.

use crate::ArrayType;
use crate::common::Values;

/// What stands beside a name. Lists whose elements are numbers of one shape are numbers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Null,
    Text(String),
    Numbers(Numbers),
    List(Vec<Value>),
    Object(Vec<(String, Value)>),
}

/// Numbers of one type and any shape, row by row; one number has the shape `[]`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Numbers {
    pub(crate) shape: Vec<usize>,
    pub(crate) values: Values,
}

impl Value {
    pub(crate) fn bool(value: bool) -> Self {
        Self::Numbers(Numbers { shape: vec![], values: Values::Bool(vec![value]) })
    }

    pub(crate) fn integer(value: i64) -> Self {
        Self::Numbers(Numbers { shape: vec![], values: Values::I64(vec![value]) })
    }

    pub(crate) fn float(value: f64) -> Self {
        Self::Numbers(Numbers { shape: vec![], values: Values::F64(vec![value]) })
    }

    /// The numbers of a list.
    pub(crate) fn list(values: Values) -> Self {
        Self::Numbers(Numbers::list(values))
    }

    /// What messages call it.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Text(_) => "text",
            Self::Numbers(_) => "numbers",
            Self::List(_) => "a list of other than numbers of one shape",
            Self::Object(_) => "an object",
        }
    }

    /// The entries of an object; none if it is another value.
    pub(crate) fn entries(&self) -> &[(String, Self)] {
        match self {
            Self::Object(entries) => entries,
            _ => &[],
        }
    }

    /// The numbers, if it is some.
    pub(crate) fn numbers(&self) -> Option<&Numbers> {
        match self {
            Self::Numbers(numbers) => Some(numbers),
            _ => None,
        }
    }
}

impl Numbers {
    /// The numbers of a list.
    pub(crate) fn list(values: Values) -> Self {
        Self { shape: vec![values.len()], values }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    /// Turns nine numbers that are listed column by column into rows, as ASE does with those of its comments.
    pub(crate) fn transpose(&mut self) {
        fn swap<T>(values: &mut [T]) {
            if let [_, b, c, d, _, f, g, h, _] = values {
                std::mem::swap(b, d);
                std::mem::swap(c, g);
                std::mem::swap(f, h);
            }
        }
        match &mut self.values {
            Values::F64(values) => swap(values),
            Values::I64(values) => swap(values),
            Values::Bool(values) => swap(values),
        }
    }

    /// As floating point numbers; true and false are none.
    pub(crate) fn floats(self) -> Option<Vec<f64>> {
        match self.values {
            Values::F64(values) => Some(values),
            Values::I64(values) => Some(values.into_iter().map(|value| value as f64).collect()),
            Values::Bool(_) => None,
        }
    }
}

/// One number.
#[derive(Clone, Copy)]
pub(crate) enum Scalar {
    Bool(bool),
    Integer(i64),
    Float(f64),
}

impl From<Scalar> for Value {
    fn from(scalar: Scalar) -> Self {
        match scalar {
            Scalar::Bool(value) => Self::bool(value),
            Scalar::Integer(value) => Self::integer(value),
            Scalar::Float(value) => Self::float(value),
        }
    }
}

/// Values that are added one by one.
#[derive(Default)]
pub(crate) struct List {
    count: usize,
    /// Shape and numbers of all, as long as they fit together.
    numbers: Option<Numbers>,
    /// All, once they do not.
    others: Option<Vec<Value>>,
}

impl List {
    pub(crate) fn push_scalar(&mut self, scalar: Scalar) {
        if let (Some(Numbers { shape, values }), None) = (&mut self.numbers, &self.others)
            && shape.is_empty()
        {
            let fits = match (&mut *values, scalar) {
                (Values::F64(values), Scalar::Float(value)) => append(values, value),
                (Values::F64(values), Scalar::Integer(value)) => append(values, value as f64),
                (Values::I64(values), Scalar::Integer(value)) => append(values, value),
                (Values::Bool(values), Scalar::Bool(value)) => append(values, value),
                _ => false,
            };
            if fits {
                self.count += 1;
                return;
            }
        }
        self.push(scalar.into());
    }

    pub(crate) fn push(&mut self, value: Value) {
        let value = match (value, &mut self.numbers, &self.others) {
            (Value::Numbers(more), Some(numbers), None) if more.shape == numbers.shape => match extend(numbers, more) {
                None => {
                    self.count += 1;
                    return;
                }
                Some(more) => Value::Numbers(more),
            },
            (Value::Numbers(first), None, None) if self.count == 0 => {
                (self.numbers, self.count) = (Some(first), 1);
                return;
            }
            (value, _, _) => value,
        };
        if self.others.is_none() {
            self.others = Some(self.numbers.take().map_or_else(Vec::new, |numbers| split(&numbers, self.count)));
        }
        self.others.get_or_insert_default().push(value);
        self.count += 1;
    }

    pub(crate) fn finish(self) -> Value {
        match (self.numbers, self.others) {
            (_, Some(others)) => Value::List(others),
            (Some(Numbers { mut shape, values }), None) => {
                shape.insert(0, self.count);
                Value::Numbers(Numbers { shape, values })
            }
            (None, None) => Value::Numbers(Numbers::list(Values::F64(vec![]))),
        }
    }
}

fn append<T>(values: &mut Vec<T>, value: T) -> bool {
    values.push(value);
    true
}

/// Adds numbers; gives them back if their type does not fit.
fn extend(numbers: &mut Numbers, more: Numbers) -> Option<Numbers> {
    match (&mut numbers.values, &more.values) {
        (Values::Bool(all), Values::Bool(more)) => all.extend(more),
        (Values::I64(all), Values::I64(more)) => all.extend(more),
        (Values::F64(all), Values::F64(more)) => all.extend(more),
        (Values::F64(all), Values::I64(more)) => all.extend(more.iter().map(|&value| value as f64)),
        (Values::I64(all), Values::F64(more)) => {
            let mut floats: Vec<f64> = all.iter().map(|&value| value as f64).collect();
            floats.extend(more);
            numbers.values = Values::F64(floats);
        }
        _ => return Some(more),
    }
    None
}

/// The parts of numbers of which there are `count`.
fn split(numbers: &Numbers, count: usize) -> Vec<Value> {
    let size = numbers.len().checked_div(count).unwrap_or(0);
    let part = |part: usize| {
        let range = part * size..(part + 1) * size;
        Value::Numbers(Numbers { shape: numbers.shape.clone(), values: numbers.values.slice(range) })
    };
    (0..count).map(part).collect()
}

/// The array that ASE writes as these parts: shape, type, and the numbers or their place in `blob`.
pub(super) fn ndarray(parts: &mut [Value], blob: Option<&[u8]>) -> Option<Numbers> {
    let [shape, Value::Text(dtype), contents] = parts else { return None };
    let shape = match &shape.numbers()?.values {
        Values::I64(shape) => shape.iter().map(|&n| usize::try_from(n).ok()).collect::<Option<Vec<_>>>()?,
        // The empty list, which is the shape of one number.
        values => values.is_empty().then(Vec::new)?,
    };
    let count = shape.iter().try_fold(1, |count: usize, &n| count.checked_mul(n))?;
    let Value::Numbers(contents) = contents else { return None };
    let values = match (&mut contents.values, blob) {
        (Values::I64(offset), Some(blob)) if contents.shape.is_empty() => {
            let element = ArrayType::from_name(dtype)?;
            let bytes = blob.get(usize::try_from(offset[0]).ok()?..)?.get(..element.bytes_of(&shape)?)?;
            Values::from_bytes(element, bytes)?
        }
        (values, _) => std::mem::replace(values, Values::Bool(vec![])),
    };
    (values.len() == count).then_some(Numbers { shape, values })
}
