//! [`PartFiles`]: where the files of a part are.

use serde::Serialize;
use std::path::{Path, PathBuf};

/// Files of a part, as paths below the folder of the JSON file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PartFiles {
    /// Features of its nodes.
    pub node_feats: String,
    /// Features of its edges.
    pub edge_feats: String,
    /// Its nodes and edges.
    pub part_graph: String,
}

/// The path of a file that the JSON file `config` names.
pub(super) fn beside(config: &Path, file: &str) -> PathBuf {
    config.parent().unwrap_or(Path::new("")).join(file)
}
