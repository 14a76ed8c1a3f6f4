//! [`List`]: values that are added one by one, and become numbers if all are of one shape.

use super::{Numbers, Value};
use crate::Values;

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
