//! [`SessionError`]: why a session ends before its last graph.

use crate::{ENTRIES, GRAPHS, PACKS, WAITING};
use core::fmt;
use graphpack_core::Limits;
use graphpack_core::stream::{FollowError, NextFitError, WindowError};

/// A session cannot go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// No more bytes came.
    #[error("the input ended after {bytes} bytes, in {part}")]
    Ended {
        /// Bytes that came.
        bytes: u32,
        /// What was being read.
        part: &'static str,
    },
    /// The bytes are not what they should be.
    #[error(
        "{part} cannot be read; a plan must keep its limits and have at most {PACKS} packs with {ENTRIES} sizes in all"
    )]
    Damaged {
        /// What was being read.
        part: &'static str,
    },
    /// The plan was made for other batches.
    #[error("the plan is for {plan}, the target has room for {target}")]
    Limits {
        /// Limits of the plan.
        plan: Limits<2>,
        /// What fits into the target.
        target: Limits<2>,
    },
    /// Larger batches, or more of them, than there is memory for.
    #[error("batches of {batch} graphs, {plan} graphs in all; there is room for {GRAPHS} and {}", u16::MAX)]
    Graphs {
        /// Graphs in a batch.
        batch: u32,
        /// Graphs in all.
        plan: u64,
    },
    /// The window refuses a graph.
    #[error("graph {graph}: {error}")]
    Window {
        /// Its number.
        graph: u16,
        /// Why.
        error: WindowError<2>,
    },
    /// Dynamic batching refuses a graph.
    #[error("graph {graph}: {error}")]
    Dynamic {
        /// Its number.
        graph: u16,
        /// Why.
        error: NextFitError<2>,
    },
    /// The plan has no place for a graph.
    #[error("graph {graph}: {error}")]
    Planned {
        /// Its number.
        graph: u16,
        /// Why.
        error: FollowError<2>,
    },
    /// The graphs come in such an order that too many wait for the others of their pack.
    #[error("graph {graph}: {WAITING} graphs wait already")]
    Waiting {
        /// Its number.
        graph: u16,
    },
    /// What was packed cannot be written.
    #[error("the output cannot be written")]
    Output,
}

impl From<fmt::Error> for SessionError {
    fn from(_: fmt::Error) -> Self {
        Self::Output
    }
}
