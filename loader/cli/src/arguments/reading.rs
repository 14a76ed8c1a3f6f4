//! [`ReadArgs`]: how files are read.

use graphpack_formats::{FileFormat, ReadOptions};
use std::path::Path;

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
    on_error: OnError,
}

/// What happens at a record that cannot be read.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum OnError {
    Fail,
    Skip,
}

impl ReadArgs {
    /// Whether one is given.
    pub(crate) fn are_given(&self) -> bool {
        self.options() != ReadOptions::default()
    }

    /// Whether records that cannot be read are left out.
    pub(crate) fn skips_errors(&self) -> bool {
        self.on_error == OnError::Skip
    }

    /// Errors with the option that has no effect on a file of this format.
    pub(crate) fn check(&self, path: &Path, format: FileFormat) -> Result<(), String> {
        let ReadOptions { smiles_column, keeps_hydrogens, skips_errors } = self.options();
        let none = ReadOptions::default;
        for (flag, one) in [
            ("--smiles-column", ReadOptions { smiles_column, ..none() }),
            ("--hydrogens", ReadOptions { keeps_hydrogens, ..none() }),
            ("--on-error", ReadOptions { skips_errors, ..none() }),
        ] {
            one.check(path, format).map_err(|error| format!("{flag}: {error}"))?;
        }
        Ok(())
    }

    pub(crate) fn options(&self) -> ReadOptions {
        ReadOptions {
            smiles_column: self.smiles_column.clone(),
            keeps_hydrogens: self.hydrogens,
            skips_errors: self.skips_errors(),
        }
    }
}
