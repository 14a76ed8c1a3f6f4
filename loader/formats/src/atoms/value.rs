//! [`Value`]: what stands beside a name.

use crate::Values;

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
    #[cfg(any(feature = "ase_db", feature = "aselmdb"))]
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
