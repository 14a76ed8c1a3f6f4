//! [`ReadOptions`]: how files are read, beyond which of their fields are taken.

use super::FileFormat;
use crate::FormatError;
use std::path::Path;

/// How files are read, beyond which of their fields are taken. One that a file's format does not know is an error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// The column of SMILES in a table; otherwise it is known by its name, or by what is in it.
    pub smiles_column: Option<String>,
    /// Whether hydrogen atoms of SDF stay atoms. By default they become numbers at their neighbours, as in OGB's graphs.
    pub keeps_hydrogens: bool,
    /// Whether a record that cannot be read is left out, and listed with the reason. By default it is an error. A file in
    /// which the record after it cannot be found is an error all the same.
    pub skips_errors: bool,
}

impl ReadOptions {
    /// Errors if an option has no effect on files of this format.
    pub fn check(&self, path: &Path, format: FileFormat) -> Result<(), FormatError> {
        let wrong = |expected: &str| Err(FormatError::wrong(path, "", expected, format.name()));
        if self.smiles_column.is_some() && format != FileFormat::Smiles {
            return wrong("a table, of which a column has SMILES");
        }
        if self.keeps_hydrogens && format != FileFormat::Sdf {
            return wrong("SDF, of which hydrogen atoms are kept");
        }
        if self.skips_errors && format == FileFormat::Store {
            return wrong("a file of records, of which some are left out");
        }
        Ok(())
    }
}
