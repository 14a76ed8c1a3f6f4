//! [`PartError`]: how a part and a [`PartitionBook`] can disagree, and the checks for it.

use super::{Part, PartitionBook};
use graphpack_loader::extend::Cause;
use graphpack_loader::{Error, ErrorKind};

/// Nodes, edges or features that do not belong to the partition.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PartError {
    #[error("{what}: found {found}, expected {expected}")]
    Count { what: &'static str, expected: usize, found: usize },
    #[error("node {node} of the part: its {what} is {found}, expected {expected}")]
    Node { node: usize, what: &'static str, expected: String, found: i64 },
    #[error("edge {edge} of the part: its {what} is {found}, expected {expected}")]
    Edge { edge: usize, what: &'static str, expected: String, found: i64 },
    #[error("array {name:?} is {found}, expected {expected}")]
    Array { name: String, expected: String, found: String },
    #[error("feature {name:?} has {found} rows, expected {expected}")]
    Feature { name: String, expected: String, found: usize },
}

impl Cause for PartError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Data
    }
}

/// Checks that a part agrees with the book and with itself; features are not checked.
pub(crate) fn part(part: &Part, book: &PartitionBook) -> Result<(), Error> {
    count("largest number of a part", part.number < book.parts(), book.parts().saturating_sub(1), part.number)?;
    let same = |what, found, expected| count(what, found == expected, expected, found);
    same("targets of edges", part.targets.len(), part.sources.len())?;
    same("ids of edges", part.edge_ids.len(), part.sources.len())?;
    let nodes = (0..book.node_types().len()).map(|kind| book.node_range(kind, part.number));
    same("nodes of the part", part.inner_nodes, nodes.map(|ids| ids.count()).sum())?;
    let edges = (0..book.edge_types().len()).map(|kind| book.edge_range(kind, part.number));
    same("edges of the part", part.inner_edges, edges.map(|ids| ids.count()).sum())?;
    count("all nodes", part.node_ids.len() >= part.inner_nodes, part.inner_nodes, part.node_ids.len())?;
    count("all edges", part.edge_ids.len() >= part.inner_edges, part.inner_edges, part.edge_ids.len())?;
    let kinds = self::nodes(part, book)?;
    self::edges(part, book, &kinds)?;
    halo(part)
}

fn count(what: &'static str, fits: bool, expected: usize, found: usize) -> Result<(), Error> {
    if fits { Ok(()) } else { Err(PartError::Count { what, expected, found }.into()) }
}

/// Checks the nodes and returns the type of each; an empty list if there is only one type.
fn nodes(part: &Part, book: &PartitionBook) -> Result<Vec<u32>, Error> {
    let (inner, halo) = part.node_ids.split_at(part.inner_nodes);
    let wrong = |node, expected: String, found| Error::from(PartError::Node { node, what: "id", expected, found });
    let several = book.node_types().len() > 1;
    let mut kinds = Vec::with_capacity(if several { part.node_ids.len() } else { 0 });
    let mut found = inner.iter().enumerate();
    for kind in 0..book.node_types().len() {
        for expected in book.node_range(kind, part.number) {
            if let Some((node, &found)) = found.next().filter(|(_, id)| **id != expected) {
                return Err(wrong(node, expected.to_string(), found));
            }
            if several {
                kinds.push(kind as u32);
            }
        }
    }
    for (node, &id) in (part.inner_nodes..).zip(halo) {
        match book.node(id) {
            Some(place) if place.part == part.number => {
                return Err(wrong(node, "that of a node of another part".into(), id));
            }
            Some(place) if several => kinds.push(place.kind as u32),
            Some(_) => {}
            None => return Err(wrong(node, format!("0 to {} (exclusive)", book.nodes()), id)),
        }
    }
    let mut sorted = halo.to_vec();
    sorted.sort_unstable();
    if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        let node = halo.iter().rposition(|&id| id == twice[0]).unwrap_or_default();
        return Err(wrong(part.inner_nodes + node, "that of no other node".into(), twice[0]));
    }
    Ok(kinds)
}

