//! Programs that a user writes, each as short as its task: what an interface must make easy.
//!
//! | file | program |
//! |---|---|
//! | `own_graphs` | a vector of own graphs |
//! | `database` | a source over a database, with a connection per worker |
//! | `ways` | packed, dynamic, PyTorch Geometric's, ptgnn's and static batches of the same data |
//! | `splits` | train, valid and test in one shape |
//! | `resume` | resume in mid-epoch on other ranks |
//! | `predictions` | predictions in the order of the data |
//! | `typed` | two types of nodes, and targets of different lengths |
//! | `mixture` | a mixture drawn by rates, one part of it augmented |

mod database;
mod mixture;
mod own_graphs;
mod predictions;
mod resume;
mod splits;
mod typed;
mod ways;
