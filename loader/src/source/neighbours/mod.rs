//! Edges between atoms that are near each other, made by the workers.
//!
//! | file | what is in it |
//! |---|---|
//! | `edges`, `edges_error` | the rule by which atoms are connected; why it cannot be followed |
//! | `connected`, `connect_options` | the source with the edges, and how it is made |
//! | `near` | the rule as one of derived sets: what is read of a graph, and what is written |
//! | `search` | finds the edges of a structure |
//! | `lattice`, `ghosts` | the directions in which it repeats; its atoms and their images, by place |

mod connect_options;
mod connected;
mod edges;
mod edges_error;
mod ghosts;
mod lattice;
mod near;
mod search;

pub use connect_options::ConnectOptions;
pub use connected::Connected;
pub use edges::Edges;
pub use edges_error::EdgesError;
