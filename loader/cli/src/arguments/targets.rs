//! [`TargetArgs`]: labels of graphs in a csv file beside them.

use std::path::{Path, PathBuf};

/// Labels of graphs in a csv file beside them.
#[derive(clap::Args)]
pub(crate) struct TargetArgs {
    /// A csv file with a header and a row for each graph of the only file
    #[arg(long, value_name = "FILE")]
    targets: Option<PathBuf>,
    /// With --targets, the columns that become fields, separated by commas
    #[arg(long, value_name = "COLUMN", value_delimiter = ',')]
    target: Vec<String>,
}

impl TargetArgs {
    /// The file, if it is given.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.targets.as_deref()
    }

    /// The file and its columns that become fields.
    pub(crate) fn given(&self) -> Option<(PathBuf, Vec<String>)> {
        self.targets.clone().map(|csv| (csv, self.target.clone()))
    }
}
