//! [`Output`]: where parts are written, and what beside them.

use crate::Format;
use std::path::PathBuf;

/// Where parts are written, and what beside them.
#[derive(clap::Args)]
pub(crate) struct Output {
    /// Write original ids beside each part: orig_nids.dgl and orig_eids.dgl
    #[arg(long)]
    pub(crate) save_orig_ids: bool,
    /// Name of the JSON file [default: the graph's]
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// Where to write: a folder that is empty or does not exist; temporary files are in it, too
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}
