//! [`Level`]: whether a field has rows for nodes, edges or graphs.

/// What each row of a field belongs to: a node, an edge or a graph.
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

    /// Returns the value of this level from those of nodes, edges and graphs.
    #[inline]
    pub fn of<T>(self, [node, edge, graph]: [T; 3]) -> T {
        match self {
            Self::Node => node,
            Self::Edge => edge,
            Self::Graph => graph,
        }
    }
}
