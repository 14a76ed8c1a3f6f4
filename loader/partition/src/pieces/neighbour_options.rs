//! [`NeighbourOptions`]: how neighbourhoods are drawn, and what they have besides nodes and edges.

/// How neighbourhoods are drawn, and what they have besides nodes and edges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NeighbourOptions {
    /// The most edges of each type drawn into a node, for each hop from the root: `[10, 5]` draws ten edges into the
    /// root, and five into each of their sources.
    pub fan_outs: Vec<u32>,
    /// Other fan-outs for some types of edges, `("author:writes:paper", [5, 0])`: one for each hop, which may be 0.
    pub fan_outs_of: Vec<(String, Vec<u32>)>,
    /// The type of the roots; `None` where there is only one type of nodes.
    pub root_type: Option<String>,
    /// The random seed.
    pub seed: u64,
    /// Names of the features of nodes and edges that become fields, `x` or with the type `paper/x`; `None` for all that
    /// are not in `of_roots`.
    pub features: Option<Vec<String>>,
    /// Names of the features of nodes that only the root needs, such as its label: they become fields of the graph.
    pub of_roots: Vec<String>,
}
