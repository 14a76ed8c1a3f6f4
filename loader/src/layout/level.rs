//! [`Level`]: what the rows of a field stand for.

/// What a field has one row for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// One row per node.
    Node,
    /// One row per directed edge.
    Edge,
    /// One row per graph.
    Graph,
}

impl Level {
    /// All levels.
    pub const ALL: [Self; 3] = [Self::Node, Self::Edge, Self::Graph];

    /// Picks this level's value from those of nodes, edges and graphs.
    pub fn of<T>(self, [node, edge, graph]: [T; 3]) -> T {
        match self {
            Self::Node => node,
            Self::Edge => edge,
            Self::Graph => graph,
        }
    }
}
