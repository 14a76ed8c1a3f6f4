//! [`FileFormat`]: the formats that files are recognised to have.

use std::fmt;
use std::str::FromStr;

/// A format that a file or folder may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileFormat {
    /// A store in safetensors, or a folder of several.
    Store,
    /// Extended XYZ, and QM9's original files.
    Xyz,
    /// ASE's SQLite database, or a folder of several.
    AseDb,
    /// ASE's LMDB database, or a folder of several.
    Aselmdb,
    /// HDF5 in the layouts of MACE, SPICE and ANI.
    Hdf5,
    /// SMILES in csv with a header, or one in each line.
    Smiles,
    /// Molecules in SDF.
    Sdf,
    /// A data set of TU Dortmund's collection, a folder or a zip.
    Tu,
    /// Arrays of NumPy in an archive.
    Npz,
    /// Parquet with columns of lists.
    Parquet,
    /// A folder in the raw layout of the Open Graph Benchmark.
    Ogb,
}

impl FileFormat {
    /// All formats, in the order in which they are looked for.
    pub const ALL: [Self; 11] = [
        Self::Store,
        Self::Xyz,
        Self::AseDb,
        Self::Aselmdb,
        Self::Hdf5,
        Self::Smiles,
        Self::Sdf,
        Self::Tu,
        Self::Npz,
        Self::Parquet,
        Self::Ogb,
    ];

    /// The name of the format, which is that of the reader's feature, too.
    pub fn name(self) -> &'static str {
        self.names().0
    }

    /// Says in a few words what its files are, for messages.
    pub fn description(self) -> &'static str {
        self.names().1
    }

    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Store => ("store", "a store (safetensors, or a folder with index.json)"),
            Self::Xyz => ("xyz", "XYZ (a number of atoms, a comment, a line for each atom)"),
            Self::AseDb => ("ase_db", "a database of ASE in SQLite, or a folder of .db files"),
            Self::Aselmdb => ("aselmdb", "a database of ASE in LMDB, or a folder of .aselmdb files"),
            Self::Hdf5 => ("hdf5", "HDF5"),
            Self::Smiles => ("smiles", "csv with a column of SMILES, or a molecule in each line"),
            Self::Sdf => ("sdf", "SDF (V2000 or V3000 in line 4)"),
            Self::Tu => ("tu", "a data set of TU Dortmund (NAME_A.txt in a folder or zip)"),
            Self::Npz => ("npz", "npz (arrays of NumPy in a zip)"),
            Self::Parquet => ("parquet", "parquet"),
            Self::Ogb => ("ogb", "a data set of OGB (a folder with raw/ in it)"),
        }
    }
}

impl fmt::Display for FileFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for FileFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = Self::ALL.map(Self::name).join(", ");
        let found = Self::ALL.into_iter().find(|format| format.name() == text);
        found.ok_or_else(|| format!("expected one of {names}, found {text:?}"))
    }
}
