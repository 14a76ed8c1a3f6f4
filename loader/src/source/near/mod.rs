//! Edges between atoms that are near each other, made by the workers.
//!
//! | file | what is in it |
//! |---|---|
//! | `connect` | the rule by which atoms are connected; what is read of a structure, and what is written |
//! | `near` | both as a rule of derived sets |
//! | `search` | finds the edges of a structure |
//! | `lattice`, `ghosts` | the directions in which it repeats; its atoms and their images, by place |

mod connect;
mod ghosts;
mod lattice;
mod near;
mod search;

pub use connect::{Connect, Edges};
pub(super) use near::Near;
