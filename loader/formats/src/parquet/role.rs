//! [`Role`]: what a column is, by its name; [`push_of_graph`]: a field of the graph.

use crate::{Record, Values};
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

/// Adds a field of the graph. Numbers that are missing in a `y` of several are 0, and `has_y` says which are there; any
/// other field is missing as a whole. Errors with a number that is not finite.
pub(super) fn push_of_graph(record: &mut Record, name: &str, mut values: Values) -> Result<(), String> {
    let width = values.len();
    if is_missing(&values) {
        return Ok(());
    }
    if let Values::F64(numbers) = &mut values
        && name == "y"
        && width > 1
    {
        let has = numbers.iter().map(|number| !number.is_nan()).collect();
        numbers.iter_mut().filter(|number| number.is_nan()).for_each(|number| *number = 0.0);
        record.push("has_y", Level::Graph, width, Values::Bool(has));
    }
    if let Some((at, number)) = values.not_finite() {
        return Err(format!("{} at column {at}", null_or(number)));
    }
    let values = values.of_graph(name);
    record.push(name.to_owned(), Level::Graph, values.len(), values);
    Ok(())
}

/// Whether there are no numbers: none, or NaN alone.
pub(super) fn is_missing(values: &Values) -> bool {
    match values {
        Values::F64(numbers) => numbers.iter().all(|number| number.is_nan()),
        others => others.is_empty(),
    }
}

/// What a number that is not finite is in the file.
pub(super) fn null_or(number: f64) -> String {
    if number.is_nan() { "null or NaN".into() } else { number.to_string() }
}
