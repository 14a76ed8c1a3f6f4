//! [`Index`]: a field whose values number rows of other sets of the same graph.

use super::Level;

/// A field whose values number rows of other sets of the same graph, as `edge_index` numbers nodes. A batch holds it as
/// `[width, rows]`: one line per column. Collation adds to each column the place where the graph's rows begin in the set
/// that the column points into.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Index {
    /// Name of the index and of its array: `edge_index`, `triplet_index`.
    pub name: String,
    /// What it has entries for: the rows of a set, or graphs.
    pub level: Level,
    /// The set that each column points into, by its position in [`Schema::sets`](crate::Schema::sets).
    pub targets: Vec<u8>,
}

impl Index {
    /// The name of the index of the default schema.
    pub const EDGE_INDEX: &str = "edge_index";

    /// Returns an index with these properties.
    pub fn new(name: impl Into<String>, level: Level, targets: impl Into<Vec<u8>>) -> Self {
        Self { name: name.into(), level, targets: targets.into() }
    }

    /// Returns `edge_index` of the default schema: sources and targets of the edges, both nodes.
    pub fn edge_index() -> Self {
        Self::new(Self::EDGE_INDEX, Level::EDGE, [0, 0])
    }

    /// Number of columns.
    pub fn width(&self) -> usize {
        self.targets.len()
    }
}
