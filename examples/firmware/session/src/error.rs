//! [`SessionError`]: why a session ended before its last graph.

use crate::{ENTRIES, GRAPHS, PACKS};
use core::fmt;
use graphpack_core::stream::StreamError;
use graphpack_core::{FixedHistogramError, FixedLimits, FixedPackError};

/// Why a session cannot go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// No more bytes came.
    #[error("the input ended after {bytes} bytes, in {part}")]
    Ended {
        /// Number of bytes that came.
        bytes: u32,
        /// What was being read.
        part: &'static str,
    },
    /// The bytes are not a valid value.
    #[error(
        "{part} cannot be read; a plan must keep its limits and have at most {PACKS} packs with {ENTRIES} sizes in all"
    )]
    Damaged {
        /// What was being read.
        part: &'static str,
    },
    /// The plan was made for other limits.
    #[error("the plan is for {plan}, the target has room for {target}")]
    Limits {
        /// Limits of the plan.
        plan: FixedLimits<2>,
        /// Limits that the target gives.
        target: FixedLimits<2>,
    },
    /// Batches are larger, or there are more graphs, than a session has memory for.
    #[error("expected at most {GRAPHS} graphs in a batch and {} in all, found {batch} and {plan}", u16::MAX)]
    Graphs {
        /// Most graphs in a batch of the target.
        batch: u32,
        /// Number of graphs of the plan.
        plan: u64,
    },
    /// A packer refuses a graph.
    #[error("graph {graph}: {error}")]
    Stream {
        /// Its number.
        graph: u16,
        /// Why.
        error: StreamError<2>,
    },
    /// There are too many sizes to count.
    #[error("graph {graph}: {error}")]
    Sizes {
        /// Its number.
        graph: u16,
        /// Why.
        error: FixedHistogramError<2>,
    },
    /// The plan of the device itself has no room for the graphs.
    #[error(transparent)]
    Alone(#[from] FixedPackError<2>),
    /// What was packed cannot be written.
    #[error("the output cannot be written")]
    Output,
}

impl From<fmt::Error> for SessionError {
    fn from(_: fmt::Error) -> Self {
        Self::Output
    }
}