fn edges(part: &Part, book: &PartitionBook, kinds: &[u32]) -> Result<(), Error> {
    let wrong = |edge, what, expected: String, found| Error::from(PartError::Edge { edge, what, expected, found });
    // Types of source and target, for each type of edges; `None` if there is no such type of nodes.
    let number = |name: &String| book.node_types().iter().position(|node_type| node_type == name);
    let ends: Vec<_> = book.edge_types().iter().map(|[source, _, target]| [number(source), number(target)]).collect();
    let nodes = part.node_ids.len();
    let check = |edge: usize, kind: usize| {
        let ends_of = [("source", part.sources[edge]), ("target", part.targets[edge])];
        for ((what, node), expected) in ends_of.into_iter().zip(ends[kind]) {
            let Some(local) = usize::try_from(node).ok().filter(|&local| local < nodes) else {
                return Err(wrong(edge, what, format!("0 to {nodes} (exclusive)"), node));
            };
            let found = kinds.get(local).map_or(0, |&kind| kind as usize);
            if expected != Some(found) {
                let name = &book.edge_names()[kind];
                return Err(wrong(
                    edge,
                    what,
                    format!("a node of a type that {name:?} connects, not of {:?}", book.node_types()[found]),
                    node,
                ));
            }
        }
        let owned = (part.targets[edge] as usize) < part.inner_nodes;
        if owned != (edge < part.inner_edges) {
            let expected = if owned { "a node of the HALO" } else { "a node of the part" };
            return Err(wrong(edge, "target", expected.into(), part.targets[edge]));
        }
        Ok(())
    };
    let mut edge = 0;
    for kind in 0..book.edge_types().len() {
        for expected in book.edge_range(kind, part.number) {
            let found = part.edge_ids[edge];
            if found != expected {
                return Err(wrong(edge, "id", expected.to_string(), found));
            }
            check(edge, kind)?;
            edge += 1;
        }
    }
    for edge in part.inner_edges..part.edge_ids.len() {
        let id = part.edge_ids[edge];
        match book.edge(id) {
            Some(place) if place.part == part.number => {
                return Err(wrong(edge, "id", "that of an edge of another part".into(), id));
            }
            Some(place) => check(edge, place.kind)?,
            None => return Err(wrong(edge, "id", format!("0 to {} (exclusive)", book.edges()), id)),
        }
    }
    let mut ids: Vec<(i64, usize)> = part.edge_ids.iter().copied().zip(0..).skip(part.inner_edges).collect();
    ids.sort_unstable();
    if let Some(pair) = ids.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(wrong(pair[1].1, "id", format!("another than edge {} has", pair[0].1), pair[1].0));
    }
    Ok(())
}

/// Checks that the HALO has nothing but what belongs to it, for its number of hops.
fn halo(part: &Part) -> Result<(), Error> {
    let (most, hops) = (part.halo_hops, part.hops());
    let mut led_to = vec![false; part.node_ids.len()];
    for edge in part.inner_edges..part.edge_ids.len() {
        let [source, target] = [part.sources[edge], part.targets[edge]].map(|node| node as usize);
        let own = source < part.inner_nodes;
        if !own && hops[target] >= most {
            let expected = format!("less than {most} hops away, or an edge from a node of the part");
            return Err(PartError::Edge { edge, what: "target", expected, found: part.targets[edge] }.into());
        }
        led_to[target] |= own;
    }
    match (part.inner_nodes..led_to.len()).find(|&node| hops[node] > most && !led_to[node]) {
        None => Ok(()),
        Some(node) => {
            let expected = format!("that of a node at most {most} hops away, or that an edge of the part leads to");
            Err(PartError::Node { node, what: "id", expected, found: part.node_ids[node] }.into())
        }
    }
}

/// Checks that a feature `type/name` has a row for each node or edge of the type that a part owns. Names of types may
/// contain slashes, too.
pub(crate) fn feature<'a>(
    name: &str,
    rows: Option<&usize>,
    owned: impl Iterator<Item = (&'a str, usize)>,
) -> Result<(), Error> {
    let of_type = owned.filter(|(kind, _)| name.strip_prefix(kind).is_some_and(|rest| rest.starts_with('/')));
    let expected: Vec<usize> = of_type.map(|(_, rows)| rows).collect();
    if rows.is_some_and(|rows| expected.contains(rows)) {
        return Ok(());
    }
    let expected = match expected.first() {
        Some(rows) => rows.to_string(),
        None => "a type of the graph and a slash at the start of its name".into(),
    };
    Err(PartError::Feature { name: name.to_owned(), expected, found: rows.copied().unwrap_or_default() }.into())
}

/// Names of the types of nodes, and the number of nodes of each that a part owns.
pub(crate) fn owned_nodes(book: &PartitionBook, part: usize) -> Vec<(&str, usize)> {
    let types = book.node_types().iter().enumerate();
    types.map(|(kind, name)| (name.as_str(), book.node_range(kind, part).count())).collect()
}

/// Names of the types of edges as in files, and the number of edges of each that a part owns.
pub(crate) fn owned_edges(book: &PartitionBook, part: usize) -> Vec<(&str, usize)> {
    let types = book.edge_names().iter().enumerate();
    types.map(|(kind, name)| (name.as_str(), book.edge_range(kind, part).count())).collect()
}
