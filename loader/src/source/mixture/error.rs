//! [`MixtureError`]: why data sets cannot be mixed; [`MixedGraphError`]: whose graph cannot be loaded.

use crate::error::{BoxError, Cause, Error, ErrorKind, own};
use std::path::Path;

/// Data sets cannot be mixed, or not at these rates.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MixtureError {
    #[error("{name:?} is {expected} in {first:?}, but {found} in {second:?}; rename one, or convert it")]
    Conflict { name: String, first: String, expected: String, second: String, found: String },
    #[error("{index:?} is an index of {level}, which {lacking:?} has without it; {having:?} has the index")]
    Index { index: String, level: String, lacking: String, having: String },
    #[error("two data sets are named {name:?}, expected different names")]
    Name { name: String },
    #[error("the data sets cannot be united: {0}")]
    Schema(Error),
    #[error("rates: expected a mix of several data sets, found one data set")]
    NoMix,
    #[error("expected a rate for each of {names:?}, found {found}")]
    Rates { names: Vec<String>, found: usize },
    #[error("expected a rate of at least 0 for {name:?}, found {rate}")]
    Rate { name: String, rate: f64 },
    #[error(
        "mix and {name:?}, whose graphs are drawn again for each epoch, contradict each other: mix where they are drawn"
    )]
    Drawn { name: String },
    #[error("expected graphs in {name:?}, which is to be drawn at a rate of {rate}, found none")]
    Empty { name: String, rate: f64 },
    #[error("expected rates with a finite sum above 0, found {sum}")]
    Sum { sum: f64 },
    #[error("expected a temperature above 0, found {temperature}")]
    Temperature { temperature: f64 },
}

impl Cause for MixtureError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Conflict { .. } | Self::Index { .. } | Self::Schema(_) => ErrorKind::Data,
            _ => ErrorKind::Options,
        }
    }
}

/// A graph of a mixture cannot be loaded.
#[derive(Debug, thiserror::Error)]
#[error("graph {graph} of {name:?}: {source}")]
pub(crate) struct MixedGraphError {
    pub(crate) name: String,
    pub(crate) graph: u64,
    pub(crate) source: BoxError,
}

impl Cause for MixedGraphError {
    fn kind(&self) -> ErrorKind {
        own(&self.source).map_or(ErrorKind::Data, Error::kind)
    }

    fn graph(&self) -> Option<u64> {
        Some(self.graph)
    }

    fn path(&self) -> Option<&Path> {
        own(&self.source)?.path()
    }
}

/// A data set of a mixture cannot prepare for its graphs.
#[derive(Debug, thiserror::Error)]
#[error("{name:?}: {source}")]
pub(super) struct MixedError {
    pub(super) name: String,
    pub(super) source: BoxError,
}

impl Cause for MixedError {
    fn kind(&self) -> ErrorKind {
        own(&self.source).map_or(ErrorKind::Data, Error::kind)
    }

    fn graph(&self) -> Option<u64> {
        own(&self.source)?.graph()
    }

    fn path(&self) -> Option<&Path> {
        own(&self.source)?.path()
    }
}
