//! [`Homogeneous`]: a graph with several types, turned into one with one type of nodes and one of edges.

use super::{EdgeType, Fill, LargeGraph, NodeType};
use crate::problem::problem;
use crate::{Array, ArrayType};
use graphpack_loader::{Error, ErrorKind, Level};
use std::fmt;

/// What [`LargeGraph::to_homogeneous`] returns: a graph with one type of nodes and one of edges, and the way back to
/// the types.
#[derive(Clone, Debug, PartialEq)]
pub struct Homogeneous {
    /// The graph, with nodes `_N` and edges `_N:_E:_N`: those of the first type come first, each type in its own order.
    pub graph: LargeGraph,
    /// The first node of each type, then the number of all nodes: node i of type t has become node `node_starts[t] +
    /// i`.
    pub node_starts: Vec<i64>,
    /// The first edge of each type, then the number of all edges.
    pub edge_starts: Vec<i64>,
    /// Features that the graph lacks because types differ in them.
    pub left_out: Vec<LeftOut>,
}

/// A feature that is missing in some types of nodes or edges, or has other elements or rows of another shape there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Nodes or edges.
    pub level: Level,
    /// Its name.
    pub feature: String,
    /// All types of nodes or of edges by name, each with the elements and row shape of the feature, `float32 [16]`, if
    /// it has it.
    pub types: Vec<(String, Option<String>)>,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "feature {} of {}", self.feature, of_level(self.level))?;
        for (at, (name, kind)) in self.types.iter().enumerate() {
            f.write_str(if at == 0 { ": " } else { ", " })?;
            match kind {
                Some(kind) => write!(f, "{kind} in {name}")?,
                None => write!(f, "none in {name}")?,
            }
        }
        Ok(())
    }
}

/// All nodes or all edges of a type.
struct Typed<'a> {
    name: String,
    rows: usize,
    features: &'a [(String, Array)],
}

/// Features of nodes and of edges that tell the type and the number within it.
const NODE_NAMES: [&str; 2] = ["node_type", "node_within_type"];
const EDGE_NAMES: [&str; 2] = ["edge_type", "edge_within_type"];

impl LargeGraph {
    /// Returns the same graph with one type of nodes and one of edges, as `dgl.to_homogeneous` and PyTorch Geometric's
    /// `HeteroData.to_homogeneous` do. [`Clusters`](crate::Clusters) and [`Neighbours`](crate::Neighbours) take such
    /// graphs, and relational layers (R-GCN) use the types.
    ///
    /// | feature | of | int64 |
    /// |---|---|---|
    /// | `node_type`, `edge_type` | nodes, edges | number of the type, in the order of the graph; DGL's `_TYPE` |
    /// | `node_within_type`, `edge_within_type` | nodes, edges | number within the type; DGL's `_ID` |
    ///
    /// The graph keeps the features that all types have with the same elements and row shape; types without rows need
    /// not have them. The others are listed in [`Homogeneous::left_out`]. A feature that only some types have can be
    /// looked up by type and number within the type, or its missing rows filled ([`LargeGraph::to_homogeneous_with`]).
    ///
    /// ```
    /// use graphpack_loader::Level;
    /// use graphpack_partition::{Array, Assignment, Cut, EdgeType, Fill, Homogeneous, LargeGraph, NodeType};
    ///
    /// let feat = vec![("feat".to_owned(), Array::of_i64(&[7, 8, 9]))];
    /// let graph = LargeGraph {
    ///     name: "mag".into(),
    ///     node_types: vec![
    ///         NodeType { name: "author".into(), nodes: 2, features: Vec::new() },
    ///         NodeType { name: "paper".into(), nodes: 3, features: feat },
    ///     ],
    ///     edge_types: vec![
    ///         EdgeType { name: ["author", "writes", "paper"].map(String::from), sources: vec![0, 1], targets: vec![2, 0], features: Vec::new() },
    ///         EdgeType { name: ["paper", "cites", "paper"].map(String::from), sources: vec![1], targets: vec![2], features: Vec::new() },
    ///     ],
    /// };
    ///
    /// let Homogeneous { graph: one, node_starts, left_out, .. } = graph.to_homogeneous()?;
    /// assert_eq!(node_starts, [0, 2, 5]); // paper i is node 2 + i
    /// assert_eq!((&one.edge_types[0].sources[..], &one.edge_types[0].targets[..]), (&[0, 1, 3][..], &[4, 2, 4][..]));
    /// assert_eq!(one.node_types[0].features[0], ("node_type".into(), Array::of_i64(&[0, 0, 1, 1, 1])));
    /// assert_eq!(one.node_types[0].features[1], ("node_within_type".into(), Array::of_i64(&[0, 1, 0, 1, 2])));
    /// assert_eq!(left_out[0].to_string(), "feature feat of nodes: none in author, int64 [] in paper");
    ///
    /// let filled = graph.to_homogeneous_with(&[(Level::NODE, "feat", Fill::Zeros)])?.graph;
    /// assert_eq!(filled.node_types[0].features[2], ("feat".into(), Array::of_i64(&[0, 0, 7, 8, 9])));
    /// let cut = Cut::new(&filled, &Assignment::random(&filled, 2, 1)?, 1)?;
    /// # assert_eq!(cut.book().nodes(), 5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// The result is a copy: 16 bytes per node, 32 bytes per edge, and the features.
    pub fn to_homogeneous(&self) -> Result<Homogeneous, Error> {
        self.to_homogeneous_with(&[])
    }

