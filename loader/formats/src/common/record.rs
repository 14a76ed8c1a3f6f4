//! [`Record`]: one graph as a file has it.

use graphpack_loader::Level;
use std::borrow::Cow;

/// One graph as a file has it: how many nodes, the fields by name, the edges. Readers fill the same record again for
/// every graph.
///
/// ```
/// use graphpack_formats::{Record, Values};
/// use graphpack_loader::Level;
///
/// let mut water = Record { name: "water".into(), nodes: 3, ..Record::default() };
/// water.push("z", Level::NODE, 1, Values::I64(vec![8, 1, 1]));
/// water.push("energy", Level::Graph, 1, Values::F64(vec![-76.4]));
/// assert_eq!(water.field("energy").map(|field| field.width), Some(1));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// What messages call the graph; empty if the file has no name for it.
    pub name: String,
    /// Number of nodes.
    pub nodes: usize,
    /// Sources and targets of the edges, as node numbers from 0; `None` if the file does not say how nodes are
    /// connected.
    pub edges: Option<[Vec<i64>; 2]>,
    /// The fields, each name once. A label that this graph lacks is not among them.
    pub fields: Vec<RecordField>,
}

/// One field of a [`Record`].
#[derive(Clone, Debug, PartialEq)]
pub struct RecordField {
    /// Its name in the store.
    pub name: Cow<'static, str>,
    /// What it has rows for.
    pub level: Level,
    /// Numbers per row.
    pub width: usize,
    /// Its numbers, row by row.
    pub values: Values,
}

/// Numbers of one type. Stores have floating point numbers in 32 bits unless 64 are asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Floating point numbers.
    F64(Vec<f64>),
    /// Integers.
    I64(Vec<i64>),
    /// True or false.
    Bool(Vec<bool>),
}

impl Record {
    /// Forgets the graph.
    pub fn clear(&mut self) {
        self.name.clear();
        (self.nodes, self.edges) = (0, None);
        self.fields.clear();
    }

    /// Adds a field.
    pub fn push(&mut self, name: impl Into<Cow<'static, str>>, level: Level, width: usize, values: Values) {
        self.fields.push(RecordField { name: name.into(), level, width, values });
    }

    /// The field with this name.
    pub fn field(&self, name: &str) -> Option<&RecordField> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// Number of rows at a level.
    pub fn rows(&self, level: Level) -> usize {
        match level {
            Level::Graph => 1,
            Level::NODE => self.nodes,
            Level::Set(_) => self.edges.as_ref().map_or(0, |[sources, _]| sources.len()),
        }
    }
}

impl Values {
    /// How many numbers there are.
    pub fn len(&self) -> usize {
        match self {
            Self::F64(values) => values.len(),
            Self::I64(values) => values.len(),
            Self::Bool(values) => values.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
