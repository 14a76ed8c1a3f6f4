//! Graphs for tests.
//!
//! | file | what it makes |
//! |---|---|
//! | `graphs` | any graph, with any features, and owners of its nodes: for what must hold for all |
//! | `telling` | graphs with one type of nodes and of edges, each row of which tells whose it is |
//! | `parts` | a partition, cut slowly; a partition in files, also numbered as DGL does |

mod graphs;
mod parts;
mod telling;

pub(crate) use graphs::{array, assigned, graphs};
pub(crate) use parts::{parts, renumber, without_outward, write_cut, written};
pub(crate) use telling::{larger, telling, telling_features, telling_graphs};
