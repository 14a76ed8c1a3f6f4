//! [`SetNames`]: the names of the sets of a schema, which errors carry to say what they count.

use std::fmt::Display;
use std::ops::Deref;
use std::sync::Arc;

/// The names of the sets of a schema, in their order. Errors carry them to say what they count.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SetNames(Arc<[String]>);

impl SetNames {
    pub(crate) fn new(names: impl IntoIterator<Item = String>) -> Self {
        Self(names.into_iter().collect())
    }

    /// What names of arrays and files call a set: `node` and `edge` for `nodes` and `edges`, otherwise its name.
    pub(crate) fn singular(&self, set: usize) -> &str {
        match self.0[set].as_str() {
            "nodes" => "node",
            "edges" => "edge",
            other => other,
        }
    }

    /// The name that a file gives to the offsets of a set.
    pub(crate) fn offsets(&self, set: usize) -> String {
        format!("ptr_{}", self.singular(set))
    }

    /// Returns numbers with the names of the sets: `3 nodes and 4 edges`, or `3 nodes, 4 edges and 2 triplets`.
    pub fn counts(&self, rows: impl IntoIterator<Item = impl Display>) -> String {
        let counted: Vec<String> = rows.into_iter().zip(&*self.0).map(|(rows, set)| format!("{rows} {set}")).collect();
        match counted.split_last() {
            Some((last, [])) => last.clone(),
            Some((last, others)) => format!("{} and {last}", others.join(", ")),
            None => String::new(),
        }
    }

    /// Returns the rows of a batch with the names of the sets: `6 nodes, 5 edges, 4 graphs`.
    pub fn shape(&self, shape: &super::Shape) -> String {
        let counted = shape.sets().iter().zip(&*self.0).map(|(rows, set)| format!("{rows} {set}, "));
        format!("{}{} graphs", counted.collect::<String>(), shape.graphs())
    }
}

impl Deref for SetNames {
    type Target = [String];

    fn deref(&self) -> &[String] {
        &self.0
    }
}
