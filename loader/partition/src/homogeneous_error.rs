//! [`HomogeneousError`]: a graph that cannot be made homogeneous, and [`LeftOut`]: features that do not come along.

use super::GraphError;
use graphpack_loader::Level;
use std::fmt;

/// A graph that cannot be made homogeneous.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HomogeneousError {
    /// The graph contradicts itself.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// A feature has a name that the types themselves are kept under.
    #[error("feature {feature} has a name that the homogeneous graph keeps types under: rename it")]
    Name {
        /// Its name, behind that of the type.
        feature: String,
    },
    /// Two features of a type have one name.
    #[error("there are two features {feature}")]
    Twice {
        /// Its name, behind that of the type.
        feature: String,
    },
    /// A feature is to be filled that no type has.
    #[error("{} have no feature {feature} to be filled, only {known}", .level.of(["nodes", "edges", "graphs"]))]
    Unknown {
        /// Nodes or edges.
        level: Level,
        /// The name asked for.
        feature: String,
        /// All names.
        known: String,
    },
    /// A feature is to be filled, but those that have it do not have it alike.
    #[error("{0}: it cannot be filled")]
    Differs(LeftOut),
    /// What is filled does not fit into memory.
    #[error("feature {feature} would have {rows} rows of {row_bytes} bytes, more than there is memory for")]
    Memory {
        /// Its name.
        feature: String,
        /// Rows of all types.
        rows: usize,
        /// Bytes of a row.
        row_bytes: usize,
    },
}

/// A feature that not all types of nodes, or of edges, have with one type of elements and one shape of rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Nodes or edges.
    pub level: Level,
    /// Its name.
    pub feature: String,
    /// All types of the level by name; with elements and shape of a row, `float32 [16]`, where they have the feature.
    pub types: Vec<(String, Option<String>)>,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "feature {} of {}", self.feature, self.level.of(["nodes", "edges", "graphs"]))?;
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
