//! [`SampleError`]: why the figures of a sample cannot be computed.

use crate::error::LoadError;
use crate::layout::ArrayError;
use std::ops::Range;

/// The figures of a sample cannot be computed.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum SampleError {
    /// There is no such field of graphs.
    #[error("expected a field of graphs, found {field:?}; the fields of graphs are {available:?}")]
    Field {
        /// The name asked for.
        field: String,
        /// The names that there are.
        available: Vec<String>,
    },
    /// Graphs are drawn again for each epoch, so that no two are of the same data.
    #[error("expected one epoch, since graphs are drawn again for each, found epochs {epochs:?}")]
    Drawn {
        /// The epochs asked for.
        epochs: Range<u64>,
    },
    /// The field cannot be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The field has other elements than its schema says.
    #[error(transparent)]
    Array(#[from] ArrayError),
}

graphpack_core::debug_is_display!(SampleError);
