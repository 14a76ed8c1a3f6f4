//! [`Limits`]: the most that one pack may hold.

use crate::Size;
use core::fmt;

/// The most that one pack may hold: a maximum of each component, and a maximum number of graphs.
///
/// ```
/// use graphpack_core::Limits;
///
/// let limits = Limits::new([2048, 4608]).graphs(128);
/// assert_eq!(limits.to_string(), "(2048, 4608) with at most 128 graphs");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Limits<const K: usize> {
    /// The maximum of each component, summed over the graphs of a pack.
    pub size: Size<K>,
    /// The maximum number of graphs in a pack.
    pub graphs: u32,
}

impl<const K: usize> Limits<K> {
    /// The number of graphs per pack unless another is set; the paper's experiments use the same.
    pub const DEFAULT_GRAPHS: u32 = 256;

    /// Limits of these components and of [`DEFAULT_GRAPHS`](Self::DEFAULT_GRAPHS) graphs per pack.
    pub const fn new(size: [u32; K]) -> Self {
        Self { size: Size(size), graphs: Self::DEFAULT_GRAPHS }
    }

    /// The same limits with another maximum number of graphs.
    #[must_use]
    pub const fn graphs(mut self, graphs: u32) -> Self {
        self.graphs = graphs;
        self
    }

    /// Errors if a component or the number of graphs is zero, because then no pack can hold a graph.
    pub fn check(&self) -> Result<(), LimitsError<K>> {
        if self.graphs == 0 || self.size.0.contains(&0) { Err(LimitsError { limits: *self }) } else { Ok(()) }
    }
}

/// Writes `(nodes, edges) with at most N graphs`.
impl<const K: usize> fmt::Display for Limits<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} with at most {} graphs", self.size, self.graphs)
    }
}

/// A limit is zero, so no graph can be packed.
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("limits must be at least 1 each, found {limits}")]
pub struct LimitsError<const K: usize> {
    /// The limits as given.
    pub limits: Limits<K>,
}

crate::debug_is_display!(const K: LimitsError<K>);
