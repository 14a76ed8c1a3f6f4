//! [`LabelKind`]: what the cells of a label are.

use super::Values;

/// What the cells of a label are, besides empty ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum LabelKind {
    /// There are none.
    #[default]
    Empty,
    /// Integers.
    Integers,
    /// Numbers.
    Floats,
    /// Anything else.
    Text,
}

impl LabelKind {
    /// What a cell is. NaN is how programs write that there is no number.
    pub(crate) fn of(cell: &str) -> Self {
        if cell.is_empty() || ["nan", "na", "n/a", "null", "none"].iter().any(|none| cell.eq_ignore_ascii_case(none)) {
            Self::Empty
        } else if cell.parse::<i64>().is_ok() {
            Self::Integers
        } else if cell.parse::<f64>().is_ok_and(f64::is_finite) {
            Self::Floats
        } else {
            Self::Text
        }
    }

    /// What the cells are with one more.
    pub(crate) fn with(self, cell: Self) -> Self {
        match (self, cell) {
            (Self::Text, _) | (_, Self::Text) => Self::Text,
            (Self::Floats, _) | (_, Self::Floats) => Self::Floats,
            (Self::Integers, _) | (_, Self::Integers) => Self::Integers,
            _ => Self::Empty,
        }
    }

    /// A cell as a number of this kind; `None` if it is none.
    pub(crate) fn value(self, cell: &str) -> Option<Values> {
        match self {
            Self::Integers => cell.parse().ok().map(|number| Values::I64(vec![number])),
            Self::Floats => cell.parse().ok().map(|number| Values::F64(vec![number])),
            Self::Empty | Self::Text => None,
        }
    }
}
