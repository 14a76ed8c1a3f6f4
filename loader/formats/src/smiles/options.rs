//! [`SmilesOptions`]: which columns of a csv file are read.

/// Which columns of a csv file are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SmilesOptions {
    /// The column of SMILES. By default the one called `smiles`, else `canonical_smiles`, `isomeric_smiles`, `mol`,
    /// `smi` or `structure`, in any case, else the only one whose cells are molecules.
    pub column: Option<String>,
    /// The columns that become targets. By default all with a name whose cells are numbers,
    /// or true and false, or empty; others are listed. One that is named here must be so in every row.
    pub targets: Option<Vec<String>>,
    /// Whether a text that is no molecule is an error. By default it is passed over and listed.
    pub is_strict: bool,
}
