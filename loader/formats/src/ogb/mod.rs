//! Data sets of the Open Graph Benchmark's graph property prediction in their raw layout, read as
//! `ogb.io.read_graph_raw` reads them.
//!
//! | file (each with or without `.gz`) | becomes |
//! |---|---|
//! | `raw/num-node-list.csv`, `raw/num-edge-list.csv` | sizes: one number per graph |
//! | `raw/edge.csv` | `edge_index`: two node numbers per line, counted within the graph |
//! | `raw/node-feat.csv` (may be missing) | `x`, int64 if all cells are integers, else float32 |
//! | `raw/edge-feat.csv` (may be missing) | `edge_attr`, likewise |
//! | `raw/node_NAME.csv`, `raw/edge_NAME.csv` (may be missing) | `node_NAME`, `edge_NAME`, likewise (ogbg-code2) |
//! | `raw/graph-label.csv` (may be missing) | `y`, likewise; an empty cell or `nan` is a label that is missing |
//! | `split/*/{train,valid,test}.csv` | [`OgbCsv::split`] |
//!
//! Bonds are stored once: each edge is followed by its inverse, with the same features. Only ogbg-code2 is directed,
//! known by its file `node_dfs_order`.
//!
//! **Texts as labels** (ogbg-code2's names of functions, subtokens with blanks between them) become what OGB's example
//! trains on: `y` of 5 integers, the places of the first 5 subtokens in the vocabulary. It has the 5,000 subtokens that
//! are most frequent in the training split, or in all graphs if there is none; 5000 is any other subtoken, 5001 the
//! end. [`OgbRecords::vocabulary`] has the subtokens. One difference is left: pandas, with which OGB reads labels, takes
//! a function named `null`, `None` or `NA` for a missing name and OGB calls it `nan`; here it keeps its name.
//!
//! - `labels`: numbers or texts, splits, and a csv file read by the rows of a graph;
//! - `records`: the graphs, one by one, or all of them in memory, with splits.

mod labels;
mod records;

pub use records::{OgbCsv, OgbRecords, records};
