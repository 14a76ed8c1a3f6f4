//! Parquet files with a row per graph, whose columns are numbers and lists, as graph data sets on the Hugging Face hub
//! have them (`OGB/ogbg-molhiv`, `graphs-datasets/PCQM4Mv2`).
//!
//! | column, by any of these names | type | becomes |
//! |---|---|---|
//! | `edge_index` | two lists of integers | edges |
//! | `edge_src` and `edge_dst`, `src` and `dst`, `source` and `target`, `senders` and `receivers` | lists | edges |
//! | `num_nodes` | integer | number of nodes |
//! | `node_feat`, `x` | a number or a list per node | `x` |
//! | `edge_attr`, `edge_feat` | a number or a list per edge | `edge_attr` |
//! | `z`, `pos`, `forces`, `node_...` | a number or a list per node | fields of their names |
//! | `edge_...` | a number or a list per edge | fields of their names |
//! | `y`, `cell`, `pbc`, `stress`, `graph_...` | a number, a list or lists | fields of graphs |
//! | any other that is a number | number | a field of graphs |
//!
//! Other columns of lists, whose names do not say whether they belong to nodes, texts and other types are left out and
//! [listed](crate::Records::skipped), or an error if they are selected. A null, or nothing but NaN, is a missing label;
//! in a `y` of several numbers these are 0, and `has_y` says which are there; elsewhere a null or NaN among numbers is
//! an error. A `stress` of six numbers, in Voigt's order, becomes 3 x 3. Row groups are read one after the other, some
//! rows at once; checksums of pages are compared where a file has them.
//!
//! The `parquet` library panics on some damaged files; such a panic becomes an error.
//!
//! - `column`: a column, row by row, and what it is by its name; `records`: the graphs.

mod column;
mod records;

pub use records::{ParquetRecords, records};