    /// Returns what [`to_homogeneous`](Self::to_homogeneous) returns, with the features in `fill`, whose rows it fills
    /// for types that lack them. Types that have such a feature must agree on its elements and row shape.
    pub fn to_homogeneous_with(&self, fill: &[(Level, &str, Fill)]) -> Result<Homogeneous, Error> {
        let ends = self.ends()?;
        let typed = |name, rows, features| Typed { name, rows, features };
        let nodes = self.node_types.iter().map(|kind| typed(kind.name.clone(), kind.nodes, &kind.features[..]));
        let edges = self.edge_types.iter().map(|kind| typed(kind.file_name(), kind.targets.len(), &kind.features[..]));
        let (nodes, edges): (Vec<_>, Vec<_>) = (nodes.collect(), edges.collect());
        for (at, &(level, feature, _)) in fill.iter().enumerate() {
            let known = match level {
                Level::NODE => names(&nodes),
                Level::EDGE => names(&edges),
                _ => Vec::new(),
            };
            if fill[..at].iter().any(|before| (before.0, before.1) == (level, feature)) {
                let of = of_level(level);
                let text = format!("feature {feature} of {of}: expected one way to fill it, found two");
                return Err(problem(ErrorKind::Data, text));
            }
            if !known.contains(&feature) {
                let known = if known.is_empty() { String::new() } else { format!(", only {}", known.join(", ")) };
                let text = format!("{} have no feature {feature} to be filled{known}", of_level(level));
                return Err(problem(ErrorKind::Data, text));
            }
        }

        let (node_starts, edge_starts) = (starts(&nodes), starts(&edges));
        let (mut sources, mut targets) = (Vec::with_capacity(self.edges()), Vec::with_capacity(self.edges()));
        for (kind, [from, to]) in self.edge_types.iter().zip(ends) {
            sources.extend(kind.sources.iter().map(|node| node_starts[from] + node));
            targets.extend(kind.targets.iter().map(|node| node_starts[to] + node));
        }
        let mut left_out = Vec::new();
        let node = NodeType {
            name: "_N".into(),
            nodes: self.nodes(),
            features: join(Level::NODE, &nodes, NODE_NAMES, fill, &mut left_out)?,
        };
        let features = join(Level::EDGE, &edges, EDGE_NAMES, fill, &mut left_out)?;
        let edge = EdgeType { name: ["_N", "_E", "_N"].map(String::from), sources, targets, features };
        let graph = LargeGraph { name: self.name.clone(), node_types: vec![node], edge_types: vec![edge] };
        Ok(Homogeneous { graph, node_starts, edge_starts, left_out })
    }
}

