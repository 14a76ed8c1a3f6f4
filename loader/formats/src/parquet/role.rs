//! [`Role`]: what a column is, by its name.

use graphpack_loader::Level;

/// What a column is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Sources and targets.
    Edges,
    /// Sources, or targets.
    End(usize),
    /// Number of nodes.
    Nodes,
    /// A field; whether its name alone says so.
    Field(Level, bool),
}

const ENDS: [[&str; 2]; 4] = [["edge_src", "edge_dst"], ["src", "dst"], ["source", "target"], ["senders", "receivers"]];

/// What a column is, and its name in the store. `lists` says how deep its lists are, `names` which others there are.
pub(super) fn role<'a>(name: &'a str, lists: i16, names: &[String]) -> (Role, &'a str) {
    let end = |[source, target]: [&str; 2]| {
        let both = [source, target].iter().all(|end| names.iter().any(|name| name == end));
        [source, target].iter().position(|end| both && *end == name)
    };
    if let (1, Some(end)) = (lists, ENDS.into_iter().find_map(end)) {
        return (Role::End(end), name);
    }
    match name {
        "edge_index" => (Role::Edges, name),
        "num_nodes" => (Role::Nodes, name),
        "x" | "node_feat" => (Role::Field(Level::NODE, true), "x"),
        "edge_attr" | "edge_feat" => (Role::Field(Level::EDGE, true), "edge_attr"),
        "z" | "pos" | "forces" => (Role::Field(Level::NODE, true), name),
        "y" | "cell" | "pbc" | "stress" => (Role::Field(Level::Graph, true), name),
        _ if lists > 0 && name.starts_with("node_") => (Role::Field(Level::NODE, true), name),
        _ if lists > 0 && name.starts_with("edge_") => (Role::Field(Level::EDGE, true), name),
        _ if name.starts_with("graph_") => (Role::Field(Level::Graph, true), name),
        _ => (Role::Field(Level::Graph, false), name),
    }
}
