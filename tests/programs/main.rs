//! Programs that a user writes, each as short as its task: what an interface must make easy.
//!
//! | file | program |
//! |---|---|
//! | `own_graphs` | a vector of own graphs |
//! | `database` | a source over a database, with a connection per worker |
//! | `typed` | two types of nodes, and targets of different lengths |

mod database;
mod own_graphs;
mod typed;
