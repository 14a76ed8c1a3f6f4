//! [`PartsFolder`]: where parts are written, and what beside them.

use super::Format;
use std::path::PathBuf;

/// Where parts are written, and which files beside them.
#[derive(clap::Args)]
pub(crate) struct PartsFolder {
    /// Write original ids beside each part: orig_nids.dgl and orig_eids.dgl
    #[arg(long)]
    pub(crate) save_orig_ids: bool,
    /// Name of the JSON file: that of the graph if not given
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// Where to write, temporary files included: a folder that is empty or does not exist
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}
