//! [`MixtureError`]: why data sets cannot be mixed; [`MixedGraphError`]: whose graph cannot be loaded.

use crate::layout::SchemaError;
use crate::source::SourceError;

/// Data sets cannot be mixed, or not at these rates.
#[derive(Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MixtureError {
    /// Two data sets mean different things by one name.
    #[error("{name:?} is {expected} in {first:?}, but {found} in {second:?}; rename one, or convert it")]
    Conflict {
        /// The field or index.
        name: String,
        /// The first data set that has it.
        first: String,
        /// What the name means in `first`.
        expected: String,
        /// The data set that differs.
        second: String,
        /// What the name means in `second`.
        found: String,
    },
    /// A data set has rows of a set, or graphs, without an index of them that others have: there is nothing it could
    /// be filled with.
    #[error("{index:?} is an index of {level}, which {lacking:?} has without it; {having:?} has the index")]
    Index {
        /// The index.
        index: String,
        /// The set, or `graph`.
        level: String,
        /// The data set that lacks the index.
        lacking: String,
        /// A data set that has it.
        having: String,
    },
    /// Two data sets have the same name.
    #[error("two data sets are named {name:?}, expected different names")]
    Name {
        /// The name.
        name: String,
    },
    /// All data sets together have more sets or fields than a graph may have, or a name is taken.
    #[error("the data sets cannot be united: {0}")]
    Schema(#[from] SchemaError),
    /// Rates are asked for of data that are no mix.
    #[error("rates: expected a mix of several data sets, found one data set")]
    NoMix,
    /// There is not one rate for each data set.
    #[error("expected a rate for each of {names:?}, found {found}")]
    Rates {
        /// The data sets.
        names: Vec<String>,
        /// How many rates there are.
        found: usize,
    },
    /// A rate is negative, infinite or not a number.
    #[error("expected a rate of at least 0 for {name:?}, found {rate}")]
    Rate {
        /// The data set.
        name: String,
        /// The rate.
        rate: f64,
    },
    /// A data set is drawn again for each epoch.
    #[error(
        "mix and {name:?}, whose graphs are drawn again for each epoch, contradict each other: mix where they are drawn"
    )]
    Drawn {
        /// The data set.
        name: String,
    },
    /// A data set without graphs has a rate.
    #[error("expected graphs in {name:?}, which is to be drawn at a rate of {rate}, found none")]
    Empty {
        /// The data set.
        name: String,
        /// The rate.
        rate: f64,
    },
    /// All rates are 0, or their sum is infinite.
    #[error("expected rates with a finite sum above 0, found {sum}")]
    Sum {
        /// Their sum.
        sum: f64,
    },
    /// A temperature is not above 0.
    #[error("expected a temperature above 0, found {temperature}")]
    Temperature {
        /// The temperature.
        temperature: f64,
    },
}

/// A graph of a mixture cannot be loaded.
#[derive(thiserror::Error)]
#[error("graph {graph} of {name:?}: {source}")]
pub struct MixedGraphError {
    /// Its data set.
    pub name: String,
    /// Its number there.
    pub graph: u64,
    /// The error of the data set.
    pub source: SourceError,
}

/// A data set of a mixture cannot prepare for its graphs.
#[derive(Debug, thiserror::Error)]
#[error("{name:?}: {source}")]
pub(super) struct MixedError {
    pub(super) name: String,
    pub(super) source: SourceError,
}

graphpack_core::debug_is_display!(MixtureError);
graphpack_core::debug_is_display!(MixedGraphError);