/// Joins the features of all types of nodes, or of edges.
fn join(
    level: Level,
    types: &[Typed<'_>],
    own: [&str; 2],
    fill: &[(Level, &str, Fill)],
    left_out: &mut Vec<LeftOut>,
) -> Result<Vec<(String, Array)>, Error> {
    for Typed { name: kind, features, .. } in types {
        if let Some((name, _)) = features.iter().find(|(name, _)| own.contains(&name.as_str())) {
            let what = "has a name that the homogeneous graph keeps types under: rename it";
            return Err(problem(ErrorKind::Data, format!("feature {kind}/{name} {what}")));
        }
    }
    let numbers: Vec<i64> = (0..).zip(types).flat_map(|(number, kind)| (0..kind.rows).map(move |_| number)).collect();
    let within: Vec<i64> = types.iter().flat_map(|kind| 0..kind.rows as i64).collect();
    let where_from = own.iter().zip([numbers, within]);
    let mut joined: Vec<_> = where_from.map(|(name, ids)| ((*name).to_owned(), Array::of_i64(&ids))).collect();
    for name in names(types) {
        let arrays: Vec<Option<&Array>> = types.iter().map(|kind| kind.feature(name)).collect();
        // At least one type has the name.
        let Some(first) = arrays.iter().flatten().next() else { continue };
        // A type without rows misses none.
        let missing = arrays.iter().zip(types).any(|(array, kind)| array.is_none() && kind.rows > 0);
        let alike = arrays.iter().flatten().all(|array| kind_of(array) == kind_of(first));
        let fill = fill.iter().find(|filled| (filled.0, filled.1) == (level, name)).map(|&(_, _, fill)| fill);
        let differing = || {
            let text = |array: &Array| format!("{} {:?}", array.element(), kind_of(array).1);
            let types = types.iter().zip(&arrays).map(|(kind, array)| (kind.name.clone(), array.map(text)));
            LeftOut { level, feature: name.to_owned(), types: types.collect() }
        };
        match fill {
            Some(_) if !alike => {
                return Err(problem(ErrorKind::Data, format!("{}: it cannot be filled", differing())));
            }
            None if !alike || missing => left_out.push(differing()),
            _ => joined.push((name.to_owned(), concatenate(name, types, &arrays, first, fill)?)),
        }
    }
    Ok(joined)
}

/// Concatenates the rows of all types and fills those that are missing; all arrays have the elements and row shape of
/// the first.
fn concatenate(
    name: &str,
    types: &[Typed<'_>],
    arrays: &[Option<&Array>],
    first: &Array,
    fill: Option<Fill>,
) -> Result<Array, Error> {
    let rows: usize = types.iter().map(|kind| kind.rows).sum();
    let row_bytes = first.row_bytes();
    let memory = || {
        let rows = format!("{rows} rows of {row_bytes} bytes");
        problem(ErrorKind::TooLarge, format!("feature {name} would have {rows}, more than there is memory for"))
    };
    let mut bytes = Vec::new();
    // A feature without rows may claim rows of any size, which are allocated here when it is filled.
    let room = rows.checked_mul(row_bytes).and_then(|all| bytes.try_reserve_exact(all).ok());
    room.ok_or_else(memory)?;
    let element = fill.map_or(&[][..], |fill| fill.element(first.element()));
    for (kind, array) in types.iter().zip(arrays) {
        match array {
            Some(array) => bytes.extend_from_slice(array.bytes()),
            None => bytes.extend(element.iter().cycle().take(kind.rows * row_bytes)),
        }
    }
    let shape = [rows].into_iter().chain(kind_of(first).1.iter().copied()).collect();
    Array::new(first.element(), shape, bytes).map_err(|_| memory())
}

impl<'a> Typed<'a> {
    fn feature(&self, name: &str) -> Option<&'a Array> {
        self.features.iter().find(|(feature, _)| feature == name).map(|(_, array)| array)
    }
}

/// Elements and row shape, in which arrays must agree to be concatenated.
fn kind_of(array: &Array) -> (ArrayType, &[usize]) {
    (array.element(), array.shape().get(1..).unwrap_or_default())
}

/// Each name of a feature once, in order of appearance.
fn names<'a>(types: &[Typed<'a>]) -> Vec<&'a str> {
    let mut names = Vec::new();
    for (name, _) in types.iter().flat_map(|kind| kind.features) {
        if !names.contains(&name.as_str()) {
            names.push(name.as_str());
        }
    }
    names
}

/// The first row of each type, and the end of the last.
fn starts(types: &[Typed<'_>]) -> Vec<i64> {
    super::starts(types.iter().map(|kind| kind.rows)).into_iter().map(|start| start as i64).collect()
}

fn of_level(level: Level) -> &'static str {
    match level {
        Level::NODE => "nodes",
        Level::EDGE => "edges",
        _ => "levels other than nodes and edges",
    }
}
