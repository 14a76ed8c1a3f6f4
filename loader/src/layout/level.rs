//! [`Level`]: what each row of a field belongs to: a set of every graph, or the graph itself.

/// What each row of a field or index belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// One row per row of this set, by its position in [`Schema::sets`](crate::Schema::sets).
    Set(u8),
    /// One row per graph.
    Graph,
}

impl Level {
    /// The nodes of the default schema ([`Schema::default`](crate::Schema::default)).
    pub const NODE: Self = Self::Set(0);
    /// The directed edges of the default schema.
    pub const EDGE: Self = Self::Set(1);
}
