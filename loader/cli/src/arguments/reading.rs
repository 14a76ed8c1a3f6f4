//! [`ReadArgs`]: how files are read.

use graphpack_formats::ReadOptions;

/// How files are read.
#[derive(clap::Args)]
pub(crate) struct ReadArgs {
    /// The column of SMILES in a csv file, where neither its name nor its cells say so
    #[arg(long, value_name = "COLUMN")]
    smiles_column: Option<String>,
    /// Of SDF, keep hydrogen atoms as nodes. Otherwise they are numbers at their neighbours, as in OGB's graphs
    #[arg(long)]
    hydrogens: bool,
    /// What happens at a record that cannot be read: the command fails, or leaves it out and lists it with the reason
    #[arg(long, value_enum, default_value_t = OnError::Fail)]
    pub(crate) on_error: OnError,
}

/// What happens at a record that cannot be read.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum OnError {
    Fail,
    Skip,
}

impl ReadArgs {
    pub(crate) fn options(&self) -> ReadOptions {
        ReadOptions {
            smiles_column: self.smiles_column.clone(),
            keeps_hydrogens: self.hydrogens,
            skips_errors: self.on_error == OnError::Skip,
        }
    }
}
