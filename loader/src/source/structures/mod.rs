//! Atoms with positions, and the edges that make graphs of them.
//!
//! [`Structures`] holds the atoms, generated or read by `graphpack-formats`; [`Edges`] is the rule that connects them;
//! `neighbours` finds the edges, in crystals also across the faces of the cell.

mod edges;
mod generate;
mod neighbours;
mod structures;

pub use edges::{Edges, EdgesError};
pub use structures::{ConnectError, Structures};
