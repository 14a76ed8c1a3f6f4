//! Parts in files.

use graphpack_partition::{Cut, dgl};
use std::path::PathBuf;
use tempfile::TempDir;

/// Writes all parts of a cut with original ids; returns the path of the JSON file.
pub(crate) fn written(cut: &Cut, folder: &TempDir) -> PathBuf {
    let book = cut.book();
    let writer = dgl::PartitionWriter::create(folder.path(), "g", "random", cut.hops(), book.clone()).unwrap();
    for part in cut.parts() {
        writer.write_part(&part).unwrap();
        let ids = (0..book.node_types().len()).map(|kind| cut.original_nodes(kind, part.number));
        writer.write_orig_nids(part.number, &ids.collect::<Vec<_>>()).unwrap();
    }
    writer.write_config().unwrap()
}
