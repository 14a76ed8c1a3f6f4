//! Where the maps of original ids are, which DGL's `return_mapping` returns.

use crate::PartitionBook;
use crate::file_name::plain;
use std::path::{Path, PathBuf};

/// The npy files of all types below the folder of the JSON file, of nodes and of edges: `node_map.npy` and
/// `edge_map.npy` if there is one type, else `node_map/TYPE.npy` and `edge_map/SOURCE+RELATION+TARGET.npy`.
pub(crate) fn map_files(folder: &Path, book: &PartitionBook) -> [Vec<PathBuf>; 2] {
    let files = |map: &str, names: Vec<String>| match names.as_slice() {
        [_] => vec![folder.join(map).with_extension("npy")],
        names => names.iter().map(|name| folder.join(map).join(format!("{name}.npy"))).collect(),
    };
    let of_edges = book.edge_types().iter().map(|name| name.each_ref().map(|name| plain(name)).join("+"));
    let of_nodes = book.node_types().iter().map(|name| plain(name));
    [files("node_map", of_nodes.collect()), files("edge_map", of_edges.collect())]
}
