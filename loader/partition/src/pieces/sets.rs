//! [`Sets`]: types of nodes and of edges as sets of a batch.

use crate::{GraphError, PartitionBook};
use graphpack_loader::{Field, Index, Schema, SchemaError, Size};

/// Types of nodes and of edges as sets of a batch: `nodes` and `edges` where there is one type of each, else a set for
/// each type, nodes first. Fields and indices of the latter are `SET.NAME`.
#[derive(Clone, Debug)]
pub(super) struct Sets {
    names: Vec<String>,
    /// Types as they are in names of features.
    types: Vec<String>,
    /// Number of types of nodes.
    nodes: usize,
    /// Types of source and target of each type of edges.
    ends: Vec<[usize; 2]>,
    /// Whether there is one type of each.
    plain: bool,
}

impl Sets {
    /// Errors if edges end at a type of nodes that does not exist.
    pub(super) fn new(book: &PartitionBook) -> Result<Self, GraphError> {
        let (nodes, edges) = (book.node_types(), book.edge_types());
        let plain = nodes.len() == 1 && edges.len() <= 1;
        let number = |edge: &[String; 3], name: &String| {
            let missing = || GraphError::NodeType { edges: edge.join(":"), nodes: name.clone() };
            nodes.iter().position(|node| node == name).ok_or_else(missing)
        };
        let ends = edges.iter().map(|edge| Ok([number(edge, &edge[0])?, number(edge, &edge[2])?]));
        // The relation alone where it is the name of nothing else, as PyTorch Geometric's stores are written.
        let name = |edge: &[String; 3]| {
            let same = edges.iter().filter(|other| other[1] == edge[1]).count();
            if same > 1 || nodes.contains(&edge[1]) { edge.join("__") } else { edge[1].clone() }
        };
        let names = if plain {
            Schema::DEFAULT_SETS.map(String::from).to_vec()
        } else {
            nodes.iter().cloned().chain(edges.iter().map(name)).collect()
        };
        let types = nodes.iter().cloned().chain(edges.iter().map(|edge| edge.join(":"))).collect();
        Ok(Self { names, types, nodes: nodes.len(), ends: ends.collect::<Result<_, _>>()?, plain })
    }

    /// Number of types of nodes; their sets come first.
    pub(super) fn node_types(&self) -> usize {
        self.nodes
    }

    /// Types of source and target of each type of edges.
    pub(super) fn ends(&self) -> &[[usize; 2]] {
        &self.ends
    }

    /// The set of a type of edges.
    pub(super) fn of_edges(&self, kind: usize) -> usize {
        self.nodes + kind
    }

    /// Number of sets.
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// The name of a set.
    pub(super) fn name(&self, set: usize) -> &str {
        &self.names[set]
    }

    /// The type of a set as in names of features; `None` of edges where there are none.
    pub(super) fn type_of(&self, set: usize) -> Option<&str> {
        self.types.get(set).map(String::as_str)
    }

    /// The type of nodes of this name.
    pub(super) fn node_type(&self, name: &str) -> Option<usize> {
        self.types[..self.nodes].iter().position(|found| found == name)
    }

    /// The name of a field of a set.
    pub(super) fn field(&self, set: usize, name: &str) -> String {
        if self.plain { name.to_owned() } else { format!("{}.{name}", self.names[set]) }
    }

    /// The name of a feature in messages.
    pub(super) fn shown<'a>(&self, full: &'a str, set: usize) -> &'a str {
        if self.plain { self.short(full, set) } else { full }
    }

    /// The name of a feature without its type.
    pub(super) fn short<'a>(&self, full: &'a str, set: usize) -> &'a str {
        let rest = self.type_of(set).and_then(|kind| full.strip_prefix(kind));
        rest.and_then(|rest| rest.strip_prefix('/')).unwrap_or(full)
    }

    /// The schema of these fields. The index of a type of edges has the position of the type.
    pub(super) fn schema(&self, fields: Vec<Field>) -> Result<Schema, SchemaError> {
        let mut schema = if self.plain {
            Schema::default()
        } else {
            Schema::of(&self.names.iter().map(String::as_str).collect::<Vec<_>>())
        };
        schema = fields.into_iter().fold(schema, Schema::with_field);
        for (kind, &[from, to]) in self.ends.iter().enumerate().filter(|_| !self.plain) {
            let set = self.of_edges(kind);
            let name = self.field(set, Index::EDGE_INDEX);
            schema = schema.index(&name, self.name(set), &[self.name(from), self.name(to)]);
        }
        schema.check()?;
        Ok(schema)
    }

    /// A size with this number of rows of each set.
    pub(super) fn size(&self, mut rows: impl FnMut(usize) -> usize) -> Size {
        // More than 32 bits are refused before.
        Size::of(self.len(), |set| rows(set) as u32)
    }
}
