//! [`Pairs`]: which pairs of consecutive edges are the rows of a derived set.

/// Which pairs of edges (u to v, v to w) are the rows of a derived set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pairs {
    /// All with w other than u, sorted by the second edge, then by u, then by the first edge.
    Triplets,
    /// All of two different edges, without `backtracking` only those with w other than u, sorted by the first edge, then
    /// by the second.
    LineGraph { backtracking: bool },
}

impl Pairs {
    /// The index of the pairs: the first edge and the second.
    pub(super) fn index(self) -> &'static str {
        match self {
            Self::Triplets => "triplet_index",
            Self::LineGraph { .. } => "line_index",
        }
    }
}
