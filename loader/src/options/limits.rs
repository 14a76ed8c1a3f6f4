//! [`Limits`]: the most that one pack may hold.

use crate::layout::Size;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The most that one pack may hold: rows of each set, and graphs. This is core's
/// [`Limits<K>`](graphpack_core::Limits) for a K that is only known at run time.
///
/// ```
/// use graphpack_loader::Limits;
///
/// let limits = Limits::new([2048, 4608]).graphs(128);
/// assert_eq!(limits.to_string(), "(2048, 4608) with at most 128 graphs");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Limits {
    /// The most rows of each set, summed over the graphs of a pack.
    pub size: Size,
    /// The most graphs.
    pub graphs: u32,
}

impl Limits {
    /// Returns limits of these rows, and of 256 graphs per pack as in the paper's experiments.
    pub fn new(size: impl Into<Size>) -> Self {
        Self { size: size.into(), graphs: graphpack_core::Limits::<1>::DEFAULT_GRAPHS }
    }

    /// Returns the same limits with another maximum number of graphs.
    #[must_use]
    pub const fn graphs(mut self, graphs: u32) -> Self {
        self.graphs = graphs;
        self
    }

    /// Returns the limits for core, which must be of `K` sets.
    pub(crate) fn exact<const K: usize>(&self) -> graphpack_core::Limits<K> {
        graphpack_core::Limits { size: self.size.exact(), graphs: self.graphs }
    }
}

impl<const K: usize> From<graphpack_core::Limits<K>> for Limits {
    fn from(limits: graphpack_core::Limits<K>) -> Self {
        Self { size: limits.size.into(), graphs: limits.graphs }
    }
}

/// Writes `(nodes, edges) with at most N graphs`.
impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} with at most {} graphs", self.size, self.graphs)
    }
}
