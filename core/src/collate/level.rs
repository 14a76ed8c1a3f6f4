//! [`Level`]: what the rows of a field or index are of.

/// What each row of a field or index belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// One row per row of this set, by its position among the sets of the schema.
    Set(u8),
    /// One row per graph.
    Graph,
}

impl Level {
    /// The nodes of a schema whose first set they are.
    pub const NODE: Self = Self::Set(0);
    /// The directed edges of a schema whose second set they are.
    pub const EDGE: Self = Self::Set(1);
}
