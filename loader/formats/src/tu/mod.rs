//! Data sets of TU Dortmund's collection, a zip or a folder, as PyTorch Geometric's `TUDataset` gives them.
//!
//! | file | becomes |
//! |---|---|
//! | `DS_A.txt`, `DS_graph_indicator.txt` | nodes and edges, sorted by source and target, without loops |
//! | `DS_node_labels.txt` | `x`: one-hot, a block for each column |
//! | `DS_edge_labels.txt` | `edge_attr`, likewise |
//! | `DS_graph_attributes.txt`, else `DS_graph_labels.txt` | `y`: numbers, else the place among all labels |
//! | `DS_node_attributes.txt` | `node_attributes` |
//! | `DS_edge_attributes.txt` | `edge_attributes` |
//!
//! PyG leaves attributes out by default, and puts them in front of the columns of `x` and `edge_attr` with
//! `use_node_attr=True`. Here they are fields of their own. Of a doubled edge the attributes and one-hot labels are
//! added up, as PyG's `coalesce` does.
//!
//! - `files`: the files of a data set, in a zip or a folder, with numbers by rows; `records`: the graphs.

mod files;
mod records;

pub use records::{TuRecords, records};
