//! Atoms with positions, and the edges that make graphs of them.
//!
//! [`Structures`] holds the atoms, read by `graphpack-formats`; [`Edges`](super::Edges) is the rule that connects them;
//! `neighbours` finds the edges, in crystals also across the faces of the cell.

mod structures;

pub use structures::{ConnectError, Structures};
