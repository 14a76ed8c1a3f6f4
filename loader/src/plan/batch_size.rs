//! [`BatchSize`]: what a batch holds, which must be the same when a run resumes.

use crate::layout::Shape;
use crate::options::{Limits, Padding};
use std::fmt;

/// What a batch holds, which must be the same when a run resumes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BatchSize {
    /// The limits of a pack.
    pub limits: Limits,
    /// Number of packs per batch.
    pub packs_per_batch: usize,
    /// How batches are padded.
    pub padding: Padding,
    /// The shape of all batches with the least padding, if they have one.
    pub shape: Option<Shape>,
}

impl fmt::Display for BatchSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { limits, packs_per_batch, padding, shape } = self;
        write!(f, "limits {limits}, {packs_per_batch} packs per batch, padding {padding:?}, ")?;
        match shape {
            Some(shape) => write!(f, "a shape of {shape}"),
            None => f.write_str("several shapes"),
        }
    }
}
