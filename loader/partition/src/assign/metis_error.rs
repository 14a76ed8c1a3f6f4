//! [`MetisError`]: a graph that METIS cannot assign.

use super::{AssignmentError, BalanceError};
use crate::GraphError;

/// A graph that METIS cannot assign.
#[derive(Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MetisError {
    /// There are fewer nodes than parts.
    #[error("{parts} parts of {nodes} nodes: METIS needs at least one for each part")]
    Nodes {
        /// Number of parts.
        parts: usize,
        /// Number of nodes.
        nodes: usize,
    },
    /// METIS numbers with 32 bits, unless that of feature `system-metis` has 64.
    #[error("{count} {what}, METIS takes at most {most}; `Streaming` takes more")]
    TooLarge {
        /// What is counted, or added up.
        what: &'static str,
        /// How many there are.
        count: usize,
        /// The most that METIS takes.
        most: usize,
    },
    /// The tolerance is out of range.
    #[error("a tolerance of {tolerance}, expected more than 1")]
    Tolerance {
        /// The tolerance.
        tolerance: f64,
    },
    /// The process of METIS cannot be started, or ended early.
    #[error("the process of METIS: {message}")]
    Process {
        /// What happened to it.
        message: String,
    },
    /// METIS failed.
    #[error("METIS: {message}")]
    Library {
        /// Its message.
        message: String,
    },
    /// The graph cannot be balanced this way.
    #[error(transparent)]
    Balance(#[from] BalanceError),
    /// The number of parts is out of range.
    #[error(transparent)]
    Assignment(#[from] AssignmentError),
    /// The graph contradicts itself.
    #[error(transparent)]
    Graph(#[from] GraphError),
}

graphpack_core::debug_is_display!(MetisError);
