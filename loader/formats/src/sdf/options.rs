//! [`SdfOptions`]: what is read of an SDF file.

/// What is read of an SDF file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SdfOptions {
    /// The data items that become targets. By default all that are numbers, or true and false, wherever they
    /// are given; others are listed. One that is named here must be so in every molecule.
    pub targets: Option<Vec<String>>,
    /// Whether hydrogen atoms stay atoms. By default they become numbers at their neighbours, as in OGB's graphs.
    pub keeps_hydrogens: bool,
    /// Whether double bonds drawn as crossed, or beside a wave, get the category `STEREOANY`, as RDKit reads them. By
    /// default they get none, like those of SMILES that say nothing of their sides, so that a molecule has one graph.
    pub marks_either: bool,
    /// Whether a molecule that cannot be is an error. By default it is passed over and listed.
    pub is_strict: bool,
}
